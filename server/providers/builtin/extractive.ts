import { writeAnswer, writeExtract } from "./answer.ts";
import { lookForComparison, writeComparison } from "./compare.ts";
import { gatherHits } from "./evidence.ts";
import {
  installedVersion,
  lookForDependents,
  lookForInstalled,
  writeDependents,
  writeInstalled,
} from "./dependents.ts";
import { chooseExtracts, isAnswer } from "./extracts.ts";
import { withRarity } from "./known-words.ts";
import { type Conversation, isResultOf, type Looking, lookUp } from "./look.ts";
import { findSpecial, findValue, specialExtracts } from "./special-extracts.ts";
import { findWhole, lookForExamples, lookInto, writeOverview } from "./overview.ts";
import { lookForOrigin, originAsked, writeCopies, writeOrigin } from "./origin.ts";
import { lookCloser, search, searchBroadly } from "./plan.ts";
import { findProjects, lookAtProjects } from "./project.ts";
import { writeProjects } from "./project-answer.ts";
import { lookForHistory, writeChangelog, writeHistory, writeNoHistory } from "./history.ts";
import { type Question, readQuestion } from "./question.ts";
import { lookForReleases, writeReleases } from "./releases.ts";
import { correctSpelling } from "./spelling.ts";
import { foundFrames, lookAtTrace, writeTrace } from "./trace.ts";
import { lookForUpgrade, writeUpgrade } from "./upgrade.ts";
import { lookForVersions, reportNoDependency, writeVersions } from "./versions.ts";

/** The answer in whole lines, with citation markers. */
export interface ExtractiveAnswer {
  lines: Iterable<string>;
  /** Whether what it cites does not answer the question. */
  lacksEvidence: boolean;
}

/** One search, a closer look at the results, and one at what those led to. */
const looksAfterSearch = 2;

/**
 * Answers without a language model: looks things up with the agent's tools, and writes ranked extracts of the results, each
 * with a reason and a citation marker. It is deterministic. The caller makes the calls that it yields.
 */
export function* answerWithExtracts(conversation: Conversation): Looking<ExtractiveAnswer> {
  const upgrade = yield* lookForUpgrade(conversation);
  if (upgrade?.report !== undefined) return { lines: writeUpgrade(upgrade.report), lacksEvidence: false };
  const comparison = yield* lookForComparison(conversation);
  if (comparison !== undefined) return { lines: writeComparison(comparison), lacksEvidence: false };
  const releases = yield* lookForReleases(conversation);
  if (releases !== undefined) return { lines: writeReleases(releases), lacksEvidence: false };
  const asked = readQuestion(conversation);
  const { history } = asked;
  const [resource] = asked.resources;
  if (history !== undefined) {
    yield* lookForHistory(conversation, history, resource);
    const lines = [...writeHistory(conversation, history, resource)];
    if (lines.length > 0) return { lines, lacksEvidence: false };
    const changelog = [...writeChangelog(conversation)];
    const none = [...writeNoHistory(conversation, history, resource), ...changelog];
    if (changelog.length > 0) return { lines: none, lacksEvidence: false };
    const { lines: rest, lacksEvidence } = yield* answerFromCode(conversation, asked);
    return { lines: concat(none, rest), lacksEvidence };
  }
  const answer = yield* answerFromCode(conversation, asked);
  if (upgrade?.reason === undefined) return answer;
  return { ...answer, lines: concat([`There is no report on that upgrade: ${upgrade.reason}.\n\n`], answer.lines) };
}

function* concat(one: Iterable<string>, other: Iterable<string>): Generator<string> {
  yield* one;
  yield* other;
}

/** From the code as it is now. */
function* answerFromCode(conversation: Conversation, asked: Question): Looking<ExtractiveAnswer> {
  const { results } = conversation;
  if (asked.version !== undefined) {
    yield* lookForVersions(conversation, asked.version);
    const { name: dependency, asksWho, isLanguage } = asked.version;
    if (!isLanguage) yield* lookForInstalled(conversation, dependency);
    const stated = [...writeVersions(conversation, asked.version, installedVersion(conversation, dependency))];
    const mayBeInstalled = stated.length === 0 && !isLanguage;
    if (asksWho || mayBeInstalled) yield* lookForDependents(conversation, dependency);
    const versions = [
      ...(mayBeInstalled ? writeInstalled(conversation, dependency) : stated),
      ...(asksWho || mayBeInstalled ? writeDependents(conversation, dependency) : []),
    ];
    if (versions.length > 0) {
      const beside = yield* answerSpecial(conversation, asked);
      return { lines: concat(beside, beside.length === 0 ? versions : ["\n", ...versions]), lacksEvidence: false };
    }
    const none = reportNoDependency(conversation, asked.version);
    if (none.length > 0) return { lines: none, lacksEvidence: true };
  }
  const name = originAsked(conversation.question);
  if (name !== undefined) {
    yield* lookForOrigin(conversation, name);
    const lines = [...writeOrigin(conversation, name)];
    if (lines.length > 0) return { lines, lacksEvidence: false };
  }
  if (asked.isOverview) {
    yield* lookAtProjects(conversation, asked);
    const isDesigned = findProjects(results).some(({ design }) => design !== undefined);
    const beside = isDesigned ? [] : yield* answerSpecial(conversation, asked);
    const projects = writeProjects(results, conversation.question);
    if (projects !== undefined) return { lines: concat(beside, projects), lacksEvidence: false };
  }
  const examples = yield* lookForExamples(conversation);
  if (examples !== undefined) {
    yield* lookInto(examples, conversation);
    return { lines: writeOverview(examples, { question: asked, hits: [], results }), lacksEvidence: false };
  }
  const { thought, calls } = search(asked, conversation.resources);
  yield* lookUp(conversation, thought, calls);
  const frames = foundFrames(asked, results);
  if (frames.length > 0) {
    yield* lookAtTrace(frames, { question: asked, conversation });
    return { lines: writeTrace(frames, { ...analyse(conversation), results }), lacksEvidence: false };
  }
  const whole = findWhole(readQuestion(conversation), results);
  if (whole !== undefined) {
    yield* lookInto(whole, conversation);
    return { lines: writeOverview(whole, { ...analyse(conversation), results }), lacksEvidence: false };
  }
  for (let look = 0; look < looksAfterSearch; look++) {
    const { question, hits, extracts } = analyse(conversation);
    const isBroad = hits.length === 0;
    if (isBroad && look > 0) break;
    const next = isBroad ? searchBroadly(question, results) : lookCloser(question, { hits, extracts, results });
    yield* lookUp(conversation, next.thought, next.calls);
  }
  const analysis = analyse(conversation);
  const copies = name === undefined ? [] : writeCopies(conversation, name);
  return {
    lines: (function* () {
      yield* copies;
      yield* writeAnswer({ ...analysis, conversation });
    })(),
    lacksEvidence: !analysis.extracts.some(isAnswer),
  };
}

/** What else a question about a version asks for, such as the licence. */
function* answerSpecial(conversation: Conversation, { special }: Question): Looking<string[]> {
  yield* lookUp(conversation, "Looking for what else it asks for.", findSpecial(special));
  return specialExtracts(special, conversation.results).flatMap((extract) => [...writeExtract(extract, 1)]);
}

/** The question as the results explain it, what was found, and the lines worth showing. */
function analyse(conversation: Conversation) {
  const { results } = conversation;
  const asked = readQuestion(conversation);
  const values = findValue(asked.value);
  const hits = gatherHits(results.filter((result) => !values.some((call) => isResultOf(call, result))));
  const { question, misspellings } = correctSpelling(withRarity(asked, results), hits);
  return { question, misspellings, hits, extracts: chooseExtracts(hits, { question, results }) };
}
