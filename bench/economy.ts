import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { rgPath } from "@vscode/ripgrep";
import * as z from "zod";
import { createTools, type Tools } from "../server/agent/tools/tools.ts";
import { createLedger } from "../server/citations/citations.ts";
import { chooseQuestions, openBenchmark, type Question } from "./retrieval-data.ts";
import { createRetrieval } from "../server/retrieval/retrieval.ts";
import { contentWords } from "../server/source/words.ts";

/**
 * What an agent reads until it has seen the lines that answer a question: a fixed policy of at most six calls with the
 * model's tools, and beside it one with ripgrep and reading by lines. A token is four characters.
 */
const { values } = parseArgs({ options: { repos: { type: "string" } } });
const perRepo = 2;
const mostCalls = 6;
const steps = [500, 1000, 2000, 4000, 8000, 16_000];

const Result = z.object({
  text: z.string(),
  data: z
    .object({ passages: z.array(z.object({ path: z.string(), startLine: z.number(), lines: z.array(z.string()) })) })
    .default({ passages: [] }),
});

/** What one call showed. */
interface Shown {
  characters: number;
  lines: readonly { path: string; startLine: number; endLine: number }[];
}

interface Outcome {
  /** Until every line that answers was shown, or of all calls. */
  tokens: number;
  isComplete: boolean;
  /** The tokens until the first file that answers was shown; Infinity if none was. */
  tokensToFile: number;
}

const folder = mkdtempSync(path.join(os.tmpdir(), "citewell-economy-"));
try {
  const { questions, snapshots } = await openBenchmark({ copies: values.repos, folder });
  const retrieval = createRetrieval();
  const outcomes: Record<"ours" | "ripgrep", Outcome[]> = { ours: [], ripgrep: [] };
  for (const question of chooseQuestions(questions, { perRepo })) {
    const snapshot = snapshots.get(question.repo);
    if (snapshot === undefined) throw new Error(`no tree of ${question.repo}`);
    const tools = createTools({ snapshots: [snapshot], retrieval, ledger: createLedger() });
    outcomes.ours.push(await follow(question, askOurs(question, tools)));
    outcomes.ripgrep.push(await follow(question, askRipgrep(question, path.join(folder, question.repo))));
  }
  for (const [name, own] of Object.entries(outcomes)) print(name, own);
} finally {
  rmSync(folder, { recursive: true });
}

/** Search, then what is around the first passage of each file, best first. */
async function* askOurs({ query }: Question, { search, read }: Tools): AsyncGenerator<Shown> {
  const found = await run(search, { query });
  yield found;
  const named = [...found.text.matchAll(/^\[\[[^\s:]+:(\S+)#L(\d+)(?:-L\d+)?\]\] /gm)].map(([, path = "", line]) => ({
    path,
    startLine: Number(line),
  }));
  const all = [...found.lines, ...named];
  const first = all.filter((one, index) => all.findIndex(({ path }) => path === one.path) === index);
  for (const { path, startLine } of first)
    yield await run(read, { path, startLine: Math.max(1, startLine - 60), endLine: startLine + 100 });
}

/** Lines with the longest words of the question, then what is around the densest of them, the best file first. */
async function* askRipgrep({ query }: Question, root: string): AsyncGenerator<Shown> {
  const words = contentWords(query)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, 4);
  const listed = ripgrep(["-n", "-i", "--max-columns", "200", "-e", words.join("|"), "."], root);
  const hits = listed.flatMap((line) => {
    const [, file, number, text] = /^\.\/(.+?):(\d+):(.*)$/.exec(line) ?? [];
    return file === undefined ? [] : [{ path: file, line: Number(number), text: text ?? "" }];
  });
  const shown = hits.slice(0, 60);
  yield {
    characters: listed.slice(0, 60).join("\n").length,
    lines: shown.map(({ path, line }) => ({ path, startLine: line, endLine: line })),
  };
  for (const { path: file, line } of rankFiles(hits, words)) {
    const startLine = Math.max(1, line - 40);
    const lines = readFileSync(path.join(root, file), "utf8")
      .split("\n")
      .slice(startLine - 1, startLine + 159);
    const characters = lines.join("\n").length + 7 * lines.length;
    yield { characters, lines: [{ path: file, startLine, endLine: startLine + lines.length - 1 }] };
  }
}

function ripgrep(args: readonly string[], cwd: string): string[] {
  try {
    return execFileSync(rgPath, args, { cwd, encoding: "utf8", maxBuffer: 1e9 }).split("\n");
  } catch {
    return [];
  }
}

/**
 * The best files: those with the most different words, then with the most hits; code before tests. The line is the
 * densest one's.
 */
function rankFiles(hits: readonly { path: string; line: number; text: string }[], words: readonly string[]) {
  const files = new Map<string, (typeof hits)[number][]>();
  for (const hit of hits) files.set(hit.path, [...(files.get(hit.path) ?? []), hit]);
  const wordsIn = (text: string) => words.filter((word) => text.toLowerCase().includes(word.toLowerCase())).length;
  return [...files]
    .map(([path, own]) => ({
      path,
      score: wordsIn(own.map(({ text }) => text).join("\n")) - (/test|spec|changelog/i.test(path) ? 1.5 : 0),
      count: own.length,
      line: own.toSorted((a, b) => wordsIn(b.text) - wordsIn(a.text))[0]?.line ?? 1,
    }))
    .toSorted((a, b) => b.score - a.score || b.count - a.count)
    .slice(0, mostCalls - 1);
}

async function run(tool: Tools["search"], input: object): Promise<Shown & { text: string }> {
  // The SDK types the input of each tool.
  const execute: unknown = tool.execute;
  const result: unknown =
    typeof execute === "function" ? await execute(input, { toolCallId: "1", messages: [] }) : undefined;
  const { text, data } = Result.parse(result);
  const lines = data.passages.map(({ path, startLine, lines }) => ({
    path,
    startLine,
    endLine: startLine + lines.length - 1,
  }));
  return { text, characters: text.length, lines };
}

/** Goes on until every line that answers was shown. */
async function follow({ relevant }: Question, calls: AsyncIterable<Shown>): Promise<Outcome> {
  const missing = new Map(
    relevant.map(({ path, ranges = [] }) => [
      path,
      new Set(ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index))),
    ]),
  );
  let characters = 0;
  let tokensToFile = Infinity;
  let count = 0;
  for await (const shown of calls) {
    characters += shown.characters;
    for (const { path, startLine, endLine } of shown.lines) {
      const own = missing.get(path);
      if (own !== undefined) tokensToFile = Math.min(tokensToFile, characters / 4);
      for (let line = startLine; line <= endLine; line++) own?.delete(line);
    }
    const isComplete = [...missing.values()].every(({ size }) => size === 0);
    if (isComplete || ++count === mostCalls) return { tokens: characters / 4, isComplete, tokensToFile };
  }
  return { tokens: characters / 4, isComplete: false, tokensToFile };
}

function print(name: string, outcomes: readonly Outcome[]): void {
  const mean = outcomes.reduce((sum, { tokens }) => sum + tokens, 0) / outcomes.length;
  const complete = outcomes.filter(({ isComplete }) => isComplete);
  const meanComplete = complete.reduce((sum, { tokens }) => sum + tokens, 0) / complete.length;
  const share = (count: number) => `${((100 * count) / outcomes.length).toFixed(0)} %`;
  const curve = steps.map((limit) => {
    return `${limit}: ${share(outcomes.filter(({ tokensToFile }) => tokensToFile <= limit).length)}`;
  });
  console.log(
    `economy: ${name}: ${mean.toFixed(0)} tokens a question; every line of ${share(complete.length)} of ${outcomes.length}, in ${meanComplete.toFixed(0)}; a file that answers within ${curve.join(", ")} tokens`,
  );
}
