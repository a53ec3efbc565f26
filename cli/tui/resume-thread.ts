import { fromThread } from "../../client/conversation.ts";
import { type RecheckedCitation, stillHolds, type ThreadSummary } from "../../server/protocol/threads.ts";
import type { ConnectedApp } from "../app/open-app.ts";
import { byPlace } from "../../client/thread-place.ts";
import { openPicker, updateItems } from "./pick.ts";
import { background, notify, type PickerItem, type Tui } from "./tui-context.ts";

type Threads = NonNullable<ConnectedApp["threads"]>;

/** Threads whose citations are checked while the list is open; each check reads the cited files. */
const checkedThreads = 8;

/** Lets the user pick an earlier conversation. The list shows whether the lines that it cites are still there. */
export async function resumeThread(tui: Tui): Promise<void> {
  const { threads } = tui.app;
  if (threads === undefined) return notify(tui, "the conversations of a server elsewhere cannot be resumed", "warning");
  const { here, elsewhere } = byPlace((await threads.listThreads({})).threads);
  const listed = [...here, ...elsewhere];
  if (listed.length === 0) return notify(tui, "there is no earlier conversation");
  const states = new Map<string, string>();
  const itemsNow = () => listed.map((thread) => toItem(thread, { tui, threads, state: states.get(thread.id) ?? "" }));
  openPicker(tui, "resume", itemsNow());
  background(tui, showStates(threads));

  async function showStates({ recheckThread }: Threads): Promise<void> {
    let { picker } = tui;
    for (const { id } of listed.slice(0, checkedThreads)) {
      const checked = await recheckThread({ id }).catch(() => undefined);
      // The list was closed, or another one opened.
      if (tui.picker !== picker) return;
      if (checked === undefined) continue;
      states.set(id, describeState(checked.citations));
      updateItems(tui, itemsNow());
      ({ picker } = tui);
      tui.repaint();
    }
  }
}

function toItem(
  { id, title, updatedAt, resources, isHere }: ThreadSummary,
  { tui, threads, state }: { tui: Tui; threads: Threads; state: string },
): PickerItem {
  return {
    label: title,
    detail: [updatedAt.slice(0, 10), isHere === false ? "another project:" : "", resources.join(", "), state]
      .filter((part) => part !== "")
      .join("  "),
    async choose() {
      tui.session.show(fromThread(await threads.getThread({ id })));
      tui.state = { ...tui.state, source: undefined, anchor: undefined };
    },
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
