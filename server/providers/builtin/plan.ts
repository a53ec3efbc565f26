import { withoutPunctuation } from "../../protocol/mentions.ts";
import type { Conversation } from "./conversation.ts";
import type { Hit } from "./evidence.ts";
import { type Extract, namesUsed } from "./extracts.ts";
import { ownWords, type Question, tellWord } from "./question.ts";

/** Tools and inputs as server/agent/tools has them. */
export interface Call {
  tool: "search" | "grep" | "read";
  input: Record<string, string | number | boolean>;
}

/** What to look up next, and why, in words for the reader. */
export interface Plan {
  thought: string;
  calls: Call[];
}

/** With more resources than this, one search goes over all of them. */
const separateResources = 4;
const passagesEach = 8;
const passagesTogether = 16;
/** Documentation explains what code only does, and is easily outranked by it. */
const documents = "*.{md,mdx,markdown,rst,adoc,asciidoc}";
const documentsEach = 4;
const queryLengthLimit = 1000;
const namesSearched = 2;
/** Of so many of the best extracts the surroundings are read. */
const extractsRead = 3;
const linesBefore = 80;
const linesAfter = 60;

/** Search; then look closer at what was found, or search more broadly; undefined when it is time to answer. */
export function planNext(
  { steps, resources }: Conversation,
  { question, hits, extracts }: { question: Question; hits: readonly Hit[]; extracts: readonly Extract[] },
): Plan | undefined {
  if (steps === 0) return search(question, resources);
  if (steps > 1) return undefined;
  return hits.length === 0 ? searchBroadly(question) : lookCloser(question, hits, extracts);
}

function search(question: Question, resources: readonly string[]): Plan {
  const isSeparate = resources.length > 1 && resources.length <= separateResources;
  const words = question.words.map(({ word }) => tellWord(word)).join(", ") || "an overview";
  return {
    thought: `Looking for ${words}${resources.length === 0 ? "" : ` in ${resources.join(", ")}`}.`,
    calls: isSeparate
      ? resources.map((resource) => searchFor(queryFor(resource), { resource, limit: passagesEach }))
      : [
          searchFor(question.text, { limit: resources.length > 1 ? passagesTogether : passagesEach }),
          searchFor(question.text, { glob: documents, limit: documentsEach }),
        ],
  };

  /** The name of another resource would find what only mentions that. */
  function queryFor(resource: string): string {
    const own = new Set(ownWords(resource));
    const others = new Set(resources.flatMap(ownWords).filter((word) => !own.has(word)));
    const words = question.text.split(/\s+/).filter((word) => !others.has(withoutPunctuation(word.toLowerCase())));
    return words.join(" ") || question.text;
  }
}

/** Each word that says something, by itself: one of them may be there where all together are not. */
function searchBroadly({ words }: Question): Plan | undefined {
  const strong = words.filter(({ isStrong }) => isStrong).slice(0, 3);
  if (words.length < 2 || strong.length === 0) return undefined;
  return {
    thought: "Nothing holds all of that; looking for the words one by one.",
    calls: strong.map(({ word }) => searchFor(word, { limit: 4 })),
  };
}

/** Names of the question that were not found defined, names that the best lines use, and what stands around those. */
function lookCloser(question: Question, hits: readonly Hit[], extracts: readonly Extract[]): Plan | undefined {
  const code = hits.map(({ stretch }) => stretch).filter((stretch) => !stretch.isDocument);
  const defined = new Set(code.flatMap(({ definitions }) => definitions.map(({ name }) => name)));
  const missing = question.names.filter((name) => !defined.has(name)).slice(0, namesSearched);
  const used = namesUsed(extracts, question).filter((name) => !defined.has(name));
  const reads = extracts.slice(0, extractsRead).flatMap(readAround);
  const goals = [
    ...(missing.length + used.length > 0 ? [`where ${[...missing, ...used].map(tellWord).join(", ")} stands`] : []),
    ...(reads.length > 0 ? ["what is around the best lines"] : []),
  ];
  if (goals.length === 0) return undefined;
  return {
    thought: `Looking at ${goals.join(", and at ")}.`,
    calls: [
      ...missing.map((pattern): Call => ({ tool: "grep", input: { pattern, wholeWord: true, limit: 20 } })),
      ...used.map((name) => searchFor(name, { limit: 2 })),
      ...distinct(reads),
    ],
  };
}

/** The lines that are missing to know in which definition an extract stands, and where that ends. */
function readAround({ stretch, startLine, lines }: Extract): Call[] {
  const { resource, path } = stretch;
  const around = stretch.definitions.findLast((one) => one.line <= startLine + 1 && one.endLine >= startLine);
  const isIndented = (line: string | undefined) => /^\s+\S/.test(line ?? "");
  if (around === undefined && stretch.startLine > 1 && isIndented(lines[0])) {
    return [
      read({ resource, path, startLine: Math.max(1, stretch.startLine - linesBefore), endLine: stretch.startLine - 1 }),
    ];
  }
  if (around?.endLine === stretch.endLine && isIndented(stretch.lines.at(-1))) {
    return [read({ resource, path, startLine: stretch.endLine + 1, endLine: stretch.endLine + linesAfter })];
  }
  return [];
}

function searchFor(query: string, input: { resource?: string; glob?: string; limit: number }): Call {
  return { tool: "search", input: { query: query.slice(0, queryLengthLimit), ...input } };
}

function read(input: { resource: string; path: string; startLine: number; endLine: number }): Call {
  return { tool: "read", input };
}

function distinct(calls: readonly Call[]): Call[] {
  return [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()];
}
