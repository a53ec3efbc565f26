import { type ChildProcess, spawn } from "node:child_process";
import { on } from "node:events";
import { fileURLToPath } from "node:url";
import type { Snapshot } from "../../resources/snapshot.ts";
import type { WalkedFile } from "../../resources/walk.ts";
import type { IndexFiles } from "./index-files.ts";
import { addPart, IndexedPart, type IndexRequest } from "./index-job.ts";
import type { IndexPlan } from "./index-plan.ts";

export interface IndexProcessOptions {
  /** Where indexes are kept: what is made is written there. */
  directory: string;
  /** Of the process. */
  environment: Readonly<Record<string, string | undefined>>;
  /** For what is small or lies nowhere, and where the process fails. */
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

/** Of 20,000 in one message, the C library keeps some megabytes. */
const filesAtOnce = 1000;

interface Running {
  process: ChildProcess;
  jobs: number;
  /** Of the largest job so far. */
  largestBytes: number;
  resting: NodeJS.Timeout | undefined;
}

/**
 * Indexes files where they lie in a process of its own, which takes all that it needed with it when it ends: soon, when
 * there is nothing more to do. `file` is the module of `index-worker.ts`.
 */
export function createIndexProcess(file: URL, { directory, environment, indexHere }: IndexProcessOptions): IndexFiles {
  let running: Running | undefined;
  let lastJob = 0;

  return async (snapshot, plan, options) => {
    options.signal.throwIfAborted();
    const files = filesOnDisk(snapshot, plan);
    const sizeBytes = files?.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) ?? 0;
    if (files === undefined || sizeBytes < smallBytes) return indexHere(snapshot, plan, options);
    try {
      const tree = { root: snapshot.tree?.root ?? "", files, sizeBytes };
      await indexThere(tree, plan, options);
    } catch {
      options.signal.throwIfAborted();
      const known = [...new Set([...plan.segments, ...options.known])];
      await indexHere(snapshot, plan, { ...options, known });
    }
  };

  async function indexThere(
    { root, files, sizeBytes }: { root: string; files: readonly WalkedFile[]; sizeBytes: number },
    plan: IndexPlan,
    { known, onSegment, signal }: Parameters<IndexFiles>[2],
  ): Promise<void> {
    const own = (running ??= start());
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

  function start(): Running {
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
    return started;
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
    if (running === own) running = undefined;
    own.process.kill("SIGKILL");
  }
}

/** Those that are not in the plan yet; undefined where they are no files on disk. */
function filesOnDisk({ files, tree }: Snapshot, plan: IndexPlan): WalkedFile[] | undefined {
  return tree && files.flatMap(({ path }) => (plan.places.has(path) ? [] : (tree.fileOf(path) ?? [])));
}
