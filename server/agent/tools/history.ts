import * as z from "zod";
import { type HistoryReply, HistoryRequest, showHistory } from "../../protocol/git-history.ts";
import type { Snapshot } from "../../resources/snapshot.ts";
import { defineTool } from "./define.ts";
import { chooseSnapshots } from "./locate.ts";
import { clamp, note, noteWhen } from "./show.ts";

/** Finds the history of a snapshot of the question. */
export type FindHistory = (
  snapshot: Snapshot,
  request: HistoryRequest,
  options: { signal: AbortSignal | undefined },
) => Promise<HistoryReply>;

const commits = { min: 1, max: 30, usual: 6 };
const diffLines = 8;
/** The limit in characters: about 1,500 tokens, as of a search. */
const room = 6000;

const { place, text, commit, since } = HistoryRequest.shape;

const inputSchema = z.object({
  place,
  text: text.describe("Commits that added or removed this text, perhaps in a place."),
  commit: commit.describe("A commit: message, changes, first release."),
  blame: z.boolean().optional().describe("Which commit last changed each line of the place."),
  since,
  resource: z.string().optional().describe("Its name, if there are several."),
  limit: z.int().optional().describe(`Commits. Default: ${commits.usual}.`),
});

export function historyTool(snapshots: readonly Snapshot[], find: FindHistory) {
  return defineTool({
    name: "history",
    description: "Show the commits that changed a place or a text: since when, why, who, first in which release.",
    inputSchema,
    async run({ resource, limit: given, ...asked }, { signal }) {
      const { value: limit, notes } = clamp("limit", given, commits);
      const chosen = chooseSnapshots(snapshots, resource);
      const own = chosen.filter(({ info: { type } }) => type === "git" || type === "local");
      const [snapshot, another] = own.length === 0 ? chosen : own;
      if (snapshot === undefined) return { text: note("no resource is open"), metadata: {} };
      const reply = await find(snapshot, HistoryRequest.parse({ ...asked, limit, diffLines }), { signal });
      const ofFirst = another !== undefined && resource === undefined;
      const rest = noteWhen(ofFirst, `only ${snapshot.resource} was looked into; name another with resource`);
      return {
        text: [fitHistory(reply), ...rest, ...notes].join("\n\n"),
        data: {},
        metadata: { commits: reply.total },
      };
    },
  });
}

/** As much of it as there is room for: changes of the oldest commits go first, then commits before the first one. */
function fitHistory(reply: HistoryReply): string {
  const shown = [...reply.commits];
  const write = () => showHistory({ ...reply, commits: shown });
  for (let index = shown.length - 1; index >= 0 && write().length > room; index--) {
    const commit = shown[index];
    if (commit !== undefined) shown[index] = { ...commit, files: [] };
  }
  while (shown.length > 1 && write().length > room) shown.splice(-2, 1);
  return write();
}
