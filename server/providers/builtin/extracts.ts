import { splitIdentifier, stem } from "../../source/words.ts";
import type { LineRange } from "../../protocol/citation.ts";
import type { Hit, Stretch } from "./evidence.ts";
import { heightOf } from "./excerpt-context.ts";
import { chooseLines } from "./excerpt.ts";
import { definedMembers } from "./member.ts";
import { type Question, type QuestionWord, strongStems } from "./question.ts";
import { reasonFor, type Role, roleOf, stands } from "./role.ts";

/** Lines worth showing, and why. */
export interface Extract {
  stretch: Stretch;
  /** In the order of the lines, with gaps between. */
  pieces: readonly LineRange[];
  /** Why it is there, in words. */
  reason: string;
  role: Role;
  score: number;
  /** The share of the question's words that stand there, weighed. */
  coverage: number;
  found: readonly QuestionWord[];
  /** Code that decides something. */
  isBranch?: boolean;
}

const mostExtracts = 4;
/** Places that use a name are short, and all are asked for. */
const mostCallers = 8;
const mostOfOneFile = 2;
/** What is worth less than this share of the best is left out. */
const leastShare = 0.59;
/** Of those that use a name, which are few and short. */
const leastShareOfCallers = 0.35;
/** All extracts together, in lines of a hundred characters: what one reads for an answer. */
const mostHeight = 90;
/** Names that this many of the best extracts call are followed, and how many such names. */
const extractsFollowed = 3;
const namesFollowed = 2;
/** A definition that the best lines call, and a place that calls the best, need not repeat the question's words. */
const followedCoverage = 0.7;
const callerCoverage = 0.9;
/** What an extract of another resource is worth where the question names one: it may still be shown, and not first. */
const elsewhereShare = 0.5;
/** With less of the question's words an extract is no answer, only the nearest there is. */
const leastCoverage = 0.4;
/** Where not they are asked for, so many places that use a name are enough. */
const callersElsewhere = 2;

/** The best lines of what was found, best first, none twice; and among them what the very best lines call. */
export function chooseExtracts(hits: readonly Hit[], question: Question): Extract[] {
  const extractAll = (called: readonly string[]) =>
    preferNamed(
      hits.flatMap((hit) => extractFrom(hit, { question, called })),
      question,
    );
  const members = definedMembers(hits, question);
  const select = (called: readonly string[]) => selectBest(withMembers(members, extractAll(called)), question);
  const compared = question.compared.length > 1 ? compareDefinitions(hits, extractAll([]), question) : [];
  if (compared.length > 0) return compared;
  const first = select([]);
  const called = namesUsed(first, question);
  return called.length === 0 ? first : select(called);
}

/** Of several resources, the one that the question names has the answer, unless nothing there answers it. */
function preferNamed(extracts: readonly Extract[], { resources: [named, ...others] }: Question): Extract[] {
  const isElsewhere = ({ stretch }: Extract) => named !== undefined && stretch.resource !== named;
  if (others.length > 0 || !extracts.some((one) => !isElsewhere(one) && isAnswer(one))) return [...extracts];
  return extracts.map((one) => (isElsewhere(one) ? { ...one, score: one.score * elsewhereShare } : one));
}

/** A member that is named with its owner comes first, and what has its name elsewhere is another. */
function withMembers(members: readonly Omit<Extract, "score">[], others: readonly Extract[]): Extract[] {
  if (members.length === 0) return [...others];
  const names = new Set(members.map(({ role }) => (role.type === "definition" ? role.name.split(".").at(-1) : "")));
  const kept = others.filter(({ role }) => role.type !== "definition" || !names.has(role.name));
  const score = Math.max(1, ...kept.map((other) => other.score));
  return [...members.map((member) => ({ ...member, score })), ...kept];
}

/**
 * What the best lines call and the question half names: `new RetryHandler(` where it asks about retries. The most used
 * first. What it names in full was searched for already; who asks how it is used does not ask what it is made of.
 */
export function namesUsed(extracts: readonly Extract[], question: Question): string[] {
  const { wants, names: written } = question;
  if (wants !== "any" && (wants !== "definition" || written.length > 0)) return [];
  const strong = strongStems(question);
  const counts = new Map<string, number>();
  for (const extract of extracts.slice(0, extractsFollowed)) {
    if (extract.coverage < followedCoverage) continue;
    const lines = linesOf(extract).filter((line) => written.length === 0 || written.some((name) => stands(name, line)));
    for (const [, name = ""] of lines.join("\n").matchAll(/([\p{L}_$][\p{L}\p{N}_$]*)\(/gu)) {
      const known = splitIdentifier(name).map((part) => strong.has(stem(part)));
      if (known.includes(true) && known.includes(false) && !written.includes(name))
        counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const names = [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
  return names.slice(0, namesFollowed);
}

export function isAnswer({ coverage }: Extract): boolean {
  return coverage >= leastCoverage;
}

/** The lines that are shown, without what is left out between them. */
export function linesOf({ stretch, pieces }: Pick<Extract, "stretch" | "pieces">): string[] {
  return pieces.flatMap(({ startLine, endLine }) => {
    return stretch.lines.slice(startLine - stretch.startLine, endLine - stretch.startLine + 1);
  });
}

/** Of each resource that the question names, where it names several: who compares wants to see both. */
function selectBest(candidates: readonly Extract[], question: Question): Extract[] {
  const ranked = withoutLesser(candidates, question).toSorted((a, b) => b.score - a.score);
  const sorted = withoutNamesakes(withoutParts(ranked, question), question);
  const { resources, wants } = question;
  const limits =
    wants === "callers"
      ? { limit: mostCallers, callers: mostCallers }
      : { limit: mostExtracts, callers: callersElsewhere };
  if (resources.length < 2) return withBranch(selectFrom(sorted, limits), sorted);
  const limit = Math.max(1, Math.floor(limits.limit / resources.length));
  return resources.flatMap((name) => {
    const own = sorted.filter(({ stretch }) => stretch.resource === name);
    return selectFrom(own, { ...limits, limit });
  });
}

/** The branch that is about most of the question has a place among the best lines, and no other branch has. */
function withBranch(chosen: readonly Extract[], sorted: readonly Extract[]): Extract[] {
  const others = chosen.filter(({ isBranch }) => isBranch !== true);
  const tellingOf = ({ found }: Extract) => found.filter(({ isStrong }) => isStrong).length;
  const branches = sorted.filter((one) => one.isBranch === true && !one.stretch.isTest && tellingOf(one) > 1);
  const [branch] = branches.toSorted(
    (a, b) => tellingOf(b) - tellingOf(a) || b.coverage - a.coverage || b.score - a.score,
  );
  if (branch === undefined || others.length === 0) return [...chosen];
  if (others.some((other) => repeats(branch, other))) return others;
  return [...others.slice(0, mostExtracts - 1), branch];
}

/** A document that has all names that are compared, and where each is defined. */
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

/** Of what is compared so many lines are shown. */
const longDefinition = 16;

/**
 * Where what the question names is defined, or the message that it quotes is made, what only mentions its words says
 * nothing to who asks for that.
 */
function withoutLesser(candidates: readonly Extract[], { wants, message }: Question): readonly Extract[] {
  if (wants === "message") {
    const lengths = candidates.map(({ role }) => (role.type === "message" ? role.part.length : 0));
    const longest = Math.max(0, ...lengths);
    if (longest === 0) return candidates;
    const isWhole = longest === message[0]?.length;
    return candidates.filter(({ role, coverage }) => {
      return role.type === "message"
        ? role.part.length > 0.7 * longest
        : role.type === "caller" || (!isWhole && role.type === "definition" && coverage > 0.9);
    });
  }
  const isExact = ({ role, stretch }: Extract) => role.type === "definition" && role.fit === 1 && !stretch.isDocument;
  if (wants === "any" || wants === "listing" || wants === "reason" || !candidates.some(isExact)) return candidates;
  return candidates.filter((candidate) => {
    const { role, stretch, coverage } = candidate;
    if (stretch.isDocument) return wants !== "callers" && (role.type === "definition" || coverage > 0.9);
    return isExact(candidate) || role.type === "caller";
  });
}

/** A guide to what is asked makes what has only a part of the words superfluous. */
function withoutParts(ranked: readonly Extract[], { wants }: Question): readonly Extract[] {
  const [best] = ranked;
  if (wants !== "usage" || best?.stretch.isDocument !== true || best.coverage < 0.9) return ranked;
  return ranked.filter(({ coverage }) => coverage > 0.8);
}

/** Of what is called in its own file another file's function of the same name is another. */
function withoutNamesakes(ranked: readonly Extract[], { wants }: Question): readonly Extract[] {
  const [best] = ranked;
  const isNear = ({ role, stretch }: Extract) => role.type === "caller" && stretch.target === best?.stretch.target;
  if ((wants !== "any" && wants !== "message") || !ranked.some(isNear)) return ranked;
  return ranked.filter((candidate) => candidate.role.type !== "caller" || isNear(candidate));
}

function selectFrom(sorted: readonly Extract[], { limit, callers }: { limit: number; callers: number }): Extract[] {
  const chosen: Extract[] = [];
  let height = 0;
  for (const candidate of sorted) {
    if (chosen.length >= limit) break;
    const share = candidate.role.type === "caller" ? leastShareOfCallers : leastShare;
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

/** `called` are names that the best lines call. */
function extractFrom(hit: Hit, { question, called }: { question: Question; called: readonly string[] }): Extract[] {
  const { stretch } = hit;
  const sought = soughtBy(hit, question);
  const isCall = asksForCalls(hit, question) && !onlyDefines(hit, sought);
  const chosen = chooseLines(hit, { ...sought, names: [...sought.names, ...called] }, { isCall });
  if (chosen === undefined) return [];
  const { pieces, found } = chosen;
  const role = roleOf({ ...hit, pieces }, { question: sought, called });
  const least =
    role.type === "caller" && sought !== question ? callerCoverage : isFollowed(role, called) ? followedCoverage : 0;
  const coverage = Math.max(least, sought === question ? chosen.coverage : 0);
  const reason = reasonFor({ stretch, pieces, role, found });
  const isBranch = hit.tool === "branches";
  return [
    { stretch, pieces, found, role, reason, coverage, isBranch, score: scoreOf(hit, { coverage, role, question }) },
  ];
}

function isFollowed(role: Role, called: readonly string[]): boolean {
  return role.type === "definition" && called.includes(role.name);
}

/** Of who uses something the place is shown, of what a search found all that fits. */
function asksForCalls({ tool, pattern, stretch }: Hit, { wants, names }: Question): boolean {
  if (tool === "grep") return pattern !== undefined;
  return !stretch.isDocument && (wants === "callers" || (wants === "usage" && names.length > 0));
}

/** A hit in which what was looked for is defined and not used. */
function onlyDefines({ stretch, startLine, endLine }: Hit, { names, words }: Question): boolean {
  const sought = [...names, ...words.map(({ word }) => word)];
  const definitions = stretch.definitions.filter(
    ({ name, line }) => sought.includes(name) && line >= startLine && line <= endLine,
  );
  const lines = stretch.lines.slice(startLine - stretch.startLine, endLine - stretch.startLine + 1);
  const uses = lines.filter((text, index) => {
    return sought.some((name) => stands(name, text)) && !definitions.some(({ line }) => line === startLine + index);
  });
  return definitions.length > 0 && uses.length === 0;
}

/** What grep was sent for by us is looked for in its hits: who calls a function need not use the question's words. */
function soughtBy({ pattern }: Hit, question: Question): Question {
  const name = pattern?.replace(/\($/, "");
  const isAsked = question.names.includes(name ?? "") || question.words.some(({ word }) => word === name);
  if (name === undefined || (name === pattern && isAsked)) return question;
  const stems = splitIdentifier(name).map(stem);
  return { ...question, words: [{ word: name, stems, isStrong: true }], names: [name], message: [] };
}

/** The order of the results counts little, what the lines say more, and what kind of lines the question wants. */
function scoreOf(
  { stretch, tool, rank }: Hit,
  { coverage, role, question }: { coverage: number; role: Role; question: Question },
): number {
  const place =
    role.type === "caller"
      ? (placeOfCallers[question.wants] ?? 0.8)
      : tool === "branches"
        ? 1
        : (tool === "search" || question.wants === "listing" ? 1 : 0.8) / (1 + 0.1 * rank);
  const { definition, document, test } = worth[question.wants];
  const isName = question.names.length > 0 || question.words.some(({ word }) => /\p{Lu}/u.test(word));
  const isConcept = question.wants === "definition" && !isName && /^\s*what\b/i.test(question.text);
  const asDocument = !stretch.isDocument ? 1 : isConcept ? ofConcepts : document;
  const asTest = (stretch.isTest ? test : 1) * (lesserFile.test(stretch.path) ? ofLesser : 1);
  return place * (0.1 + coverage ** 1.5) * (1 + definition * fitOf(role)) * asDocument * asTest * roleWorth[role.type];
}

/** A term that is not a name in the code is explained in prose. */
const ofConcepts = 1.1;

/** Names and numbers without prose, and declarations without a body. */
const lesserFile = /\.(?:json|lock|csv|xml|svg|map|snap|d\.[cm]?ts)$/i;
const ofLesser = 0.5;

function fitOf(role: Role): number {
  return role.type === "definition" ? role.fit : 0;
}

/** Documents say how to do something and why; a definition says what something is. */
const worth: Readonly<Record<Question["wants"], { definition: number; document: number; test: number }>> = {
  usage: { definition: 0.4, document: 1.3, test: 0.7 },
  callers: { definition: 0.6, document: 0.6, test: 0.6 },
  listing: { definition: 0.4, document: 1.2, test: 0.4 },
  message: { definition: 0, document: 0.8, test: 0.4 },
  reason: { definition: 0.4, document: 1.3, test: 0.4 },
  any: { definition: 0.6, document: 1.15, test: 0.4 },
  definition: { definition: 0.8, document: 0.7, test: 0.4 },
};
/** Where a function is too short to say much, its callers say it. */
const placeOfCallers: Partial<Record<Question["wants"], number>> = { any: 1.05 };
const roleWorth: Readonly<Record<Role["type"], number>> = { definition: 1, caller: 1, message: 1.5, mention: 0.9 };

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
