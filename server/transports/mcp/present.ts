import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import {
  describeUnavailable,
  type PublishedTool,
  type PublishedToolName,
  publishedTools,
} from "../../protocol/published-tools.ts";
import type { Answer } from "../../protocol/ask.ts";
import { type Citation, citationLabel, replaceCitationLinks, shortenRevision } from "../../protocol/citation.ts";
import { operations, type Output } from "../../protocol/operations.ts";
import { formatMarker } from "../../protocol/passage.ts";
import { explainVerified, tallyCitations } from "../../protocol/tally.ts";
import type { FilePlace, Place } from "../../protocol/show-lines.ts";
import { type PageOptions, toPage } from "./pages.ts";
import { formatPlace, placeOf } from "./place.ts";

/** How results are written for a client. */
export interface Presentation {
  /** Its working directory, absolute, where it is known: files in it are named by their path from there. */
  cwd: string | undefined;
  /** Whether the client asked for structured results beside the text. */
  isStructured: boolean;
}

export interface PresentOptions<Name extends PublishedToolName>
  extends Presentation, Pick<PageOptions<Name>, "offset" | "items" | "isOpen" | "bytes"> {
  /** Why an answer is not whole, in words. */
  partial?: string | undefined;
  /** A sentence above the output. */
  lead?: string | undefined;
  /** Sentences below it. */
  notes?: readonly string[];
}

/** Fields of structured results that only this wire has. */
export const pageFields = {
  partial: z.string().optional().describe("Why the answer is not whole, and how to go on."),
  cut: z.string().optional().describe("What was left out because a result has a limit, and how to get it."),
  nextOffset: z.int().optional().describe("The `offset` of the next page, where there is one."),
};

/** An output as the result of a tool: text, as much of it as a result may hold, and structured only on request. */
export function present<Name extends PublishedToolName>(
  name: Name,
  raw: unknown,
  { cwd, isStructured, partial, lead, notes = [], ...options }: PresentOptions<Name>,
): CallToolResult {
  const tool: PublishedTool<Name> = publishedTools[name];
  const headingOf = (place: Place | FilePlace) => formatHeading(place, { cwd });
  const write: Writer<Name> = writers[name] ?? ((output) => tool.toText(output, { headingOf }));
  const sizeOf = (output: Output<Name>) => {
    return byteLength(write(output, { cwd })) + (isStructured ? byteLength(tool.toResult(output)) : 0);
  };
  // Omits the permanent link, which is longer than the rest of the line.
  const nameOf = (hit: Place) => formatPlace({ ...hit, url: undefined }, { cwd });
  const {
    output,
    cut: cutAt,
    nextOffset,
  } = toPage(name, outputs[name].output.parse(raw), {
    ...options,
    sizeOf,
    placeOf: nameOf,
  });
  const remarks = [...(cutAt === undefined ? [] : [cutAt]), ...notes];
  const cut = remarks.length === 0 ? undefined : remarks.join(" ");
  const text = [partial, lead, write(output, { cwd }), cut].filter((part) => part !== undefined && part !== "");
  const content: CallToolResult["content"] = [{ type: "text", text: text.join("\n\n") }];
  if (!isStructured) return { content };
  const structuredContent = {
    ...tool.toResult(output),
    ...(partial === undefined ? {} : { partial }),
    ...(cut === undefined ? {} : { cut }),
    ...(nextOffset === undefined ? {} : { nextOffset }),
  };
  return { content, structuredContent };
}

const outputs: { [Name in PublishedToolName]: { output: z.ZodType<Output<Name>> } } = operations;

type Writer<Name extends PublishedToolName> = (output: Output<Name>, options: Pick<Presentation, "cwd">) => string;

const writers: { readonly [Name in PublishedToolName]?: Writer<Name> } = { ask: writeAnswer };

/** The answer with links that such a client opens, and what it does not say itself. */
function writeAnswer(answer: Answer, { cwd }: Pick<Presentation, "cwd">): string {
  const { citations, snapshots, unavailable, thread } = answer;
  const directories = new Map(
    snapshots.flatMap(({ resource, directory }): [string, string][] =>
      directory === undefined ? [] : [[resource, directory]],
    ),
  );
  const text = replaceCitationLinks(publishedTools.ask.toText(answer), citations, (citation) =>
    citation.commit === undefined ? formatPlace(placeOf(citation, directories), { cwd }) : formatAt(citation),
  );
  const labels = snapshots.map(({ label }) => label);
  const notes = [
    [tallyCitations(citations), explainVerified(citations)].filter((part) => part !== undefined).join(" "),
    ...(labels.length === 0 ? [] : [`Read: ${labels.join("; ")}.`]),
    ...describeUnavailable(unavailable),
    ...(thread === undefined ? [] : [`Thread: ${thread}`]),
  ];
  return [text, notes.join("\n")].filter((part) => part !== "").join("\n\n");
}

/** What is cited at another revision: a permanent link, else a marker, which `verify` reads. */
function formatAt(citation: Citation): string {
  return citation.url === undefined ? formatMarker(citation) : `[${citationLabel(citation)}](${citation.url})`;
}

/** `node_modules/zod/index.js:1-20 (npm:zod, 4.1.0)`: what to cite, and what it is of. */
function formatHeading(place: Place | FilePlace, { cwd }: Pick<Presentation, "cwd">): string {
  const { resource, revision, url, pathOnDisk } = place;
  const isLocal = pathOnDisk !== undefined && !revision.includes("+");
  const told = isLocal || url !== undefined ? resource : `${resource}, ${shortenRevision(revision)}`;
  return `${formatPlace(place, { cwd })} (${told})`;
}

function byteLength(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
