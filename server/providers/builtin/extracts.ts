import { asksForCallers } from "./callers.ts";
import { splitIdentifier, stem } from "../../source/words.ts";
import type { LineRange } from "../../protocol/citation.ts";
import { type Hit, isExport, linesIn, occurs, type Stretch } from "./evidence.ts";
import { heightOf } from "./excerpt-context.ts";
import { chooseLines } from "./excerpt.ts";
import { isLesser, lesserFile, scoreOf } from "./extract-score.ts";
import { tellsEnough } from "./known-words.ts";
import { definedMembers } from "./member.ts";
import type { ToolResult } from "./look.ts";
import { specialExtracts, valueExtracts } from "./special-extracts.ts";
import type { Question, QuestionWord } from "./question.ts";
import { reasonFor, type Role, roleOf } from "./role.ts";

/** Lines worth showing, and why. */
export interface Extract {
  stretch: Stretch;
  /** The ranges in line order, with gaps between them. */
  pieces: readonly LineRange[];
  /** Why it was chosen, in words. */
  reason: string;
  role: Role;
  score: number;
  /** The weighted share of the question's words that occur in it. */
  coverage: number;
  found: readonly QuestionWord[];
  /** Whether it has only words of the question that are common in the resources. */
  isOffTopic?: boolean;
}

const mostExtracts = 4;
/** How many of the first passages of ranked search are always shown, and the limit of extracts with them. */
const firstFound = 5;
const mostWithFound = 6;
/** The limit for a question about callers, which wants all of them; each is short. */
const mostCallers = 8;
const mostOfOneFile = 2;
/** An extract with a lower share of the best score is dropped. */
const leastShare = 0.45;
/** The same for callers of the best lines, which need not repeat the question's words. */
const leastShareOfLinked = 0.25;
/** The limit of all extracts together, in lines of a hundred characters. */
const mostHeight = 140;
/** The least coverage of a caller or a part of a message: they need not repeat the question's words. */
const callerCoverage = 0.9;
/**
 * The weight of an extract from another resource than the one that the question names: it may be shown, but not first.
 */
const elsewhereShare = 0.5;
/** An extract with less coverage is only a nearest match, not an answer. */
const leastCoverage = 0.4;
/** The limit of callers if the question is not about callers. */
const callersElsewhere = 2;

/** Chooses the best lines of all hits, best first and without duplicates. */
export function chooseExtracts(
  hits: readonly Hit[],
  { question, results }: { question: Question; results: readonly ToolResult[] },
): Extract[] {
  const all = preferNamed(
    hits.flatMap((hit) => extractFrom(hit, question)),
    question,
  );
  const members = asksForCallers(question) ? [] : definedMembers(hits, question);
  const stated = [...specialExtracts(question.special, results), ...valueExtracts(question.value, results)];
  const compared = question.compared.length > 1 ? compareDefinitions(hits, all, question) : [];
  if (compared.length > 0) return compared;
  const others = selectBest(withMembers(members, all), question);
  const best = Math.max(1, ...others.map(({ score }) => score));
  return [
    ...stated.map((one) => ({ ...one, score: best })),
    ...others.filter((other) => !stated.some((one) => repeats({ ...one, score: best }, other))),
  ].slice(0, question.wants === "callers" ? mostCallers : mostExtracts);
}

/**
 * Adds the first passages of ranked search that are not shown yet: what search has found counts, even if its words are
 * not the question's. Measured (`bench/newcomer.ts`).
 */
export function withFirstFound(chosen: readonly Extract[], hits: readonly Hit[], question: Question): Extract[] {
  const found = hits.filter(
    (hit) => hit.tool === "search" && hit.rank < firstFound && !isLesser(hit.stretch, question),
  );
  const all = [...chosen];
  for (const hit of found.toSorted((a, b) => a.rank - b.rank)) {
    if (all.length >= mostWithFound) break;
    const [own] = extractFrom(hit, question);
    if (own === undefined || all.some((other) => repeats(own, other))) continue;
    all.push(own);
  }
  return all;
}

/** Prefers the resource that the question names, unless nothing in it answers the question. */
function preferNamed(extracts: readonly Extract[], { resources: [named, ...others] }: Question): Extract[] {
  const isElsewhere = ({ stretch }: Extract) => named !== undefined && stretch.resource !== named;
  if (others.length > 0 || !extracts.some((one) => !isElsewhere(one) && isAnswer(one))) return [...extracts];
  return extracts.map((one) => (isElsewhere(one) ? { ...one, score: one.score * elsewhereShare } : one));
}

/** Puts members that the question names with their owner first, and drops definitions of the same name elsewhere. */
function withMembers(members: readonly Omit<Extract, "score">[], others: readonly Extract[]): Extract[] {
  if (members.length === 0) return [...others];
  const names = new Set(members.map(({ role }) => (role.type === "definition" ? role.name.split(".").at(-1) : "")));
  const kept = others.filter(({ role }) => role.type !== "definition" || !names.has(role.name));
  const score = Math.max(1, ...kept.map((other) => other.score));
  return [...members.map((member) => ({ ...member, score })), ...kept];
}

export function isAnswer({ coverage, isOffTopic = false }: Extract): boolean {
  return coverage >= leastCoverage && !isOffTopic;
}

/** The shown lines, without the gaps. */
export function linesOf({ stretch, pieces }: Pick<Extract, "stretch" | "pieces">): string[] {
  return pieces.flatMap((piece) => linesIn(stretch, piece));
}

/** Selects from each resource separately if the question names several, because a comparison needs both. */
function selectBest(candidates: readonly Extract[], question: Question): Extract[] {
  const sorted = withoutLesser(candidates, question).toSorted((a, b) => b.score - a.score);
  const { resources, wants } = question;
  const limits =
    wants === "callers"
      ? { limit: mostCallers, callers: mostCallers }
      : { limit: mostExtracts, callers: callersElsewhere };
  if (resources.length < 2) return withCode(selectFrom(sorted, limits), sorted, question);
  const limit = Math.max(1, Math.floor(limits.limit / resources.length));
  return resources.flatMap((name) => {
    const own = sorted.filter(({ stretch }) => stretch.resource === name);
    return selectFrom(own, { ...limits, limit });
  });
}

/**
 * If only documents answer how or where code does something, puts the code that is most likely meant before them: they
 * say that it does, not how.
 */
function withCode(
  chosen: readonly Extract[],
  sorted: readonly Extract[],
  { asksHow, wants, text }: Question,
): Extract[] {
  const isPlace = asksHow || (wants === "definition" && /^\s*where\b(?! (?:can|do|should) )/i.test(text));
  const isCode = ({ stretch }: Extract) => !stretch.isDocument && !stretch.isTest && !lesserFile.test(stretch.path);
  const codes = sorted.filter((one) => isCode(one) && one.found.length > 0);
  // A resource may have the name of what it does, which is then no strong word.
  const code = codes.find((one) => one.found.some(({ isStrong }) => isStrong)) ?? codes[0];
  if (!isPlace || code === undefined || !chosen.some(isAnswer) || chosen.some((one) => isCode(one) && isAnswer(one)))
    return [...chosen];
  return [{ ...code, coverage: leastCoverage, isOffTopic: false }, ...chosen.filter((one) => one !== code)].slice(
    0,
    mostExtracts,
  );
}

/** A document that mentions all compared names, followed by the definition of each. */
function compareDefinitions(hits: readonly Hit[], all: readonly Extract[], { compared, words }: Question): Extract[] {
  const documents = all.filter(({ stretch, coverage }) => stretch.isDocument && !stretch.isTest && coverage > 0.9);
  const best = documents.toSorted((a, b) => b.score - a.score).slice(0, 1);
  const stretches = [...new Set(hits.map(({ stretch }) => stretch))].filter((one) => !one.isDocument && !one.isTest);
  const definitions = compared.map((name) =>
    stretches
      .flatMap((stretch) => stretch.definitions.filter((one) => one.name === name).map((one) => ({ stretch, ...one })))
      .filter(({ stretch }) => !lesserFile.test(stretch.path))
      .toSorted((a, b) => Math.min(longDefinition, b.endLine - b.line) - Math.min(longDefinition, a.endLine - a.line))
      .slice(0, Math.ceil(2 / compared.length))
      .map(({ stretch, startLine, endLine }): Extract => {
        const pieces = [{ startLine, endLine: Math.min(endLine, startLine + longDefinition) }];
        const role: Role = { type: "definition", name, fit: 1 };
        return { stretch, pieces, reason: `defines \`${name}\``, role, score: 1, coverage: 1, found: words };
      }),
  );
  return definitions.every((own) => own.length > 0) ? [...best, ...definitions.flat()] : [];
}

/** The limit of lines for each compared definition. */
const longDefinition = 16;

/**
 * If the definition that the question names was found, or the place that produces the quoted message, drops extracts
 * that only mention the same words.
 */
function withoutLesser(candidates: readonly Extract[], { wants, isAboutTests }: Question): readonly Extract[] {
  if (wants === "message") {
    const lengthOf = ({ role }: Extract) => (role.type === "message" ? role.length : 0);
    const made = candidates.filter(
      ({ role, stretch }) => role.type === "message" && !stretch.isDocument && !stretch.isTest,
    );
    const longest = Math.max(0, ...(made.length > 0 ? made : candidates).map(lengthOf));
    if (longest === 0) return candidates;
    return candidates.filter((one) => one.role.type === "caller" || lengthOf(one) > 0.7 * longest);
  }
  const isExact = ({ role, stretch }: Extract) => role.type === "definition" && role.fit === 1 && !stretch.isDocument;
  if (wants === "any" || wants === "listing" || wants === "reason" || !candidates.some(isExact)) return candidates;
  return candidates.filter((candidate) => {
    const { role, stretch, coverage } = candidate;
    if (stretch.isDocument) return wants !== "callers" && (role.type === "definition" || coverage > 0.9);
    return isExact(candidate) || (role.type === "caller" && (stretch.isTest || !isAboutTests));
  });
}

function selectFrom(sorted: readonly Extract[], { limit, callers }: { limit: number; callers: number }): Extract[] {
  const chosen: Extract[] = [];
  let height = 0;
  for (const candidate of sorted) {
    if (chosen.length >= limit) break;
    const share = candidate.role.type === "caller" ? leastShareOfLinked : leastShare;
    if (candidate.score < share * (chosen[0]?.score ?? 0)) continue;
    const own = heightOf(candidate.pieces, candidate.stretch);
    if (chosen.length > 0 && height + own > mostHeight) continue;
    const alike = chosen.filter(({ role, stretch }) => {
      return candidate.role.type === "caller" ? role.type === "caller" : stretch.target === candidate.stretch.target;
    });
    if (alike.length >= (candidate.role.type === "caller" ? callers : mostOfOneFile)) continue;
    if (chosen.some((other) => repeats(candidate, other))) continue;
    chosen.push(candidate);
    height += own;
  }
  return chosen;
}

function extractFrom(hit: Hit, question: Question): Extract[] {
  const { stretch } = hit;
  const sought = soughtBy(hit, question);
  const isCall = asksForCalls(hit, question) && !onlyDefines(hit, sought);
  const chosen = chooseLines(hit, sought, { isCall });
  if (chosen === undefined) return [];
  const { pieces, found, holding } = chosen;
  const role = roleOf({ ...hit, pieces }, sought);
  const shown = linesOf({ stretch, pieces });
  const linesWith = (name: string) => shown.filter((line) => occurs(name, line));
  if (role.type === "caller" && linesWith(role.name).every((line) => isExport(role.name, line))) return [];
  const isSought = role.type === "message" || (role.type === "caller" && sought !== question);
  const coverage = Math.max(isSought ? callerCoverage : 0, sought === question ? chosen.coverage : 0);
  const reason = reasonFor({ stretch, pieces, role, found, holding });
  const score = scoreOf(hit, { coverage, role, question });
  const isNamed = role.type === "message" || (role.type === "definition" && role.fit === 1);
  const isOffTopic = sought === question && !isNamed && !tellsEnough(found, question);
  return [{ stretch, pieces, found, role, reason, coverage, isOffTopic, score }];
}

/** Whether only the calling place is shown, not all that fits. */
function asksForCalls({ tool, pattern, stretch }: Hit, { wants }: Question): boolean {
  if (tool !== "search") return pattern !== undefined;
  return !stretch.isDocument && wants === "callers";
}

/** Whether the hit defines the wanted name but does not use it. */
function onlyDefines({ stretch, startLine, endLine }: Hit, { names, words }: Question): boolean {
  const sought = [...names, ...words.map(({ word }) => word)];
  const definitions = stretch.definitions.filter(
    ({ name, line }) => sought.includes(name) && line >= startLine && line <= endLine,
  );
  const uses = linesIn(stretch, { startLine, endLine }).filter((text, index) => {
    return sought.some((name) => occurs(name, text)) && !definitions.some(({ line }) => line === startLine + index);
  });
  return definitions.length > 0 && uses.length === 0;
}

/**
 * For hits of this model's own grep, its pattern counts instead of the question words, because a caller need not repeat
 * them.
 */
function soughtBy({ pattern }: Hit, question: Question): Question {
  if (pattern === undefined || question.names.includes(pattern) || question.words.some(({ word }) => word === pattern))
    return question;
  const stems = splitIdentifier(pattern).map(stem);
  return { ...question, words: [{ word: pattern, stems, isStrong: true }], names: [pattern], message: [] };
}

/** The same lines, or nearly all of them in another file. */
function repeats(candidate: Extract, other: Extract): boolean {
  if (candidate.stretch.target === other.stretch.target) {
    return candidate.pieces.some((piece) =>
      other.pieces.some(({ startLine, endLine }) => piece.startLine <= endLine && startLine <= piece.endLine),
    );
  }
  const [lines, others] = [linesOf(candidate), new Set(linesOf(other).map((line) => line.trim()))];
  return lines.filter((line) => others.has(line.trim())).length >= 0.8 * lines.length;
}
