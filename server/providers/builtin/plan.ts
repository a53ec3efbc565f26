import { withoutPunctuation } from "../../protocol/mentions.ts";
import { readImports } from "./elsewhere.ts";
import { definitionAt, type Hit } from "./evidence.ts";
import type { Extract } from "./extracts.ts";
import { findCallers } from "./callers.ts";
import {
  type Call,
  literal,
  type Look,
  newCalls,
  queryLengthLimit,
  readLines,
  searchFor,
  type ToolResult,
} from "./look.ts";
import { checkAbsent } from "./known-words.ts";
import { findMembers } from "./member.ts";
import { asksForWay } from "./intent.ts";
import { designNames } from "./project.ts";
import { lookupsOf, ownWords, type Question, shownWord } from "./question.ts";
import { findSpecial, findValue } from "./special-extracts.ts";
import { findFrames } from "./trace.ts";

/** With more resources than this, one search goes over all of them. */
const separateResources = 4;
const passagesEach = 8;
const passagesTogether = 16;
/** Documents are searched separately too, because code easily outranks them although they often explain more. */
const documents = "*.{md,mdx,markdown,rst,adoc,asciidoc,[1-8]}";
const documentsEach = 4;
/** Documents about how a project works. */
const designs = `*{${designNames},ifecycle}*.{md,mdx,rst,adoc}`;
const namesSearched = 2;
const definitionsEach = 4;
/** The number of the best extracts whose surrounding lines are read. */
const extractsRead = 4;
const linesBefore = 80;
const linesAfter = 60;

/** The first look: a search for the question, and what it names. */
export function search(question: Question, resources: readonly string[]): Look {
  const isSeparate = resources.length > 1 && resources.length <= separateResources;
  const named = question.resources.length < resources.length ? question.resources : [];
  const words = question.words.map(({ word }) => shownWord(word)).join(", ") || "an overview";
  return {
    thought: `Looking for ${words}${resources.length === 0 ? "" : ` in ${resources.join(", ")}`}.`,
    calls: [
      ...[...question.paths, ...question.aliases].flatMap(lookupsOf),
      ...findFrames(question),
      ...findMessage(question.message),
      ...question.kinded.slice(0, namesSearched).map((name) => searchFor(name, { limit: definitionsEach })),
      ...findSpecial(question.special),
      ...findValue(question.value),
      ...(question.text === ""
        ? []
        : isSeparate
          ? resources.map((resource) => searchFor(queryFor(resource), { resource, limit: passagesEach }))
          : [
              ...named.map((resource) => searchFor(queryFor(resource), { resource, limit: passagesEach })),
              searchFor(question.text, { limit: resources.length > 1 ? passagesTogether : passagesEach }),
              searchFor(question.text, { glob: documents, limit: documentsEach }),
              ...(asksForWay.test(question.text)
                ? [searchFor(question.text, { glob: designs, limit: documentsEach })]
                : []),
            ]),
      ...findCallers(question),
    ],
  };

  /** Drops the names of other resources that the question names, which would only find mentions of them. */
  function queryFor(resource: string): string {
    const own = new Set(ownWords(resource));
    const others = new Set(question.resources.flatMap(ownWords).filter((word) => !own.has(word)));
    const words = question.text.split(/\s+/).filter((word) => !others.has(withoutPunctuation(word.toLowerCase())));
    return words.join(" ") || question.text;
  }
}

/** Looks for the constant parts of the pasted message: those that have no other part. */
function findMessage(parts: readonly string[]): Call[] {
  if (parts.length === 0) return [];
  const least = parts.filter((part) => !parts.some((other) => other !== part && part.includes(other))).map(literal);
  let pattern = least.join("|");
  while (pattern.length > queryLengthLimit) pattern = pattern.slice(0, pattern.lastIndexOf("|"));
  return [{ tool: "grep", input: { pattern, regex: true, limit: messageLines, contextLines: 2 } }];
}

const messageLines = 100;

/** Searches for each name and each strong word alone, because no passage has all of them. */
export function searchBroadly(question: Question, results: readonly ToolResult[]): Look {
  const { words, names } = question;
  const strong = words.filter(({ isStrong }) => isStrong).slice(0, 3);
  const isSingle = words.length < 2 || strong.length === 0;
  const calls = [
    ...names.slice(0, namesSearched).map(findName),
    ...(isSingle ? [] : strong.map(({ word }) => searchFor(word, { limit: 4 }))),
    ...checkAbsent(question, results),
  ];
  return { thought: "No passage has all of these words. Looking for them one by one.", calls };
}

function findName(pattern: string): Call {
  return { tool: "grep", input: { pattern, wholeWord: true, limit: 20, contextLines: 2 } };
}

/** Looks up names of the question that have no definition yet, and surrounding lines. */
export function lookCloser(
  question: Question,
  { hits, extracts, results }: { hits: readonly Hit[]; extracts: readonly Extract[]; results: readonly ToolResult[] },
): Look {
  const code = hits.map(({ stretch }) => stretch).filter((stretch) => !stretch.isDocument);
  const defined = new Set(code.flatMap(({ definitions }) => definitions.map(({ name }) => name)));
  const fresh = (calls: readonly Call[]) => newCalls(calls, results);
  const missing = question.names.filter((name) => !defined.has(name)).slice(0, namesSearched);
  const places = fresh(missing.map(findName));
  const around = extracts.slice(0, extractsRead).flatMap(readAround);
  const reads = fresh([...findMembers(hits, question), ...around, ...readImports(extracts, question)]);
  const checks = fresh(checkAbsent(question, results));
  const listNames = (calls: readonly Call[]) =>
    calls.map(({ input }) => shownWord(String(input["pattern"] ?? input["query"]))).join(", ");
  const goals = [
    ...(places.length > 0 ? [`where ${listNames(places)} is defined or mentioned`] : []),
    ...(reads.length > 0 ? ["what is around the best lines"] : []),
    ...(checks.length > 0 ? ["whether the other words occur anywhere"] : []),
  ];
  return {
    thought: `Looking at ${goals.join(", and at ")}.`,
    calls: [...places, ...reads, ...checks],
  };
}

/** The missing lines around an extract, up to the start and the end of its definition. */
function readAround({ stretch, pieces }: Extract): Call[] {
  const { resource, path } = stretch;
  const { startLine = 0 } = pieces[0] ?? {};
  const { endLine = 0 } = pieces.at(-1) ?? {};
  const around = definitionAt(stretch, startLine);
  const isIndented = (line: string | undefined) => /^\s+\S/.test(line ?? "");
  const isComment = (line: string | undefined) => /^\s*(?:\*(?!\/)|\/\/|#\s)/.test(line ?? "");
  const first = stretch.lines[startLine - stretch.startLine];
  if (!stretch.isDocument && around === undefined && isComment(stretch.lines.at(-1))) {
    return [readLines({ resource, path }, stretch.endLine + 1, linesAfter)];
  }
  const isTorn = startLine === stretch.startLine && !stretch.isDocument && isComment(first);
  if (stretch.startLine > 1 && (isTorn || (around === undefined && (isIndented(first) || stretch.isDocument)))) {
    const first = Math.max(1, stretch.startLine - linesBefore);
    return [readLines({ resource, path }, first, stretch.startLine - first)];
  }
  const reachesEnd = around === undefined ? endLine === stretch.endLine : around.endLine === stretch.endLine;
  if (reachesEnd && isIndented(stretch.lines.at(-1))) {
    return [readLines({ resource, path }, stretch.endLine + 1, linesAfter)];
  }
  return [];
}
