import * as z from "zod";
import { showInvisibleInLine } from "../../protocol/invisible.ts";
import type { Snapshot } from "../../resources/snapshot.ts";
import type { Listing } from "../../retrieval/retrieval.ts";
import { defineTool, type ToolContext } from "./define.ts";
import { chooseSnapshots, spellings } from "./locate.ts";
import { fitLines, namedFew, note, noteWhen } from "./show.ts";

const limit = 300;

const description = `List a folder: folders with how many files are below them, then files.`;

const inputSchema = z.object({
  path: z.string().optional().describe("E.g. `src/utils`. Default: the top."),
  resource: z.string().optional().describe("Its name. Default: all."),
});

export function listTool({ snapshots, retrieval }: ToolContext) {
  return defineTool({
    name: "list",
    description,
    inputSchema,
    async run({ path = "", resource }) {
      const chosen = chooseSnapshots(snapshots, resource);
      const listings = chosen.map((snapshot) => ({ snapshot, listing: listBySpelling(snapshot, path) }));
      const found = listings.filter(({ listing }) => listing.entries.length > 0);
      const close = listings.flatMap(({ snapshot, listing }) =>
        listing.nearest.map((near) => `${snapshot.resource}:${near}`),
      );
      const names = chosen.map((snapshot) => snapshot.resource).join(", ");
      const notFound = [
        note(path === "" ? `${names}: there are no files` : `no folder ${JSON.stringify(path)} in ${names}`),
        ...noteWhen(close.length > 0, `the nearest are: ${namedFew(close, 10)}`),
      ];
      const lines = found.flatMap(({ snapshot, listing }) => print(snapshot, listing));
      const shown = fitLines(lines);
      const rest = noteWhen(shown.length < lines.length, "the rest has no room; list one folder at a time");
      const parts = found.length === 0 ? notFound : [...shown, ...rest];
      const entries = found.reduce((sum, { listing }) => sum + listing.entries.length, 0);
      return { text: parts.join("\n"), data: { folders: found.map(toFolder) }, metadata: { entries } };
    },
  });

  function listBySpelling(snapshot: Snapshot, path: string): Listing {
    const [first, ...others] = spellings(path, snapshot).map((folder) => retrieval.list(snapshot, { folder }));
    return others.find(({ entries }) => entries.length > 0) ?? first ?? retrieval.list(snapshot, { folder: path });
  }
}

function toFolder({ snapshot: { resource }, listing: { folder: path, entries } }: FoundFolder) {
  const shown = entries.slice(0, limit).map(({ name, type, fileCount }) => {
    return type === "file" ? { name } : { name, fileCount };
  });
  return { resource, path, entries: shown };
}

interface FoundFolder {
  snapshot: Snapshot;
  listing: Listing;
}

function print({ resource }: Snapshot, { folder, entries }: Listing): string[] {
  const lines = entries.slice(0, limit).map(({ name, type, fileCount }) => {
    return type === "file" ? `  ${name}` : `  ${name}/  (${fileCount} ${fileCount === 1 ? "file" : "files"})`;
  });
  const rest = entries.length > limit ? [`  … and ${entries.length - limit} more; find them with glob`] : [];
  return [`${resource}:${folder === "" ? "" : `${folder}/`}`, ...lines, ...rest].map(showInvisibleInLine);
}
