import type { Input, Nothing, Output } from "../protocol/operations.ts";
import type { Thread } from "../protocol/threads.ts";
import { withCitedLines } from "../threads/cited-lines.ts";
import type { Context } from "./context.ts";

/** The stored conversations, the one used last first. */
export async function listThreads(_input: Nothing, { tenant }: Context): Promise<Output<"listThreads">> {
  return { threads: await tenant.threads.list() };
}

/** @throws ThreadNotFound */
export async function getThread({ id }: Input<"getThread">, { tenant: { threads } }: Context): Promise<Thread> {
  return withCitedLines(await threads.read(id), threads);
}

/** @throws ThreadNotFound, LockTimeout, StorageFailed */
export async function deleteThread(
  { id }: Input<"deleteThread">,
  { tenant }: Context,
): Promise<Output<"deleteThread">> {
  await tenant.threads.remove(id);
  return { success: true, id };
}
