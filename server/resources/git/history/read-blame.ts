import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { CitewellError } from "../../../errors.ts";
import type { LineRange } from "../../../protocol/citation.ts";
import type { HistoryRepository } from "./history-repository.ts";

/** Consecutive lines that one commit changed last. */
export interface BlamedLines extends LineRange {
  commit: string;
}

export interface BlameOptions {
  revision: string;
  path: string;
  range?: LineRange | undefined;
  timeMs: number;
  signal: AbortSignal;
}

/**
 * Which commit last changed each line of a file at a revision. White space, moves and copies are seen through (copies
 * only where the contents of other files are at hand), and the commits of `.git-blame-ignore-revs`, if the repository has
 * that file.
 * @throws InvalidRequest (no such lines), RepositoryTimeout, RepositoryFailed, ToolMissing
 */
export async function readBlame(
  repository: Pick<HistoryRepository, "run" | "isPartial">,
  { revision, path: file, range, timeMs, signal }: BlameOptions,
): Promise<BlamedLines[]> {
  const ignored = await readIgnored(repository, { revision, timeMs, signal });
  const folder = ignored.length === 0 ? undefined : await mkdtemp(path.join(os.tmpdir(), "citewell-blame-"));
  try {
    const ignoreFile = folder === undefined ? undefined : path.join(folder, "revisions");
    if (ignoreFile !== undefined) await writeFile(ignoreFile, `${ignored.join("\n")}\n`);
    const args = [
      "blame",
      "--porcelain",
      // It would run programs of the repository, also for what is checked out.
      "--no-textconv",
      "-w",
      "-M",
      ...(repository.isPartial ? [] : ["-C"]),
      // Drops the list of the repository's configuration.
      "--ignore-revs-file=",
      ...(ignoreFile === undefined ? [] : [`--ignore-revs-file=${ignoreFile}`]),
      ...(range === undefined ? [] : ["-L", `${range.startLine},${range.endLine}`]),
      revision,
      "--",
      file,
    ];
    const { code, stdout, stderr } = await repository.run(args, { signal, timeMs, paths: [file] });
    if (code === 0) return parseBlame(stdout);
    const said = /^(?:fatal|error): (.*)$/m.exec(stderr)?.[1] ?? "no reason given";
    const isRequest = /has only \d+ lines?|no such path/.test(said);
    throw new CitewellError(isRequest ? "InvalidRequest" : "RepositoryFailed", `git blame: ${said}`);
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

const ignoreRevisions = ".git-blame-ignore-revs";

/** Ids of commits in the file; git refuses the whole file for any other line. */
export async function readIgnored(
  repository: Pick<HistoryRepository, "run">,
  { revision, timeMs, signal }: Pick<BlameOptions, "revision" | "timeMs" | "signal">,
): Promise<string[]> {
  const paths = [ignoreRevisions];
  const { code, stdout } = await repository.run(["cat-file", "blob", `${revision}:${ignoreRevisions}`], {
    signal,
    timeMs,
    paths,
  });
  return code === 0 ? (stdout.match(/^[0-9a-f]{40}(?:[0-9a-f]{24})?(?=\s|$)/gm) ?? []) : [];
}

/** https://git-scm.com/docs/git-blame#_the_porcelain_format */
function parseBlame(output: string): BlamedLines[] {
  const groups: BlamedLines[] = [];
  for (const line of output.split("\n")) {
    const [, commit = "", number] = /^([0-9a-f]{40}|[0-9a-f]{64}) \d+ (\d+)/.exec(line) ?? [];
    if (number === undefined) continue;
    const startLine = Number(number);
    const last = groups.at(-1);
    if (last?.commit === commit && last.endLine === startLine - 1) last.endLine = startLine;
    else groups.push({ commit, startLine, endLine: startLine });
  }
  return groups;
}
