import { shorten } from "../../protocol/shorten.ts";
import { type ToolContext, type ToolServices, withoutRepeats } from "./define.ts";
import { compareTool } from "./compare.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { historyTool } from "./history.ts";
import { listTool } from "./list.ts";
import { definitionTool, referencesTool } from "./named.ts";
import { openTool } from "./open.ts";
import { outlineTool } from "./outline.ts";
import { readTool } from "./read.ts";
import { searchTool } from "./search.ts";
import { upgradeTool } from "./upgrade.ts";
import { createShownLines } from "./shown.ts";
import { createSkippedNotes } from "./skipped.ts";

/** What the model may do: look into the snapshots of this question, and open a package that it names. */
export function createTools(context: ToolContext) {
  const { isLeftOut = () => false } = context;
  const services: ToolServices = {
    ...context,
    shown: createShownLines({ isLeftOut }),
    noteSkipped: createSkippedNotes(),
  };
  const tools = {
    search: searchTool(services),
    definition: definitionTool(services),
    references: referencesTool(services),
    grep: grepTool(services),
    glob: globTool(context),
    list: listTool(context),
    outline: outlineTool(context),
    read: readTool(services),
    ...(context.findHistory === undefined ? {} : { history: historyTool(context, context.findHistory) }),
    ...(context.findUpgrade === undefined ? {} : { upgrade: upgradeTool(context, context.findUpgrade) }),
    ...(context.findComparison === undefined ? {} : { compare: compareTool(context, context.findComparison) }),
    ...(context.openable === undefined ? {} : { open: openTool(context.openable) }),
  };
  return withoutRepeats(tools, services);
}

export type Tools = ReturnType<typeof createTools>;

/** One line for people on what a call does: `search “retry after” in *.md`, `read src/retry.ts:10-40`. */
export function titleOf(tool: string, input: Record<string, unknown>): string {
  const { query, pattern, name, path = "", startLine, endLine } = input;
  if (tool === "open" || tool === "upgrade") return `${tool} ${inTitle(input["package"] ?? "")}`;
  const sought = query ?? pattern ?? name ?? input["text"] ?? input["commit"] ?? input["place"];
  const where = input["glob"] === undefined ? "" : ` in ${inTitle(input["glob"])}`;
  if (sought !== undefined) return `${tool} “${inTitle(sought)}”${where}`;
  const lines = startLine === undefined ? "" : `:${inTitle(startLine)}-${inTitle(endLine ?? "")}`;
  return `${tool} ${inTitle(path)}${lines}`.trim();
}

function inTitle(value: unknown): string {
  return shorten(typeof value === "string" ? value : JSON.stringify(value), 80);
}
