import * as z from "zod";
import { type Definition, findDefinitions } from "../../source/definitions.ts";
import { maskLines } from "../../source/mask.ts";
import { formatLines } from "../../protocol/citation.ts";
import { formatMarker } from "../../protocol/passage.ts";
import { defineTool, type ToolContext } from "./define.ts";
import { locateFile } from "./locate.ts";
import { fitLines, note, noteWhen } from "./show.ts";

/** A longer line is cut. */
const lineLimit = 160;

const description = `Show what a long file defines, nested, each by its first line and its lines, to choose what to read.`;

const inputSchema = z.object({
  path: z.string().min(1).describe("E.g. `src/retry.ts`."),
  resource: z.string().optional().describe("Its name, if several have the path."),
});

export function outlineTool({ snapshots, ledger }: ToolContext) {
  return defineTool({
    name: "outline",
    description,
    inputSchema,
    async run({ path: asked, resource: from }, { signal }) {
      const { snapshot, path } = locateFile(snapshots, { path: asked, resource: from });
      const { resource } = snapshot;
      const { lines } = await snapshot.read(path, { signal });
      const definitions = nest(findDefinitions(path, lines));
      const total = lines.length;
      const metadata = { definitions: definitions.length };
      if (definitions.length === 0) {
        return {
          text: note(`no definitions are found in ${resource}:${path}, which has ${total} lines; read it`),
          metadata,
        };
      }
      const width = String(total).length;
      const masked = maskLines(lines, { startLine: 1, endLine: total });
      const rows = definitions.map(({ line, endLine, depth }) => {
        const text = (masked[line - 1] ?? "").trim();
        return { line, endLine, depth, text: text.length > lineLimit ? `${text.slice(0, lineLimit)}…` : text };
      });
      const printed = rows.map(({ line, endLine, depth, text }) => {
        const lines = formatLines({ startLine: line, endLine });
        return `${String(line).padStart(width)}|${"  ".repeat(depth)}${text}  (${lines})`;
      });
      const shown = fitLines(printed);
      const named = rows.slice(0, shown.length);
      for (const { line } of named) ledger.show({ resource, path, startLine: line, endLine: line });
      const first = named[0]?.line ?? 1;
      const example = formatMarker({ resource, path, startLine: first, endLine: first });
      const head = note(`${resource}:${path} has ${total} lines; one of those below is cited like ${example}`);
      const left = printed.length - shown.length;
      const notes = noteWhen(left > 0, `${left} further down have no room; use grep`);
      return { text: [head, ...shown, ...notes].join("\n"), data: { definitions: named }, metadata };
    },
  });
}

/** The nesting depth of each definition. */
function nest(definitions: readonly Definition[]): (Definition & { depth: number })[] {
  const around: Definition[] = [];
  return definitions.map((definition) => {
    while ((around.at(-1)?.endLine ?? Infinity) < definition.line) around.pop();
    const depth = around.length;
    around.push(definition);
    return { ...definition, depth };
  });
}
