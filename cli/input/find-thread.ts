import type { App } from "../../server/app.ts";
import { byPlace } from "../../client/thread-place.ts";
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

/** The conversation of this project that was used last. @throws ThreadNotFound */
export async function newestThread(app: Threads): Promise<ThreadSummary> {
  const { threads } = await app.listThreads({});
  const { here, elsewhere } = byPlace(threads);
  const [thread] = here;
  if (thread !== undefined) return thread;
  const [other] = elsewhere;
  if (other === undefined) {
    throw new CitewellError("ThreadNotFound", "there is no thread to continue", {
      hint: 'begin one: citewell ask --thread new -q "…", or citewell without arguments',
    });
  }
  const message = `there is no thread of this project to continue; the last one is about ${other.resources.join(", ")}`;
  throw new CitewellError("ThreadNotFound", message, {
    hint: `continue that one: citewell ask --thread ${other.id} -q "…"`,
  });
}
