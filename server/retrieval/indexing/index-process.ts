import { type ChildProcess, spawn } from "node:child_process";
import { on } from "node:events";
import os from "node:os";
import { fileURLToPath } from "node:url";
import type { Snapshot } from "../../resources/snapshot.ts";
import type { WalkedFile } from "../../resources/walk.ts";
import type { IndexFiles, IndexFilesOptions } from "./index-files.ts";
import { addPart, IndexedPart, type IndexRequest } from "./index-job.ts";
import type { IndexPlan } from "./index-plan.ts";

export interface IndexProcessOptions {
  /** The folder of the indexes, to which the results are written. */
  directory: string;
  /** The environment of the process. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Indexes in this process: resources that are small or not on disk, and all of them if the process fails. */
  indexHere: IndexFiles;
}

/** An edit or two are indexed here before a process has started. */
const smallBytes = 128 * 1024;

/** It holds one segment at a time; by itself V8 lets garbage grow with the memory of the machine. */
const flags = ["--max-old-space-size=256", "--max-semi-space-size=4"];

/**
 * What indexed no larger tree than that rests before it ends: trees are added one after the other, and to start and to
 * compile takes longer than to index a small one.
 */
const lightBytes = 16 * 1024 * 1024;
const restMs = 2000;

/** A search that takes longer shares the processor with the indexing. */
const pauseMs = 2000;

/** Of 20,000 in one message, the C library keeps some megabytes. */
const filesAtOnce = 1000;

const priorities = ["usual", "low"] as const;
type Priority = (typeof priorities)[number];

interface Running {
  process: ChildProcess;
  jobs: number;
  /** The size of the largest job so far. */
  largestBytes: number;
  resting: NodeJS.Timeout | undefined;
}

/** Indexing in other processes. */
export interface IndexProcess {
  indexFiles: IndexFiles;
  /** Stops all indexing until the result is disposed, for `pauseMs` at most. */
  pause(): Disposable;
}

/**
 * Indexes files where they lie in a process of its own, which takes all that it needed with it when it ends: soon, when
 * there is nothing more to do. What no search waits for is indexed by another one, at low priority. `file` is the
 * module of `index-worker.ts`.
 */
export function createIndexProcess(
  file: URL,
  { directory, environment, indexHere }: IndexProcessOptions,
): IndexProcess {
  const running: Partial<Record<Priority, Running>> = {};
  let lastJob = 0;
  let pauses = 0;
  let pauseLimit: NodeJS.Timeout | undefined;

  async function indexFiles(...[snapshot, plan, options]: Parameters<IndexFiles>): Promise<void> {
    const { urgent, signal } = options;
    signal.throwIfAborted();
    try {
      if (!urgent.aborted) {
        return await indexAt("low", snapshot, plan, { ...options, signal: AbortSignal.any([signal, urgent]) });
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!urgent.aborted) throw error;
    }
    await indexAt("usual", snapshot, plan, withSegmentsOf(plan, options));
  }

  async function indexAt(priority: Priority, ...[snapshot, plan, options]: Parameters<IndexFiles>): Promise<void> {
    const files = filesOnDisk(snapshot, plan);
    const sizeBytes = files?.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) ?? 0;
    if (files === undefined || sizeBytes < smallBytes) return indexHere(snapshot, plan, options);
    try {
      const tree = { root: snapshot.tree?.root ?? "", files, sizeBytes };
      await indexThere(priority, tree, plan, options);
    } catch {
      options.signal.throwIfAborted();
      await indexHere(snapshot, plan, withSegmentsOf(plan, options));
    }
  }

  async function indexThere(
    priority: Priority,
    { root, files, sizeBytes }: { root: string; files: readonly WalkedFile[]; sizeBytes: number },
    plan: IndexPlan,
    { known, onSegment, signal }: IndexFilesOptions,
  ): Promise<void> {
    const own = (running[priority] ??= start(priority));
    const job = ++lastJob;
    wake(own);
    own.jobs++;
    own.largestBytes = Math.max(own.largestBytes, sizeBytes);
    let isDone = false;
    const tell = (request: IndexRequest) => own.process.send(request);
    try {
      const parts = on(own.process, "message", { signal, close: ["disconnect"] });
      for (let start = 0; start < files.length; start += filesAtOnce)
        tell({ type: "files", job, files: files.slice(start, start + filesAtOnce) });
      tell({ type: "index", job, directory, root, segments: plan.segments, known });
      for await (const [message] of parts) {
        const part = IndexedPart.parse(message);
        if (part.job !== job) continue;
        addPart(plan, files, part);
        isDone = part.isLast;
        if (isDone) return;
        onSegment();
      }
      throw new Error("the process ended before the index was made");
    } finally {
      own.jobs--;
      if (own.jobs > 0 && !isDone) tell({ type: "cancel", job });
      else if (own.jobs === 0 && isDone && own.largestBytes <= lightBytes) rest(own);
      else if (own.jobs === 0) leave(own);
    }
  }

  function start(priority: Priority): Running {
    const child = spawn(process.execPath, [...flags, fileURLToPath(file)], {
      // Our own may be set for a debugger's port.
      env: { ...environment, NODE_OPTIONS: undefined },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      serialization: "advanced",
      windowsHide: true,
    });
    const started: Running = { process: child, jobs: 0, largestBytes: 0, resting: undefined };
    // The waiting caller gets the error.
    child.on("error", () => {});
    child.on("disconnect", () => leave(started));
    if (priority === "low") lowerPriority(child.pid);
    if (pauseLimit !== undefined) child.send({ type: "pause" } satisfies IndexRequest);
    return started;
  }

  function pause(): Disposable {
    pauses++;
    if (pauses === 1) {
      pauseLimit = setTimeout(resume, pauseMs).unref();
      tellAll({ type: "pause" });
    }
    let isOver = false;
    return {
      [Symbol.dispose]() {
        if (isOver) return;
        isOver = true;
        if (--pauses === 0) resume();
      },
    };
  }

  function resume(): void {
    if (pauseLimit === undefined) return;
    clearTimeout(pauseLimit);
    pauseLimit = undefined;
    tellAll({ type: "resume" });
  }

  function tellAll(request: IndexRequest): void {
    for (const { process } of Object.values(running)) if (process.connected) process.send(request);
  }

  /** Lets our own process exit, and the child with it, if nothing else keeps it alive. */
  function rest(own: Running): void {
    own.process.unref();
    own.process.channel?.unref();
    own.resting = setTimeout(() => leave(own), restMs).unref();
  }

  function wake(own: Running): void {
    clearTimeout(own.resting);
    own.process.ref();
    own.process.channel?.ref();
  }

  function leave(own: Running): void {
    for (const priority of priorities) if (running[priority] === own) delete running[priority];
    own.process.kill("SIGKILL");
  }

  return { indexFiles, pause };
}

/** The threads of a process that is just starting inherit its priority. */
function lowerPriority(pid: number | undefined): void {
  try {
    const low = Math.max(os.getPriority(), os.constants.priority.PRIORITY_BELOW_NORMAL);
    if (pid !== undefined) os.setPriority(pid, low);
  } catch {
    // It may have ended.
  }
}

/** Adds the texts that are in the plan already. */
function withSegmentsOf(plan: IndexPlan, options: IndexFilesOptions): IndexFilesOptions {
  return { ...options, known: [...new Set([...plan.segments, ...options.known])] };
}

/** Those that are not in the plan yet; undefined where they are no files on disk. */
function filesOnDisk({ files, tree }: Snapshot, plan: IndexPlan): WalkedFile[] | undefined {
  return tree && files.flatMap(({ path }) => (plan.places.has(path) ? [] : (tree.fileOf(path) ?? [])));
}
