import { showInvisibleInLine } from "../../protocol/invisible.ts";
import type { ThreadSummary } from "../../protocol/threads.ts";
import { type Html, html } from "./html.ts";
import { timeOf } from "./time.ts";

/** Questions about all resources have many. */
const namedResources = 3;

/** What a conversation is about, in one line: `2 questions · ky, zod and 12 more · 1 hour ago`. */
export function describeThread({ turnCount, resources, updatedAt }: ThreadSummary): Html {
  const count = turnCount === 1 ? "1 question" : `${turnCount} questions`;
  const names = resources.slice(0, namedResources).map(showInvisibleInLine).join(", ");
  const more = resources.length > namedResources ? ` and ${resources.length - namedResources} more` : "";
  return html`${names === "" ? count : `${count} · ${names}${more}`} · ${timeOf(updatedAt, "")}`;
}
