import * as z from "zod";
import { showInvisibleInLine } from "../../protocol/invisible.ts";
import { countFiles, describeShown } from "../../protocol/search.ts";
import type { FileReference } from "../../retrieval/retrieval.ts";
import { defineTool, type ToolContext } from "./define.ts";
import { chooseSnapshots } from "./locate.ts";
import { fitLines, namedFew, noteWhen } from "./show.ts";

const limit = 200;

const description = `Find files by their path. A pattern without a slash matches names in all folders.`;

const inputSchema = z.object({
  pattern: z.string().min(1).max(1000).describe("E.g. `**/*.test.ts`."),
  resource: z.string().optional().describe("Its name. Default: all."),
});

export function globTool({ snapshots, retrieval }: ToolContext) {
  return defineTool({
    name: "glob",
    description,
    inputSchema,
    async run({ pattern, resource }, { signal }) {
      const chosen = chooseSnapshots(snapshots, resource);
      const { files, total, searchedFiles, nearest } = await retrieval.glob(chosen, { pattern, limit, signal });
      const paths = fitLines(files.map((file) => `${file.resource}:${file.path}`));
      const close = nearest.map((file) => `${file.resource}:${file.path}`);
      const notes = [
        ...noteWhen(total === 0, `no path matches among ${countFiles(searchedFiles)}; ${advice(pattern)}`),
        ...noteWhen(close.length > 0, `files of a similar name: ${namedFew(close, 10)}`),
        ...noteWhen(paths.length < total, `${describeShown(paths.length, String(total))}; use a narrower pattern`),
      ];
      const shown = files.slice(0, paths.length).map((file) => ({ resource: file.resource, path: file.path }));
      return { text: [...byFolder(shown), ...notes].join("\n"), data: { files: shown }, metadata: { files: total } };
    },
  });
}

/** Consecutive files of a folder are listed below its path, which is written once. */
function byFolder(files: readonly FileReference[]): string[] {
  const groups: { folder: string; names: string[] }[] = [];
  for (const { resource, path } of files) {
    const end = path.lastIndexOf("/") + 1;
    const folder = `${resource}:${path.slice(0, end)}`;
    const last = groups.at(-1);
    if (last?.folder === folder) last.names.push(path.slice(end));
    else groups.push({ folder, names: [path.slice(end)] });
  }
  return groups
    .flatMap(({ folder, names }) =>
      names.length === 1 ? names.map((name) => `${folder}${name}`) : [folder, ...names.map((name) => `  ${name}`)],
    )
    .map(showInvisibleInLine);
}

function advice(pattern: string): string {
  const name = pattern.slice(pattern.replace(/\/+$/, "").lastIndexOf("/") + 1);
  const [word] = name.match(/[\p{L}\p{N}_-]{3,}/u) ?? [];
  const wider = word === undefined ? pattern : `**/*${word}*`;
  const ways = wider === pattern ? [] : [`a part of the name, as in ${wider}`];
  return `try ${[...ways, "search, which also finds words in paths"].join(", ")}, or list to see what is there`;
}
