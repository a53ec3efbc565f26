import * as z from "zod";
import { type HistoryReply, HistoryRequest, showHistory } from "../../protocol/git-history.ts";
import type { Snapshot } from "../../resources/snapshot.ts";
import { defineTool, type ToolContext } from "./define.ts";
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

export function historyTool({ snapshots, ledger }: Pick<ToolContext, "snapshots" | "ledger">, find: FindHistory) {
  return defineTool({
    name: "history",
    description:
      "Show the commits that changed a place or a text: since when, why, who, first in which release; of a package, its releases. Cite a commit by its marker [[name@id]], its + lines as [[name@id:path#L5]], its - lines as [[name@id^:path#L5]].",
    inputSchema,
    async run({ resource, limit: given, ...asked }, { signal }) {
      const { value: limit, notes } = clamp("limit", given, commits);
      const chosen = chooseSnapshots(snapshots, resource);
      const isOfReleases = asked.place === undefined && asked.text === undefined && asked.commit === undefined;
      const own = chosen.filter(({ info: { type } }) => (type === "git" || type === "local") !== isOfReleases);
      const [snapshot, another] = own.length === 0 ? chosen : own;
      if (snapshot === undefined) return { text: note("no resource is open"), metadata: {} };
      const reply = await find(snapshot, HistoryRequest.parse({ ...asked, limit, diffLines }), { signal });
      const shown = fitHistory(reply);
      noteShown(shown, ledger);
      const ofFirst = another !== undefined && resource === undefined;
      const rest = noteWhen(ofFirst, `only ${snapshot.resource} was looked into; name another with resource`);
      return {
        text: [write(shown), ...rest, ...notes].join("\n\n"),
        data: { history: reply },
        metadata: { [reply.releases === undefined ? "commits" : "releases"]: reply.total },
      };
    },
  });
}

/** As much of it as there is room for: changes of the oldest commits go first, then commits before the first one. */
function fitHistory(reply: HistoryReply): HistoryReply {
  const commits = [...reply.commits];
  const releases = [...(reply.releases ?? [])];
  const fitted = () => ({ ...reply, commits, ...(reply.releases === undefined ? {} : { releases }) });
  const length = () => write(fitted()).length;
  for (let index = releases.length - 1; index >= 0 && length() > room; index--) {
    const release = releases[index];
    if (release === undefined || release.changes.length === 0) continue;
    const omittedChanges = release.changes.length + (release.omittedChanges ?? 0);
    releases[index] = { ...release, changes: [], omittedChanges };
  }
  for (let index = commits.length - 1; index >= 0 && length() > room; index--) {
    const commit = commits[index];
    if (commit !== undefined) commits[index] = { ...commit, files: [] };
  }
  while (commits.length > 1 && length() > room) commits.splice(-2, 1);
  return fitted();
}

function write(reply: HistoryReply): string {
  return showHistory(reply, { asMarkers: true });
}

/** The commits, and the lines that they add; those that they remove are lines of the commit before. */
export function noteShown({ resource, commits, releases = [] }: HistoryReply, ledger: ToolContext["ledger"]): void {
  for (const change of releases.flatMap(({ changes }) => changes)) ledger.show(change);
  for (const { id, parent, files } of commits) {
    ledger.show({ resource, revision: id, path: "", startLine: 1, endLine: 1 });
    for (const { path, from = path, hunks } of files) {
      for (const { oldStart, newStart, lines } of hunks) {
        const added = lines.filter((line) => line.startsWith("+")).length;
        const removed = lines.length - added;
        ledger.show({ resource, revision: id, path, startLine: newStart, endLine: newStart + added - 1 });
        if (parent === undefined) continue;
        ledger.show({ resource, revision: parent, path: from, startLine: oldStart, endLine: oldStart + removed - 1 });
      }
    }
  }
}
