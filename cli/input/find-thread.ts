import type { App } from "../../server/app.ts";
import { CitewellError } from "../../server/errors.ts";
import type { ThreadSummary } from "../../server/protocol/threads.ts";

type Threads = Pick<App, "listThreads">;

/** Fewer characters are a typing error, or a number that the list of threads does not have. */
const shortestStart = 4;

/**
 * The thread that a person means: by its id, or by at least the first 4 characters of it, where only one begins so.
 * @throws ThreadNotFound, InvalidUsage (several begin so)
 */
export async function findThread(app: Threads, text: string): Promise<ThreadSummary> {
  const { threads } = await app.listThreads({});
  const found = threads.filter(({ id }) => text.length >= shortestStart && id.startsWith(text));
  const [thread] = found;
  if (thread === undefined) {
    throw new CitewellError("ThreadNotFound", `no thread ${JSON.stringify(text)}`, { hint: "run: citewell threads" });
  }
  if (found.length === 1) return thread;
  throw new CitewellError("InvalidUsage", `${found.length} threads begin with ${JSON.stringify(text)}`, {
    hint: "run: citewell threads",
  });
}

/** @throws ThreadNotFound */
export async function newestThread(app: Threads): Promise<ThreadSummary> {
  const [thread] = (await app.listThreads({})).threads;
  if (thread !== undefined) return thread;
  throw new CitewellError("ThreadNotFound", "there is no thread to continue", {
    hint: 'begin one: citewell ask --thread new -q "…", or citewell without arguments',
  });
}
