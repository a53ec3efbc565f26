import type { App } from "../../server/app.ts";
import { CitewellError } from "../../server/errors.ts";
import type { ThreadSummary } from "../../server/protocol/threads.ts";

type Threads = Pick<App, "listThreads">;

/** Anything shorter is probably a typing error, or a number beyond the end of the list. */
const shortestStart = 4;

/**
 * Finds a thread by its id, or by an unambiguous prefix of at least 4 characters.
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
