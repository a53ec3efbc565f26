import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { createLocal } from "../server/resources/local/local.ts";
import type { Snapshot } from "../server/resources/snapshot.ts";
import { openHistory, type ReadGit } from "./repositories.ts";

const folder = "bench/retrieval";
const largestFileBytes = 1_000_000;

const Tree = z.strictObject({
  id: z.string(),
  repo: z.string(),
  commit: z.string(),
  licence: z.string(),
  sha256: z.string(),
  questionsSha256: z.string(),
  /** The ranges of lines that are removed, by file. */
  cuts: z.record(z.string(), z.array(z.tuple([z.number(), z.number()]))),
});
type Tree = z.infer<typeof Tree>;

const Entry = z.strictObject({
  id: z.string(),
  repo: z.string(),
  kind: z.string(),
  relevant: z.array(
    z.strictObject({ path: z.string(), ranges: z.array(z.tuple([z.number(), z.number()])).optional() }),
  ),
  query: z.string().optional(),
  from: z.strictObject({ commit: z.string(), path: z.string().optional() }).optional(),
  /** Offset and length in the folded text, or punctuation. */
  pieces: z.array(z.union([z.string(), z.tuple([z.number(), z.number()])])).optional(),
});

/** A question of the benchmark with the lines that answer it, 1-based. */
export type Question = Pick<z.infer<typeof Entry>, "id" | "repo" | "kind" | "relevant"> & { query: string };

/** The repositories of the benchmark, each open at its commit, and the questions about them. */
export interface Benchmark {
  questions: Question[];
  /** The key is the id of the repository. */
  snapshots: Map<string, Snapshot>;
}

/**
 * Fetches the repositories once, and writes each tree to a folder of its own in `folder`.
 * @param copies clones to read in place of GitHub
 * @throws Error (git fails, such as without a network, or a checksum differs)
 */
export async function openBenchmark({
  copies,
  folder: root,
}: {
  copies: string | undefined;
  folder: string;
}): Promise<Benchmark> {
  const entries = readLines("questions.ndjson").map((line) => Entry.parse(line));
  const local = createLocal({ workingDirectory: root, homeDirectory: root });
  const benchmark: Benchmark = { questions: [], snapshots: new Map() };
  for (const tree of readLines("trees.ndjson").map((line) => Tree.parse(line))) {
    const own = entries.filter(({ repo }) => repo === tree.id);
    const commits = own.flatMap(({ from }) => (from === undefined ? [] : [from.commit]));
    const git = openHistory(tree, { commits, copies });
    writeTree(tree, git, path.join(root, tree.id));
    benchmark.snapshots.set(
      tree.id,
      await local.open({ name: tree.id, path: tree.id }, { signal: new AbortController().signal }),
    );
    const questions = own.map((entry) => ({ ...entry, query: entry.query ?? assemble(entry, git) }));
    const sha256 = createHash("sha256");
    for (const { query } of questions) sha256.update(`${query}\n`);
    check(sha256.digest("hex"), tree.questionsSha256, `the questions about ${tree.repo}`);
    benchmark.questions.push(...questions);
  }
  return benchmark;
}

/** `perRepo` questions of three kinds with lines that answer them for each repository, always the same ones. */
export function chooseQuestions(questions: readonly Question[], { perRepo }: { perRepo: number }): Question[] {
  const withLines = questions.filter(({ relevant }) => relevant.every(({ ranges = [] }) => ranges.length > 0));
  const repos = [...new Set(withLines.map(({ repo }) => repo))];
  return repos.flatMap((repo) =>
    ["docfn", "symbol", "localise"].flatMap((kind) => {
      const own = withLines.filter((question) => question.repo === repo && question.kind === kind);
      return Array.from(
        { length: perRepo },
        (_, index) => own[Math.floor(((index + 0.5) * own.length) / perRepo)],
      ).filter((question) => question !== undefined);
    }),
  );
}

function writeTree({ repo, commit, cuts, sha256 }: Tree, git: ReadGit, target: string): void {
  const listed = git(["ls-tree", "-r", "-l", "-z", commit]).toString().split("\0");
  const files = listed.flatMap((line) => {
    const [, mode, id = "", size, name = ""] = /^(\d+) \w+ (\w+) +(\d+|-)\t(.+)$/s.exec(line) ?? [];
    return mode?.startsWith("100") && Number(size) <= largestFileBytes ? [{ id, path: name }] : [];
  });
  const contents = readObjects(
    git,
    files.map(({ id }) => id),
  );
  const kept = files
    .map((file, index) => ({ path: file.path, content: contents[index] ?? Buffer.alloc(0) }))
    .filter(({ content }) => !content.includes(0))
    .map(({ path, content }) => ({ path, content: cut(content, cuts[path] ?? []) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const hash = createHash("sha256");
  for (const { path, content } of kept) hash.update(`${path}\0${content.length}\0`).update(content);
  check(hash.digest("hex"), sha256, `the files of ${repo}`);
  for (const file of kept) {
    const place = path.join(target, file.path);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, file.content);
  }
}

/** The objects in the order of their ids. The reply has `<id> <type> <size>`, the content and a line feed for each. */
function readObjects(git: ReadGit, ids: readonly string[]): Buffer[] {
  const reply = git(["cat-file", "--batch"], ids.join("\n"));
  let start = 0;
  return ids.map((id) => {
    const end = reply.indexOf("\n", start);
    const header = reply.toString("utf8", start, end);
    const size = Number(/^\w+ blob (\d+)$/.exec(header)?.[1] ?? Number.NaN);
    if (Number.isNaN(size)) throw new Error(`git has no file ${id}: ${header}`);
    start = end + 1 + size + 1;
    return reply.subarray(end + 1, end + 1 + size);
  });
}

/** One character is one byte in Latin-1, so the lines come out as they went in. */
function cut(content: Buffer, ranges: readonly (readonly [number, number])[]): Buffer {
  if (ranges.length === 0) return content;
  const lines = content.toString("latin1").split("\n");
  const kept = lines.filter((_, index) => !ranges.some(([first, last]) => index + 1 >= first && index + 1 <= last));
  return Buffer.from(kept.join("\n"), "latin1");
}

function assemble({ id, from, pieces = [] }: z.infer<typeof Entry>, git: ReadGit): string {
  if (from === undefined) throw new Error(`question ${id} has no text`);
  const text =
    from.path === undefined
      ? git(["log", "-1", "--format=%B", from.commit]).toString().trim()
      : git(["cat-file", "blob", `${from.commit}:${from.path}`]).toString();
  const folded = text.replaceAll(/\n\s*(?:\*|\/\/[/!]?|#+)?\s*/g, " ").replaceAll(/\s+/g, " ");
  return pieces
    .map((piece) => (typeof piece === "string" ? piece : folded.slice(piece[0], piece[0] + piece[1])))
    .join("");
}

function check(actual: string, expected: string, what: string): void {
  if (actual !== expected) throw new Error(`${what} have the SHA-256 ${actual}, expected ${expected}`);
}

function readLines(name: string): unknown[] {
  return readFileSync(path.resolve(folder, name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
}
