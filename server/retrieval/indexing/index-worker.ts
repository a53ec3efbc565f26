import { snapshotOf } from "../../resources/tree.ts";
import type { WalkedFile } from "../../resources/walk.ts";
import { createDiskIndexStore, writeSegment } from "../index/index-store.ts";
import { createTextStore } from "../text-store.ts";
import { createFileIndexer } from "./index-files.ts";
import { createPartTaker, type IndexJob, type IndexRequest } from "./index-job.ts";
import { createSegmentMaker } from "./segment-maker.ts";
import { createTermThread } from "./term-thread.ts";

/**
 * A process that reads and indexes files for another one: several jobs in turns. Whatever goes wrong ends it, and the
 * other one goes on without it.
 */
const maker = createSegmentMaker({ terms: createTermThread(new URL("./term-worker.mjs", import.meta.url)) });
const texts = createTextStore({ limit: 0 });
const jobs = new Map<number, Job>();
const pause = createPause();

interface Job {
  files: WalkedFile[];
  leaving: AbortController;
}

process.on("message", (request: IndexRequest) => {
  if (request.type === "pause") return pause.begin();
  if (request.type === "resume") return pause.end();
  if (request.type === "cancel") {
    jobs.get(request.job)?.leaving.abort();
    return;
  }
  const own = jobs.get(request.job) ?? { files: [], leaving: new AbortController() };
  jobs.set(request.job, own);
  if (request.type === "files") own.files.push(...request.files);
  else void run(request, own);
});
// The parent process has exited.
process.on("disconnect", () => process.exit());

async function run({ job, directory, root, segments: ids, known }: IndexJob, { files, leaving }: Job): Promise<void> {
  const info = { resource: root, type: "local", revision: "", label: root, fetchedAt: null } as const;
  const snapshot = snapshotOf(root, { files, skipped: [] }, { info });
  const plan = { segments: [...ids], places: new Map(), skipped: [] };
  const takePart = createPartTaker(job, files, plan);
  // A segment that cannot be written would last no longer than this process.
  const store = {
    ...createDiskIndexStore(directory),
    addSegment: (bytes: Uint8Array) => writeSegment(directory, bytes),
  };
  const indexFiles = createFileIndexer({ store, texts, maker, untilResumed: () => pause.over });
  try {
    const { signal } = leaving;
    const onSegment = () => process.send?.(takePart(false));
    await indexFiles(snapshot, plan, { known, urgent: signal, onSegment, signal });
    process.send?.(takePart(true));
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
  } finally {
    jobs.delete(job);
  }
}

function createPause() {
  let over: Promise<void> | undefined;
  let resume = () => {};
  return {
    /** Undefined if there is no pause. */
    get over() {
      return over;
    },
    begin() {
      over ??= new Promise((resolve) => (resume = resolve));
    },
    end() {
      over = undefined;
      resume();
    },
  };
}
