import { CitewellError } from "../../../errors.ts";
import type { SnapshotInfo } from "../../../protocol/ask.ts";
import type { LineRange } from "../../../protocol/citation.ts";
import { quoteValue } from "../../../protocol/validation.ts";
import { withoutAddresses } from "../../../source/addresses.ts";
import { maskText } from "../../../source/mask.ts";
import { decodeSource } from "../../../source/source-text.ts";
import { fileSizeLimitBytes, type SkippedFile, type Snapshot } from "../../snapshot.ts";
import { commitLinkOf, permalinkOf } from "../permalink.ts";
import type { HistoryRepository } from "./history-repository.ts";
import { readLog, undated } from "./read-log.ts";

/** What a snapshot of a commit is of. */
export interface CommitSnapshotSpec extends Pick<SnapshotInfo, "resource" | "type"> {
  /** The full id. */
  commit: string;
  /** The repository's URL, for permanent links. */
  url?: string | undefined;
  /** Without its files, it is the message alone. */
  withFiles: boolean;
}

const readMs = 30_000;

/**
 * The files of a commit, read from a repository that must stay open as long. Its message is `commit`. What is no file of
 * its own (a submodule, a link) is skipped. Disposal closes nothing.
 * @throws RepositoryTimeout, RepositoryFailed, ToolMissing
 */
export async function openCommitSnapshot(
  repository: HistoryRepository,
  { resource, type, commit: id, url, withFiles }: CommitSnapshotSpec,
  { signal }: { signal: AbortSignal },
): Promise<Snapshot> {
  const { commits } = await readLog(repository, ["-s", "--no-walk", id], { signal, timeMs: readMs, paths: [] });
  const [logged] = commits;
  // A part of a repository has other commits' files, and not their messages.
  if (logged === undefined && !withFiles) {
    throw new CitewellError("BranchNotFound", `commit ${id.slice(0, 10)} changes nothing in ${resource}`);
  }
  const { shortId, date } = logged ?? { shortId: id.slice(0, 10), date: undated };
  const message = withoutAddresses(logged?.message ?? "");
  const author = maskText(withoutAddresses(logged?.author ?? ""));
  const subject = maskText(message.split("\n")[0] ?? "");
  const { blobs, skipped } = withFiles
    ? await listFiles(repository, id, { signal })
    : { blobs: new Map<string, string>(), skipped: [] };
  const files = [...blobs.keys()].map((path) => ({ path, sizeBytes: 0 }));
  const label = `${resource} at ${shortId}`;
  const loaded = new Map<string, Uint8Array>();
  const counts = { fileCount: files.length, skippedCount: skipped.length };
  return {
    resource,
    revision: id,
    info: { resource, type, revision: id, label, fetchedAt: null, ...counts },
    commit: { shortId, date, author, subject, message },
    notes: undefined,
    files,
    skipped,
    async read(path, options = {}) {
      const blob = blobs.get(path);
      if (blob === undefined) {
        throw new CitewellError("FileNotFound", `${resource} has no file ${quoteValue(path)} at ${shortId}`);
      }
      const bytes = loaded.get(blob) ?? (await readContents(repository, blob, { signal: options.signal ?? signal }));
      const source = bytes === undefined ? undefined : decodeSource(path, bytes);
      if (source !== undefined) return source;
      const reason = bytes === undefined ? `larger than ${fileSizeLimitBytes / 1024 ** 2} MB` : "binary";
      throw new CitewellError("FileNotReadable", `${path} at ${shortId} is ${reason}`);
    },
    async preload(paths, options) {
      const wanted = new Set(paths.flatMap((path) => blobs.get(path) ?? []));
      for (const [blob, bytes] of await readBlobs(
        repository,
        [...wanted].filter((id) => !loaded.has(id)),
        options,
      )) {
        loaded.set(blob, bytes);
      }
    },
    contentIdOf: (path) => blobs.get(path),
    stampOf: () => undefined,
    permalink: (path, lines) => linkTo(path, lines),
    pathOnDisk: () => undefined,
    async [Symbol.asyncDispose]() {},
  };

  function linkTo(path: string, lines: LineRange): string | undefined {
    if (url === undefined) return undefined;
    return path === "" ? commitLinkOf(url, id) : permalinkOf(url, id, path, lines);
  }
}

/** The ids of the contents by path, and what is no file. */
async function listFiles(
  repository: HistoryRepository,
  commit: string,
  { signal }: { signal: AbortSignal },
): Promise<{ blobs: Map<string, string>; skipped: SkippedFile[] }> {
  const below = repository.root === "" ? [] : [repository.root];
  const args = ["ls-tree", "-r", "-z", "--full-tree", commit, "--", ...below];
  const { code, stdout, stderr } = await repository.run(args, { signal, timeMs: readMs, paths: [] });
  if (code !== 0) throw new CitewellError("RepositoryFailed", `git ls-tree: ${stderr.trim()}`);
  const blobs = new Map<string, string>();
  const skipped: SkippedFile[] = [];
  for (const entry of stdout.split("\0")) {
    const [, mode = "", blob = "", name = ""] = /^(\d+) \w+ ([0-9a-f]+)\t([^]+)$/.exec(entry) ?? [];
    const path = repository.toResource(name);
    if (name === "" || path.startsWith("../")) continue;
    const reason = notFiles[mode];
    if (reason === undefined) blobs.set(path, blob);
    else skipped.push({ path, reason });
  }
  return { blobs, skipped };
}

/** The modes of what is no file: https://git-scm.com/docs/git-fast-import#_filemodify */
const notFiles: Readonly<Record<string, string>> = { "120000": "a symbolic link", "160000": "a submodule" };

/** The bytes of a file, named by its id or as `revision:path`; undefined if it is too large. @throws RepositoryFailed */
export async function readContents(
  repository: Pick<HistoryRepository, "run">,
  blob: string,
  { signal }: { signal: AbortSignal },
): Promise<Uint8Array | undefined> {
  const full = new AbortController();
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    const { code, stderr } = await repository.run(["cat-file", "blob", blob], {
      signal: AbortSignal.any([signal, full.signal]),
      timeMs: readMs,
      contents: [blob],
      onOutput(chunk) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > fileSizeLimitBytes) full.abort(new CitewellError("FileNotReadable", "too large"));
      },
      onRepeat() {
        chunks = [];
        bytes = 0;
      },
    });
    if (code !== 0) throw new CitewellError("RepositoryFailed", `git cat-file: ${stderr.trim()}`);
    return Buffer.concat(chunks);
  } catch (error) {
    signal.throwIfAborted();
    if (full.signal.aborted) return undefined;
    throw error;
  }
}

/** So many contents are read by one process. */
const blobsInCall = 500;
/** The most bytes that one such process may print. */
const batchBytes = 64 * 1024 * 1024;

/** Many contents by their ids, each up to `fileSizeLimitBytes`; those beyond `batchBytes` are left to `readContents`. */
async function readBlobs(
  repository: Pick<HistoryRepository, "run">,
  ids: readonly string[],
  { signal }: { signal: AbortSignal },
): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  for (let start = 0; start < ids.length; start += blobsInCall) {
    const contents = ids.slice(start, start + blobsInCall);
    const full = new AbortController();
    let chunks: Uint8Array[] = [];
    let bytes = 0;
    const running = repository.run(["cat-file", "--batch"], {
      signal: AbortSignal.any([signal, full.signal]),
      timeMs: readMs,
      contents,
      input: contents.map((id) => `${id}\n`).join(""),
      onOutput(chunk) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > batchBytes) full.abort(new CitewellError("FileNotReadable", "too large"));
      },
      onRepeat() {
        chunks = [];
        bytes = 0;
      },
    });
    const { code, stderr } = await running.catch((error: unknown) => {
      signal.throwIfAborted();
      if (!full.signal.aborted) throw error;
      return { code: 0, stderr: "" };
    });
    if (code !== 0) throw new CitewellError("RepositoryFailed", `git cat-file: ${stderr.trim()}`);
    for (const [id, content] of parseBatch(Buffer.concat(chunks))) {
      if (content.length <= fileSizeLimitBytes) found.set(id, content);
    }
  }
  return found;
}

/** https://git-scm.com/docs/git-cat-file#_batch_output: the last content may be cut, and is dropped. */
function* parseBatch(output: Buffer): Generator<[id: string, content: Uint8Array]> {
  for (let at = 0; at < output.length;) {
    const end = output.indexOf("\n", at);
    const [, id, size] = /^([0-9a-f]+) blob (\d+)$/.exec(output.toString("latin1", at, end)) ?? [];
    if (end === -1) return;
    at = end + 1;
    if (id === undefined) continue;
    const last = at + Number(size);
    if (last > output.length) return;
    yield [id, output.subarray(at, last)];
    at = last + 1;
  }
}
