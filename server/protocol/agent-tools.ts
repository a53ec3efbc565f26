import * as z from "zod";
import { AskRequest, QuestionReply, toQuestionReply } from "./ask.ts";
import { citationStateWords, formatCitewellUrl, formatLines } from "./citation.ts";
import { showInvisibleInLine } from "./invisible.ts";
import { Nothing, type OperationName, type Operations, type Output } from "./operations.ts";
import { numberLines } from "./passage.ts";
import { ResourceList, type ResourceListing, type Unavailable } from "./resource.ts";
import {
  countFiles,
  countLines,
  type FileCount,
  isEmptyReply,
  type SearchHit,
  SearchReply,
  SearchRequest,
  tellSkipped,
} from "./search.ts";
import { ReadRequest, SourceFile } from "./source.ts";
import { type VerifiedCitation, VerifyReply, VerifyRequest } from "./verify.ts";

/** The operations that other agents may use: those with an `mcp` name. */
export type AgentToolName = {
  [Name in OperationName]: Operations[Name] extends { mcp: string } ? Name : never;
}[OperationName];

/** An operation as a tool of somebody else's agent, over MCP or among the editor's own tools. */
export interface AgentTool<Name extends OperationName> {
  title: string;
  /** For people. */
  summary: string;
  /** For the model: when to use it, and when not. */
  description: string;
  /** What a model may say; the operation takes more. */
  input: z.ZodObject;
  result: z.ZodObject;
  toResult(output: Output<Name>): Record<string, unknown>;
  /** The same for reading. */
  toText(output: Output<Name>): string;
}

const nameFirst = "Use listResources first if you do not know what can be named.";

export const agentTools: { readonly [Name in AgentToolName]: AgentTool<Name> } = {
  listResources: {
    title: "List resources",
    summary: "The codebases that can be asked about.",
    description:
      "Lists the codebases that Citewell can answer about: name, kind, revision and state. Use it to find the name " +
      "that the other Citewell tools take. Do not use it to list the files of the open workspace.",
    input: Nothing,
    result: ResourceList,
    toResult: (list) => list,
    toText: ({ resources }) =>
      resources.length === 0
        ? "No resources are configured. A git URL (https) or a package (npm:name) can be asked all the same."
        : resources.map((listing) => `${listing.name}: ${describeResource(listing)}`).join("\n"),
  },
  ask: {
    title: "Ask a codebase",
    summary: "Answers about source code, with citations that were checked.",
    description:
      "Answers a question about the source code of libraries, frameworks and repositories, at their exact version, " +
      "with citations that were checked against the files. Use it for how something works across several files. " +
      "Do not use it for the code of the open workspace that you can read yourself, for general programming " +
      `questions, or to find one known name: search and read are faster. ${nameFirst}`,
    input: AskRequest.pick({ question: true, resources: true, thread: true }),
    result: QuestionReply,
    toResult: toQuestionReply,
    toText: ({ text, evidence }) =>
      evidence === "none" ? `${text.trimEnd()}\n\nNo evidence: nothing that was read proves this answer.` : text,
  },
  search: {
    title: "Search a codebase",
    summary: "Finds passages in source code and documentation.",
    description:
      "Finds passages in the source code and documentation of resources: ranked by relevance, or exactly, or by a " +
      "regular expression. Fast, and asks no model. Use it to find where something is defined or described. Do not " +
      `use it for files of the open workspace. ${nameFirst}`,
    input: SearchRequest.omit({ scope: true }),
    result: SearchReply,
    toResult: (reply) => reply,
    toText: (reply) => {
      const { results, counts = [], cut = [], searchedFiles, nearest = [], unavailable } = reply;
      const skipped = tellSkipped(reply, nameOf);
      return [
        ...(isEmptyReply(reply)
          ? [`Nothing was found in ${countFiles(searchedFiles)}. Try other words, or another mode.`]
          : []),
        ...(nearest.length === 0 ? [] : [`Files of a similar name: ${nearest.map(nameOf).join(", ")}`]),
        ...results.map((hit) => showLines(hit, hit.preview.split("\n"))),
        ...(counts.length === 0 ? [] : [counts.map(showCount).join("\n")]),
        ...cut,
        ...(skipped === undefined ? [] : [`${skipped}.`]),
        ...describeUnavailable(unavailable),
      ].join("\n\n");
    },
  },
  read: {
    title: "Read a file of a codebase",
    summary: "Reads a file, or lines of it, at a revision.",
    description:
      "Reads a file of a resource, or lines of it, at a revision. Use it after search, or to look at what an answer " +
      `cites. Do not use it for files of the open workspace. ${nameFirst}`,
    input: ReadRequest,
    result: SourceFile,
    toResult: (file) => file,
    toText: (file) => showLines(file, file.text.split(/\r?\n/).slice(0, file.endLine - file.startLine + 1)),
  },
  verify: {
    title: "Verify citations",
    summary: "Checks whether cited files and lines exist and say what is quoted.",
    description:
      "Checks whether the files and lines that a text cites exist and say what is quoted. Use it on an answer or a " +
      "document that cites paths with lines or permanent links. It does not check whether the claims are true, and " +
      "does not change the text.",
    input: VerifyRequest.omit({ scope: true }),
    result: VerifyReply,
    toResult: (reply) => reply,
    toText: ({ citations, unavailable }) =>
      [
        ...(citations.length === 0 ? ["The text cites no lines of any file."] : citations.map(describeVerified)),
        ...describeUnavailable(unavailable),
      ].join("\n"),
  },
};

/** `npm express, fetched when it is asked`: the kind and source, the revision or state, and the owner's notes. */
export function describeResource({ type, state, revision, failure, specialNotes, ...source }: ResourceListing): string {
  const place = source.url ?? source.package ?? source.path;
  const isToFetch = state === "absent" && type !== "local";
  const parts = [
    place === null ? type : `${type} ${place}`,
    revision ?? (isToFetch ? "fetched when it is asked" : state),
    failure,
    specialNotes,
  ];
  return parts.filter((part) => part !== null).join(", ");
}

function nameOf({ resource, path }: { resource: string; path: string }): string {
  return showInvisibleInLine(`${resource}:${path}`);
}

function describeVerified({ at, state, resource, path, reason, ...lines }: VerifiedCitation): string {
  const place = resource === "" ? path : `${resource}:${path}`;
  const parts = [`line ${at.line}: ${citationStateWords[state]}`, `${place}:${formatLines(lines)}`, reason];
  return parts.filter((part) => part !== undefined).join(", ");
}

function describeUnavailable(unavailable: readonly Unavailable[] = []): string[] {
  return unavailable.map(({ resource, error }) => `${showInvisibleInLine(resource)} could not be opened: ${error}.`);
}

function showCount({ matches, ...file }: FileCount): string {
  return `${nameOf(file)}: ${countLines(matches)}`;
}

/** Lines with their numbers, below a link that can be cited as it stands. */
function showLines(place: SearchHit | SourceFile, lines: string[]): string {
  const url = ("url" in place ? place.url : undefined) ?? formatCitewellUrl(place);
  const heading = `${place.resource}: [${showInvisibleInLine(place.path)}:${formatLines(place)}](${url})`;
  return [heading, ...numberLines({ startLine: place.startLine, lines })].join("\n");
}

/**
 * As tools are declared: the fields at the root, because many clients look for them nowhere else, and nothing but what
 * a model needs.
 */
export function toolSchema({ shape }: z.ZodObject, io: "input" | "output"): Record<string, unknown> {
  // Without its name, which would make a reference of it.
  const { $schema: _, ...schema } = z.toJSONSchema(z.object(shape), {
    io,
    override: ({ jsonSchema }) => tidy(jsonSchema),
  });
  return schema;
}

/** Bounds that every whole number has, and the long pattern of what is named a date and time already. */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.format === "date-time") delete schema.pattern;
}
