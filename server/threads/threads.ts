import { randomBytes } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { CitewellError, messageOf } from "../errors.ts";
import { acquireLock } from "../lib/lock.ts";
import type { Citation } from "../protocol/citation.ts";
import { threadTitle } from "../protocol/thread-title.ts";
import type { Thread, ThreadSummary, ThreadTurn } from "../protocol/threads.ts";
import { afterCollection, type CitedFile, type CitedLimits, createCitedFiles } from "./cited-files.ts";
import { listFiles } from "./list-files.ts";
import { readTurns, writeTurn } from "./thread-file.ts";

/**
 * Stored conversations, for the operations: they append the turns of a question that asks for it, and read earlier
 * ones as history.
 *
 * It keeps the text that citations point to, by content hash, so that they open after the resource has moved on. It
 * does not judge whether they still hold: `recheckThread` does. Decision 5 has the format and its limits.
 */
export interface ThreadStore {
  /** All threads, the most recently used first. */
  list(): Promise<ThreadSummary[]>;
  /** @throws ThreadNotFound */
  read(id: string): Promise<Thread>;
  /**
   * Stores a turn and the files that it cites. It replaces turns asked at `replacesSince` or later; the oldest turns, threads
   * and files beyond the limits are removed.
   * @throws ThreadNotFound (unless it `isFirst`), LockTimeout, StorageFailed
   */
  append(
    id: string,
    turn: ThreadTurn,
    options: { files: readonly CitedFile[]; isFirst: boolean; replacesSince?: string | undefined },
  ): Promise<void>;
  /** @throws ThreadNotFound, LockTimeout, StorageFailed */
  remove(id: string): Promise<void>;
  /** The text of a cited file by its hash, if still stored. */
  readCited(hash: string): Promise<string | undefined>;
  /** The text of a cited file by resource, path and revision, if still stored. */
  findCited(file: Pick<Citation, "resource" | "path" | "revision">): Promise<string | undefined>;
}

/** Limits of the store. */
export interface ThreadLimits {
  /** Limits per thread. */
  turns: number;
  threadBytes: number;
  /** Limits for all threads. */
  threads: number;
  totalBytes: number;
  cited: CitedLimits;
}

/** An answer with its citations has about 10 kB, so that threads rarely lose turns. */
const defaultLimits: ThreadLimits = {
  turns: 200,
  threadBytes: 4_000_000,
  threads: 200,
  totalBytes: 50_000_000,
  cited: { fileBytes: 2_000_000, totalBytes: 200_000_000 },
};

/** Longer than the lock of a killed writer stays valid (`lib/lock.ts`). */
const lockWaitMs = 8000;

const idForm = /^[0-9a-f]{12}$/;

/** Creates a random thread id: 12 hexadecimal digits. */
export function newThreadId(): string {
  return randomBytes(6).toString("hex");
}

/**
 * Creates a thread store in a data directory: one JSON Lines file per thread in `threads/`, cited files in `cited/`.
 * Several processes may use it concurrently.
 */
export function createThreadStore({
  dataDirectory,
  limits = defaultLimits,
}: {
  dataDirectory: string;
  limits?: ThreadLimits;
}): ThreadStore {
  const directory = path.join(dataDirectory, "threads");
  const cited = createCitedFiles(path.join(dataDirectory, "cited"), limits.cited);
  const fileOf = (id: string) => {
    // Ids come from clients: only valid ones may become paths.
    if (!idForm.test(id)) throw notFound(id);
    return path.join(directory, `${id}.jsonl`);
  };

  return {
    async list() {
      const files = await listThreadFiles(directory);
      const threads = await Promise.all(files.map(async ({ id }) => toThread(id, (await readTurns(fileOf(id))) ?? [])));
      return threads
        .filter((thread) => thread !== undefined)
        .map(summarize)
        .toSorted((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt));
    },
    async read(id) {
      const thread = toThread(id, (await readTurns(fileOf(id))) ?? []);
      if (thread === undefined) throw notFound(id);
      return thread;
    },
    async append(id, turn, { files, isFirst, replacesSince }) {
      const file = fileOf(id);
      await locked(async () => {
        const earlier = await readTurns(file);
        if (earlier === undefined && !isFirst) throw notFound(id);
        const { isFull } = await cited.keep(files);
        await writeTurn(file, turn, {
          earlier: earlier ?? [],
          replacesSince,
          turns: limits.turns,
          bytes: limits.threadBytes,
        });
        const wasPruned = await prune();
        if (isFull || wasPruned) await collect();
      });
    },
    async remove(id) {
      const file = fileOf(id);
      await locked(async () => {
        if ((await readTurns(file)) === undefined) throw notFound(id);
        await rm(file);
        await collect();
      });
    },
    readCited: (hash) => cited.read(hash),
    async findCited({ resource, path, revision }) {
      const newestFirst = (await listThreadFiles(directory)).toReversed();
      for (const { id } of newestFirst) {
        const turns = await readTurns(fileOf(id), { mentioning: [resource, path, revision] });
        for (const hash of (turns ?? []).flatMap((turn) => [...hashesOf(turn, { resource, path, revision })])) {
          const text = await cited.read(hash);
          if (text !== undefined) return text;
        }
      }
      return undefined;
    },
  };

  async function locked(action: () => Promise<void>): Promise<void> {
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await using lock = await acquireLock(path.join(directory, ".lock"), { waitMs: lockWaitMs });
      if (lock === undefined) throw lockTimeout(directory);
      await action();
    } catch (cause) {
      if (cause instanceof CitewellError) throw cause;
      throw new CitewellError("StorageFailed", `cannot write to ${directory}: ${messageOf(cause)}`, {
        hint: "check the folder's permissions and the free space on the disk",
        cause,
      });
    }
  }

  /** Removes the oldest threads beyond the limits. Returns whether any limit was exceeded. */
  async function prune(): Promise<boolean> {
    const files = await listThreadFiles(directory);
    let count = files.length;
    let bytes = files.reduce((total, { sizeBytes }) => total + sizeBytes, 0);
    if (count <= limits.threads && bytes <= limits.totalBytes) return false;
    // Keep the newest: it was just written.
    for (const { id, sizeBytes } of files.slice(0, -1)) {
      if (count <= limits.threads * afterCollection && bytes <= limits.totalBytes * afterCollection) break;
      await rm(fileOf(id), { force: true });
      count--;
      bytes -= sizeBytes;
    }
    return true;
  }

  /** Removes files that no thread cites. */
  async function collect(): Promise<void> {
    const hashes = new Set<string>();
    for (const { id } of await listThreadFiles(directory)) {
      const turns = (await readTurns(fileOf(id))) ?? [];
      for (const { file } of turns.flatMap((turn) => turn.cited)) hashes.add(file);
    }
    await cited.collect(hashes);
  }
}

/** Thread files, oldest first. */
async function listThreadFiles(directory: string): Promise<{ id: string; sizeBytes: number }[]> {
  return (await listFiles(directory)).flatMap(({ name, sizeBytes }) => {
    const id = path.basename(name, ".jsonl");
    return idForm.test(id) && name.endsWith(".jsonl") ? [{ id, sizeBytes }] : [];
  });
}

/** The hashes of a file cited at one revision, normally one. */
function hashesOf(
  { citations, cited }: ThreadTurn,
  { resource, path, revision }: Pick<Citation, "resource" | "path" | "revision">,
): Set<string> {
  const ofFile = citations.filter(
    (citation) => citation.resource === resource && citation.path === path && citation.revision === revision,
  );
  const ids = new Set(ofFile.map(({ id }) => id));
  return new Set(cited.filter(({ citation }) => ids.has(citation)).map(({ file }) => file));
}

/** Undefined without turns. */
function toThread(id: string, turns: ThreadTurn[]): Thread | undefined {
  const [first] = turns;
  const last = turns.at(-1);
  if (first === undefined || last === undefined) return undefined;
  return { id, title: threadTitle(first.question), createdAt: first.askedAt, updatedAt: last.askedAt, turns };
}

function summarize({ turns, ...thread }: Thread): ThreadSummary {
  const resources = new Set(turns.flatMap((turn) => turn.resources));
  const projects = turns.at(-1)?.projects;
  return {
    ...thread,
    turnCount: turns.length,
    resources: [...resources],
    ...(projects === undefined ? {} : { projects }),
  };
}

function notFound(id: string): CitewellError {
  return new CitewellError("ThreadNotFound", `no thread ${JSON.stringify(id)}`, {
    hint: "citewell threads lists them; the oldest are removed when there are too many",
  });
}

function lockTimeout(directory: string): CitewellError {
  return new CitewellError("LockTimeout", `another process has been writing to ${directory} for too long`, {
    hint: `try again when it is done; if there is none, remove ${path.join(directory, ".lock")}`,
  });
}
