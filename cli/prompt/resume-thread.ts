import { fromThread } from "../../client/conversation.ts";
import { byPlace } from "../../client/thread-place.ts";
import { type RecheckedCitation, stillHolds, type ThreadSummary } from "../../server/protocol/threads.ts";
import { findThread } from "../input/find-thread.ts";
import { choose, type PickerItem, type PromptContext } from "./prompt-context.ts";

/** Threads whose citations are checked while the list is open; each check reads the cited files. */
const checkedThreads = 8;

/**
 * Lists earlier conversations, this project's first, and shows the one that is chosen: in the list, by its number in it
 * or by the start of its id. While the list is open, it shows whether the lines that a conversation cites are still there.
 */
export async function resumeThread(context: PromptContext, argument: string): Promise<void> {
  const { threads } = context.app;
  if (threads === undefined) return context.notify(cannotResume, "warning");
  const show = async (id: string) => context.session.show(fromThread(await threads.getThread({ id })));
  const { here, elsewhere } = byPlace((await threads.listThreads({})).threads);
  const listed = [...here, ...elsewhere];
  const isNumber = /^\d{1,3}$/.test(argument);
  if (argument !== "" && !isNumber) return show((await findThread(threads, argument)).id);
  if (listed.length === 0) return context.notify("there is no earlier conversation");
  const states = new Map<string, string>();
  const itemsNow = () => listed.map((thread) => toItem(thread, { show, state: states.get(thread.id) ?? "" }));
  if (isNumber) return choose(context, { title: "resume", items: itemsNow(), numbers: argument });
  const update = context.pick("resume", itemsNow());
  if (update === undefined) return;
  for (const { id } of listed.slice(0, checkedThreads)) {
    const checked = await threads.recheckThread({ id }).catch(() => undefined);
    if (checked !== undefined) states.set(id, describeState(checked.citations));
    if (!update(itemsNow())) return;
  }
}

/** Where the application is a server elsewhere, which keeps no conversations of this computer. */
export const cannotResume = "the conversations of a server elsewhere cannot be resumed";

function toItem(
  { id, title, updatedAt, resources, isHere }: ThreadSummary,
  { show, state }: { show: (id: string) => Promise<void>; state: string },
): PickerItem {
  return {
    label: title,
    detail: [updatedAt.slice(0, 10), isHere === false ? "another project:" : "", resources.join(", "), state]
      .filter((part) => part !== "")
      .join("  "),
    choose: () => show(id),
  };
}

/** `3 of 4 citations still hold`; empty without citations. Nothing is said of those that could not be looked at. */
function describeState(citations: readonly RecheckedCitation[]): string {
  if (citations.length === 0) return "";
  const checked = citations.filter(({ state }) => state !== "unknown");
  if (checked.length === 0) return "not here, so not checked";
  const holding = checked.filter(stillHolds).length;
  const missing = citations.length - checked.length;
  const note = missing === 0 ? "" : `, ${missing} not checked`;
  if (holding === checked.length) return `${missing === 0 ? "all" : holding} citations still hold${note}`;
  return `${holding} of ${checked.length} citations still hold${note}`;
}
