import * as z from "zod";
import type { HistoryReply } from "../../protocol/git-history.ts";
import type { Snapshot } from "../../resources/snapshot.ts";
import { defineTool, type ToolContext } from "./define.ts";
import { noteShown } from "./history.ts";
import { chooseSnapshots } from "./locate.ts";

/** What happened to code, as a question says it. */
export const AskedChange = z.object({
  event: z
    .enum(["added", "removed", "renamed", "changed", "reverted", "last", "reason"])
    .describe("`last`: changed last; `reason`: what gave lines their present form."),
  place: z.string().optional().describe("A path, or a path with lines; perhaps one that is gone."),
  text: z.string().optional().describe("A name, an option or a text that the code has or had."),
  words: z.array(z.string()).max(12).default([]).describe("Words of the subject, as prose."),
  values: z.array(z.string()).max(2).default([]).describe("The value before, and after."),
  since: z.string().optional(),
  until: z.string().optional(),
});
export type AskedChange = z.infer<typeof AskedChange>;

/** Finds the commits that a question about a change means, the likeliest first. */
export type FindChanges = (
  snapshot: Snapshot,
  asked: AskedChange,
  options: { signal: AbortSignal | undefined },
) => Promise<HistoryReply>;

const inputSchema = AskedChange.extend({ resource: z.string().optional() });

/** The commits that a question about history means; only the built-in provider has it. */
export function changesTool({ snapshots, ledger }: Pick<ToolContext, "snapshots" | "ledger">, find: FindChanges) {
  return defineTool({
    name: "changes",
    description: "Find the commit that added, removed, renamed or changed something.",
    inputSchema,
    async run({ resource, ...asked }, { signal }) {
      const chosen = chooseSnapshots(snapshots, resource);
      const [snapshot = chosen[0]] = chosen.filter(({ info: { type } }) => type === "git" || type === "local");
      if (snapshot === undefined) return { text: "", metadata: {} };
      const history = await find(snapshot, asked, { signal });
      noteShown(history, ledger);
      return { text: JSON.stringify(history), data: { history }, metadata: { commits: history.total } };
    },
  });
}
