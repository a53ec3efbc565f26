import type { Input, Nothing, Output } from "../protocol/operations.ts";
import type { Thread } from "../protocol/threads.ts";
import { withCitedLines } from "../threads/cited-lines.ts";
import type { Context } from "./context.ts";
import { knownTo } from "./known-resources.ts";
import { isThreadHere, placeOf } from "./thread-place.ts";

/** The stored conversations, the one used last first. */
export async function listThreads(_input: Nothing, { tenant }: Context): Promise<Output<"listThreads">> {
  const known = await knownTo(tenant);
  const threads = await tenant.threads.list();
  return { threads: threads.map((thread) => ({ ...thread, isHere: isThreadHere(thread, known) })) };
}

/** @throws ThreadNotFound */
export async function getThread({ id }: Input<"getThread">, { tenant }: Context): Promise<Thread> {
  const known = await knownTo(tenant);
  const thread = await withCitedLines(await tenant.threads.read(id), tenant.threads);
  return { ...thread, isHere: placeOf(thread.turns, known).isHere };
}

/** @throws ThreadNotFound, LockTimeout, StorageFailed */
export async function deleteThread(
  { id }: Input<"deleteThread">,
  { tenant }: Context,
): Promise<Output<"deleteThread">> {
  await tenant.threads.remove(id);
  return { success: true, id };
}
