import { fromThread } from "../../client/conversation.ts";
import { type RecheckedCitation, stillHolds, type ThreadSummary } from "../../server/protocol/threads.ts";
import { openPicker, updateItems } from "./pick.ts";
import { background, notify, type PickerItem, type Tui } from "./tui-context.ts";

/** Threads whose citations are checked while the list is open; each check reads the cited files. */
const checkedThreads = 8;

/** Lets the user pick an earlier conversation. The list shows whether the lines that it cites are still there. */
export async function resumeThread(tui: Tui): Promise<void> {
  const { threads } = tui.app;
  if (threads === undefined) return notify(tui, "the conversations of a server elsewhere cannot be resumed", "warning");
  const { threads: listed } = await threads.listThreads({});
  if (listed.length === 0) return notify(tui, "there is no earlier conversation");
  const states = new Map<string, string>();
  const itemsNow = () => listed.map((thread) => toItem(thread, states.get(thread.id) ?? ""));
  openPicker(tui, "resume", itemsNow());
  const { picker } = tui;
  const leaving = new AbortController();
  background(tui, showStates());

  async function showStates(): Promise<void> {
    for (const { id } of listed.slice(0, checkedThreads)) {
      const checked = await threads?.recheckThread({ id }, { signal: leaving.signal }).catch(() => undefined);
      if (tui.picker?.title !== picker?.title) return;
      if (checked !== undefined) states.set(id, describeState(checked.citations));
      updateItems(tui, itemsNow());
      tui.repaint();
    }
  }

  function toItem({ id, title, updatedAt, resources }: ThreadSummary, state: string): PickerItem {
    return {
      label: title,
      detail: [updatedAt.slice(0, 10), resources.join(", "), state].filter((part) => part !== "").join("  "),
      async choose() {
        leaving.abort();
        if (threads === undefined) return;
        tui.session.show(fromThread(await threads.getThread({ id })));
        tui.state = { ...tui.state, source: undefined, anchor: undefined };
      },
    };
  }
}

/** `3 of 4 citations still hold`; empty without citations. */
function describeState(citations: readonly RecheckedCitation[]): string {
  if (citations.length === 0) return "";
  const holding = citations.filter(stillHolds).length;
  if (holding === citations.length) return "all citations still hold";
  return `${holding} of ${citations.length} citations still hold`;
}
