import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { findDefinitions, linesAround } from "../../source/definitions.ts";
import { defineTool, type ToolServices } from "./define.ts";
import { locateFile } from "./locate.ts";
import { formatUnshown } from "./shown.ts";
import { note, resultLimit, showPassage } from "./show.ts";

const defaultLines = 200;
const maxLines = 400;

const description = `Read lines of a file, at most ${maxLines}: with around, the whole definition or section that has that line. Read what search or grep showed a part of before you explain it.`;

const inputSchema = z.object({
  path: z.string().min(1).describe("E.g. `src/retry.ts`."),
  resource: z.string().optional().describe("Its name, if several have the path."),
  around: z.int().min(1).optional().describe("A line."),
  startLine: z.int().min(1).optional().describe("Default: 1."),
  endLine: z
    .int()
    .min(1)
    .optional()
    .describe(`Inclusive. Default: startLine + ${defaultLines - 1}.`),
});

export function readTool({ snapshots, ledger, shown: before }: ToolServices) {
  return defineTool({
    description,
    inputSchema,
    async run({ path: asked, resource, around, ...given }, { signal }) {
      const { snapshot, path } = locateFile(snapshots, { path: asked, resource });
      const { lines } = await snapshot.read(path, { signal });
      const total = lines.length;
      if (total === 0) return { text: note(`${snapshot.resource}:${path} is empty`), metadata: {} };
      const { startLine, endLine } =
        around === undefined ? given : linesAround(around, findDefinitions(path, lines), maxLines);
      const range = chooseLines({ startLine, endLine }, { file: `${snapshot.resource}:${path}`, total });
      const passage = { path, startLine: range.startLine, lines: lines.slice(range.startLine - 1, range.endLine) };
      const shown = await showPassage(snapshot, passage, { room: resultLimit, ledger, signal });
      if (shown === undefined) return { text: note("there is no room for these lines"), metadata: {} };
      const rest = shown.endLine < total ? `; read on with startLine ${shown.endLine + 1}` : "";
      const where = `${range.startLine}-${shown.endLine}`;
      const text = `${formatUnshown(shown.passage, before.of(shown.passage))}\n\n${note(`lines ${where} of ${total}${rest}`)}`;
      return { text, data: { passages: [shown.passage] }, metadata: { lines: where } };
    },
  });
}

function chooseLines(
  { startLine = 1, endLine }: { startLine?: number | undefined; endLine?: number | undefined },
  { file, total }: { file: string; total: number },
): { startLine: number; endLine: number } {
  if (endLine !== undefined && endLine < startLine) {
    const hint = "endLine is the last line itself, not how many to read";
    throw new CitewellError("InvalidRequest", `endLine ${endLine} is before startLine ${startLine}`, { hint });
  }
  if (startLine > total) {
    const end = Math.max(1, total - defaultLines + 1);
    const hint = end === 1 ? "read it without startLine" : `read its end with startLine ${end}`;
    throw new CitewellError("InvalidRequest", `${file} ends with line ${total}; there is no line ${startLine}`, {
      hint,
    });
  }
  const last = endLine ?? startLine + defaultLines - 1;
  return { startLine, endLine: Math.min(last, startLine + maxLines - 1, total) };
}
