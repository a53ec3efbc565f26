import { randomBytes } from "node:crypto";
import { CitewellError } from "../../../errors.ts";
import type { ChangedFile, Hunk } from "../../../protocol/git-history.ts";
import { partDecoder } from "../../../source/source-text.ts";
import type { HistoryRepository } from "./history-repository.ts";

/** A commit as git prints it, with what it changes of what was asked for. */
export interface LoggedCommit {
  id: string;
  shortId: string;
  /** The id of its first parent, whose lines are removed. */
  parent: string | undefined;
  /** The author's ISO day, or `undated`. */
  date: string;
  author: string;
  /** The whole message. */
  message: string;
  files: ChangedFile[];
}

export interface LogOptions {
  signal: AbortSignal;
  timeMs: number;
  paths?: readonly string[] | undefined;
}

/** The commits that were read, and why there may be more. */
export interface Log {
  commits: LoggedCommit[];
  cut?: string | undefined;
}

/** More changes than anyone reads: git is stopped, and what it has printed is used. */
const outputBytes = 16 * 1024 * 1024;

/**
 * Runs `git log` with these arguments, and reads commits with their changes. When the time or the limit of its output is
 * over, the commits so far are the result.
 * @throws RepositoryFailed (git refuses the arguments), ToolMissing, and what fetching contents throws
 */
export async function readLog(
  repository: Pick<HistoryRepository, "run">,
  args: readonly string[],
  { signal, timeMs, paths }: LogOptions,
): Promise<Log> {
  // No file and no message contains it.
  const mark = randomBytes(16).toString("hex");
  const full = new AbortController();
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  const onRepeat = () => {
    chunks = [];
    bytes = 0;
  };
  const onOutput = (chunk: Uint8Array) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > outputBytes) full.abort(new CitewellError("RepositoryFailed", "too much output"));
  };
  const read = (cut?: string): Log => ({ commits: parseLog(Buffer.concat(chunks).toString("latin1"), mark), cut });
  const format = `--format=${mark}%n%H%n%h%n%P%n%as%n%an%n%B${mark}`;
  const fixed = ["--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", "-M"];
  try {
    const { code, stderr } = await repository.run(["log", format, ...fixed, ...args], {
      signal: AbortSignal.any([signal, full.signal]),
      timeMs,
      paths,
      onOutput,
      onRepeat,
    });
    if (code !== 0) throw logFailure(stderr);
    return read();
  } catch (error) {
    signal.throwIfAborted();
    if (full.signal.aborted) return read("the changes are too large to look at all of them");
    const isLate = error instanceof CitewellError && error.tag === "RepositoryTimeout" && bytes > 0;
    const isSlow = error instanceof CitewellError && /timed out after|got no answer/.test(error.message);
    if (!isLate && !isSlow) throw error;
    return read(`the search was stopped after ${Math.round(timeMs / 1000)} s; older commits were not looked at`);
  }
}

function logFailure(errorOutput: string): CitewellError {
  const cause = new Error(errorOutput.trim());
  const said = /^(?:fatal|error): (.*)$/m.exec(errorOutput)?.[1] ?? "no reason given";
  const isRequest = /has only \d+ lines?|no path .* in the commit|regex|unknown revision|bad revision/i.test(said);
  return new CitewellError(isRequest ? "InvalidRequest" : "RepositoryFailed", `git log: ${said}`, { cause });
}

/** Reads output whose characters are bytes: a repository may mix encodings. */
function parseLog(output: string, mark: string): LoggedCommit[] {
  const parts = output.split(mark);
  const commits: LoggedCommit[] = [];
  for (let index = 1; index + 1 < parts.length; index += 2) {
    const [, id = "", shortId = "", parents = "", date = "", author = "", ...message] = (parts[index] ?? "").split(
      "\n",
    );
    commits.push({
      id,
      shortId,
      parent: /^[0-9a-f]+/.exec(parents)?.[0],
      // Git prints the placeholder for a date that it cannot read, such as one before 1970.
      date: date.startsWith("%") ? undated : date,
      author: decodeLine(author),
      message: message.map(decodeLine).join("\n").replaceAll("\r", "").trim(),
      files: parseDiff(parts[index + 1] ?? ""),
    });
  }
  return commits;
}

/** The date of a commit or a tag without one that git can read. */
export const undated = "undated";

/** As a file is decoded, but line by line: UTF-8, else Latin-1, of which each byte is a character. */
function decodeLine(line: string): string {
  return partDecoder(Buffer.from(line, "latin1")).decodePart(0, line.length);
}

/** The changed lines of a diff, whose characters are bytes: https://git-scm.com/docs/git-diff#_generating_patch_text_with_p */
function parseDiff(diff: string): ChangedFile[] {
  const files: ChangedFile[] = [];
  let file: ChangedFile | undefined;
  let [before, after, oldLeft, newLeft] = [0, 0, 0, 0];
  let hunk: Hunk | undefined;
  for (const line of diff.split("\n")) {
    if (oldLeft > 0 || newLeft > 0) {
      const sign = line.slice(0, 1);
      if (sign === "\\") continue;
      if (sign === "-" || sign === "+") {
        hunk ??= { oldStart: before, newStart: after, lines: [] };
        hunk.lines.push(decodeLine(line.replace(/\r$/, "")));
      } else if (hunk !== undefined) {
        file?.hunks.push(hunk);
        hunk = undefined;
      }
      if (sign !== "+") [before, oldLeft] = [before + 1, oldLeft - 1];
      if (sign !== "-") [after, newLeft] = [after + 1, newLeft - 1];
      if (oldLeft > 0 || newLeft > 0 || hunk === undefined) continue;
      file?.hunks.push(hunk);
      hunk = undefined;
      continue;
    }
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (header !== null) {
      const [, oldStart, oldCount = "1", newStart, newCount = "1"] = header;
      [before, oldLeft] = [Number(oldStart), Number(oldCount)];
      [after, newLeft] = [Number(newStart), Number(newCount)];
      continue;
    }
    if (line.startsWith("diff --git ")) {
      file = { path: pathsInHeader(line), change: "changed", hunks: [] };
      files.push(file);
    } else if (file !== undefined) readHeader(line, file);
  }
  return files;
}

/** `diff --git a/x b/x`: both are the same unless the next lines name them. */
function pathsInHeader(line: string): string {
  const rest = line.slice("diff --git ".length);
  return unquote(rest.slice(Math.ceil(rest.length / 2))).replace(/^b\//, "");
}

function readHeader(line: string, file: ChangedFile): void {
  const [, name = "", value = ""] = /^(new file|deleted file|rename from|rename to|---|\+\+\+) ?(.*)$/.exec(line) ?? [];
  switch (name) {
    case "new file":
      file.change = "added";
      break;
    case "deleted file":
      file.change = "removed";
      break;
    case "rename from":
      file.from = unquote(value);
      break;
    case "rename to":
      file.path = unquote(value);
      break;
    case "---":
    case "+++": {
      const path = unquote(value.replace(/\t$/, ""));
      if (path === "/dev/null") {
        // `-L` prints no other line for it.
        if (name === "---") file.change = "added";
        else file.change = "removed";
      } else file.path = path.replace(/^[ab]\//, "");
    }
  }
}

/** A path as the system has it: bytes that are no UTF-8 become U+FFFD, as in a snapshot. With quotes or control characters is quoted as in C: https://git-scm.com/docs/git-config#Documentation/git-config.txt-corequotePath */
function unquote(text: string): string {
  if (!/^".*"$/.test(text)) return Buffer.from(text, "latin1").toString();
  const bytes: number[] = [];
  for (const [whole, escape = "", octal] of text.slice(1, -1).matchAll(/\\(?:([^0-7])|([0-7]{3}))|[^\\]/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push((escapes[escape] ?? (escape || whole)).charCodeAt(0));
  }
  return Buffer.from(bytes).toString();
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };
