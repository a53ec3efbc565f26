import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { addLines } from "../../lib/line-set.ts";
import { splitPlace } from "../../protocol/source.ts";
import { type Definition, findDefinitions, linesAround } from "../../source/definitions.ts";
import { defineTool, type ToolServices } from "./define.ts";
import { locateFile } from "./locate.ts";
import { note, showPassages } from "./show.ts";
import { unshownParts } from "./shown.ts";

const defaultLines = 200;
const maxLines = 400;

const description = `Read lines of a file, at most ${maxLines}: with around, the whole definition or section that has that line. Read what search or grep showed a part of before you explain it.`;

const inputSchema = z.object({
  path: z.string().min(1).describe("E.g. `src/retry.ts`, or with lines `src/retry.ts:10-40,88-120`."),
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
    name: "read",
    description,
    inputSchema,
    async run({ path: asked, resource, around, ...given }, { signal, toolCallId }) {
      const { snapshot, path } = locateFile(snapshots, { path: asked, resource });
      const { lines } = await snapshot.read(path, { signal });
      const total = lines.length;
      if (total === 0) return { text: note(`${snapshot.resource}:${path} is empty`), metadata: {} };
      const file = `${snapshot.resource}:${path}`;
      const wanted = rangesOf().map((range) => chooseLines(range, { file, total }));
      const passages = wanted.map(({ startLine, endLine }) => {
        return { resource: snapshot.resource, path, startLine, lines: lines.slice(startLine - 1, endLine) };
      });
      const above = await before.above(toolCallId);
      const isNew = passages.some((passage) => unshownParts(passage, above(passage)).length > 0);
      const shown = await showPassages([snapshot], passages, { shown: above, ledger, signal });
      const ranges = shown.passages.map(({ startLine, lines }) => ({
        startLine,
        endLine: startLine + lines.length - 1,
      }));
      const last = ranges.at(-1);
      if (last === undefined) return { text: note("there is no space left for these lines"), metadata: {} };
      const where = ranges.map((range) => `${range.startLine}-${range.endLine}`).join(", ");
      const rest =
        last.endLine < total ? `; ${readOn(last.endLine, isNew ? undefined : findDefinitions(path, lines))}` : "";
      const notes = [...(wanted.length > 1 ? shown.notes : []), note(`lines ${where} of ${total}${rest}`)];
      return {
        text: [...shown.blocks, ...notes].join("\n\n"),
        data: { passages: shown.passages },
        metadata: { lines: where },
      };

      /** Those of the definition, else those given, else those that follow the path. */
      function rangesOf(): readonly Wanted[] {
        if (around !== undefined) return [linesAround(around, findDefinitions(path, lines), maxLines)];
        const { ranges } = splitPlace(asked.replace(/\]\]$/, ""));
        const isInPath = given.startLine === undefined && given.endLine === undefined && !asked.endsWith(path);
        return isInPath && ranges.length > 0 ? ranges.reduce(addLines, []) : [given];
      }
    },
  });
}

/** How to go on after a line; with definitions, by the next one. */
function readOn(line: number, definitions: readonly Definition[] = []): string {
  const next = definitions.find(({ startLine }) => startLine > line);
  if (next === undefined) return `read on with startLine ${line + 1}`;
  const { name, startLine, endLine } = next;
  return `next is ${name} (lines ${startLine}-${endLine}): read around ${next.line}`;
}

interface Wanted {
  startLine?: number | undefined;
  endLine?: number | undefined;
}

function chooseLines(
  { startLine = 1, endLine }: Wanted,
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
