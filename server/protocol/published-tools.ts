import * as z from "zod";
import { AskRequest, QuestionReply, toQuestionReply } from "./ask.ts";
import { citationStateWords, formatCited } from "./citation.ts";
import { showInvisibleInLine } from "./invisible.ts";
import { HistoryReply, HistoryRequest, showHistory } from "./git-history.ts";
import { Nothing, type OperationName, type Operations, type Output } from "./operations.ts";
import { kindOf, sourceOf } from "./kinds/kinds.ts";
import { collapseRepeats } from "./repeats.ts";
import { ResourceList, type ResourceListing, resourceRefs, type Unavailable } from "./resource.ts";
import {
  countFiles,
  countLines,
  countMatchLines,
  describePending,
  type FileCount,
  isEmptyReply,
  type SearchHit,
  SearchReply,
  SearchRequest,
  describeSkipped,
} from "./search.ts";
import { showFile, showHits, showUses, type TextOptions } from "./show-lines.ts";
import { ReadRequest, SourceFile } from "./source.ts";
import { showUpgrade, UpgradeReport } from "./upgrade.ts";
import { type FileLink, fileLinkStateWords, type VerifiedCitation, VerifyReply, VerifyRequest } from "./verify.ts";

/** The operations that other agents may call: those with an `mcp` name. */
export type PublishedToolName = {
  [Name in OperationName]: Operations[Name] extends { mcp: string } ? Name : never;
}[OperationName];

/** An operation published as a tool: to other agents over MCP, and to the editor's own agent. */
export interface PublishedTool<Name extends OperationName> {
  title: string;
  /** A summary for people. */
  summary: string;
  /**
   * A description for the model. Some clients show it the first 150 characters only: they say when to use the tool and
   * what it can be used on.
   */
  description: string;
  /** What a model may say; the operation takes more. */
  input: z.ZodObject;
  /** What applies where the model says nothing; the operation has defaults of its own, for people. */
  defaultsFor?(input: Readonly<Record<string, unknown>>): Record<string, unknown>;
  result: z.ZodObject;
  toResult(output: Output<Name>): Record<string, unknown>;
  /** The same for reading. */
  toText(output: Output<Name>, options?: TextOptions): string;
}

/** Passages of a search by relevance, and lines of each; as many as have room are shown, the next are named. */
const passages = { limit: 6, passageLines: 40, uses: 10 } as const;
/** Matching lines of an exact search, or files where lines are counted. */
const matchesLimit = 30;
/** Commits, and the changed lines that are shown of each. */
const commits = { limit: 6, diffLines: 8 } as const;
/** More have no room. */
const upgradeFindings = 50;
/** Definitions of a name, and places that use it. */
const definitions = { limit: 5, uses: 10 } as const;

const resources = resourceRefs("request")
  .optional()
  .describe(
    "`npm:zod` (the version that is installed here), `npm:zod@4`, `pypi:requests`, `cargo:serde`, `go:net/http`, an https git URL, the absolute " +
      "path of a folder, or a configured name. None given: the open project and what a configuration file lists.",
  );
/** The same, without its words: the definitions of all tools are sent with every request of an agent. */
const asInSearch = resources.describe("As in search.");

export const publishedTools: { readonly [Name in PublishedToolName]: PublishedTool<Name> } = {
  listResources: {
    title: "List resources",
    summary: "The codebases available for questions.",
    description:
      "Not needed before search: npm:<package>, an https git URL or an absolute folder is named as it is. Lists what else " +
      "is configured, and the open project: name, kind, revision and state.",
    input: Nothing,
    result: ResourceList,
    toResult: (list) => list,
    toText: ({ resources: listed }) =>
      listed.length === 0
        ? "No resources are configured. A git URL (https) or a package (npm:name, pypi:name, cargo:name, go:path) can be asked all the same."
        : listed.map((listing) => `${listing.name}: ${describeResource(listing)}`).join("\n"),
  },
  ask: {
    title: "Ask a codebase",
    summary: "Answers about source code, with checked citations.",
    description:
      "Use search first; ask needs a connected model. Explains how npm:zod, npm:zod@4, an https git URL, an absolute " +
      "folder or the open project works across files, with citations that were checked against them. Without a " +
      "model it returns what search finds: prefer search then.",
    input: z.object({
      question: AskRequest.shape.question,
      resources: asInSearch,
      thread: AskRequest.shape.thread,
    }),
    result: QuestionReply,
    toResult: toQuestionReply,
    toText: ({ text, evidence }) =>
      evidence === "none" ? `${text.trimEnd()}\n\nNo evidence: nothing that was read proves this answer.` : text,
  },
  search: {
    title: "Search a codebase",
    summary: "Finds passages in source code and documentation.",
    description:
      "First, before grepping node_modules, web search or memory: finds code in npm:zod, npm:zod@4, an https git URL, an " +
      "absolute folder, or the open project. Ranked by relevance, exact, by a regular expression, or the definitions or " +
      "uses of a name; asks no model. " +
      "Then read for more lines, and cite the place above the lines, or path:line. Not for general programming questions.",
    input: z.object({
      query: SearchRequest.shape.query,
      resources,
      limit: z
        .int()
        .min(1)
        .max(100)
        .optional()
        .describe(
          `How many passages, 1 to 100 (default ${passages.limit}); in exact and regex searches how many matching lines ` +
            `(default ${matchesLimit}).`,
        ),
      ...SearchRequest.pick({
        mode: true,
        offset: true,
        kinds: true,
        glob: true,
        ignoreCase: true,
        wholeWord: true,
        contextLines: true,
        counts: true,
      }).shape,
    }),
    defaultsFor: ({ mode = "ranked" }) =>
      mode === "ranked" ? passages : mode === "definition" ? definitions : { limit: matchesLimit },
    result: SearchReply,
    toResult: (reply) => reply,
    toText: (reply, options) => {
      const {
        results,
        counts = [],
        uses,
        matches,
        cut = [],
        searchedFiles,
        nearest = [],
        unavailable,
        pendingFiles = 0,
      } = reply;
      const skipped = describeSkipped(reply, nameOf);
      const { kept, repeated } = withoutRepeats(results);
      return [
        ...(isEmptyReply(reply)
          ? [`Nothing was found in ${countFiles(searchedFiles)}. Try other words, or another mode.`]
          : []),
        ...(nearest.length === 0 ? [] : [`Files of a similar name: ${nearest.map(nameOf).join(", ")}`]),
        ...showHits(kept, options),
        ...repeated.map((words) => `${words}.`),
        ...describeTotal(reply),
        ...(uses === undefined ? [] : [showUses(uses)]),
        ...(counts.length === 0 ? [] : [counts.map(showCount).join("\n")]),
        ...cut,
        ...(pendingFiles === 0 ? [] : [`${describePending(pendingFiles)}.`]),
        // A ranked search has no complete list of matches.
        ...(skipped === undefined || (matches === undefined && !isEmptyReply(reply)) ? [] : [`${skipped}.`]),
        ...describeUnavailable(unavailable),
      ].join("\n\n");
    },
  },
  history: {
    title: "History of code",
    summary: "The commits that changed a place, and the releases that have them.",
    description:
      "After search, for since when, why, which release: commits of the open project, an absolute folder or an https git " +
      "URL; of npm:zod its releases. Of a place or a text: what changed it.",
    // The operation checks the texts.
    input: z.object({
      place: z.string().optional().describe("A path, `src/a.ts:10-40`, or the name of a definition."),
      text: z.string().optional().describe("Text that was added or removed, perhaps in the place."),
      commit: z.string().optional().describe("One commit: message, changes, first release; of a package, a version."),
      blame: z.boolean().optional().describe("Which commit last changed each line of the place."),
      since: z.string().optional().describe("A date, commit or tag."),
      resource: z.string().optional().describe("As in read."),
      limit: HistoryRequest.shape.limit.unwrap().optional().describe(`Commits (default ${commits.limit}).`),
    }),
    defaultsFor: () => commits,
    result: HistoryReply,
    toResult: (reply) => reply,
    // Agents cite what they are shown.
    toText: (reply) => showHistory(reply, { asMarkers: true }),
  },
  upgrade: {
    title: "What an upgrade breaks",
    summary: "What another version of a dependency changes for the open project.",
    description:
      "Before you upgrade a dependency (npm:zod, no https git URL or absolute folder) of the open project: what it uses that " +
      "is removed, deprecated or changed, with both declarations and the changelog.",
    // The operation checks the texts.
    input: z.object({
      package: z.string().describe("As its manifest names it."),
      to: z.string().optional().describe("A version; default: the newest."),
    }),
    defaultsFor: () => ({ limit: upgradeFindings }),
    result: UpgradeReport,
    toResult: (report) => report,
    toText: (report) => showUpgrade(report).text,
  },
  read: {
    title: "Read a file of a codebase",
    summary: "Reads a file, or lines of it, at a revision.",
    description:
      "After search, before you cite: reads lines of a file in npm:zod, npm:zod@4, an https git URL, an absolute folder " +
      "or the open project, with line numbers, below the place to cite. Do not cite lines that you have not seen.",
    input: ReadRequest.extend({
      resource: ReadRequest.shape.resource.describe("As in `resources` of search. Default: the open project."),
      path: ReadRequest.shape.path.describe(
        "As search shows it, or from the resource's root; lines may follow, several too: `src/a.ts:10-40,88-120`.",
      ),
    }),
    result: SourceFile,
    toResult: (file) => file,
    toText: showFile,
  },
  verify: {
    title: "Verify citations",
    summary: "Checks whether cited files and lines exist and contain the quoted text.",
    description:
      "After you wrote an answer about npm:zod, an https git URL, an absolute folder or the open project: checks that the " +
      "files and lines that it cites exist and contain the quoted text. Reads paths with lines, permanent links and the " +
      "places that search and read give, and relative links. It does not check whether the claims are true, and does not change the text.",
    input: VerifyRequest.pick({ text: true }).extend({ resources: asInSearch }),
    result: VerifyReply,
    toResult: (reply) => reply,
    toText: ({ citations, links = [], unavailable }) =>
      [
        ...(citations.length === 0 ? ["The text cites no lines of any file."] : citations.map(describeVerified)),
        ...links.filter(({ state }) => state !== "found").map(describeLink),
        ...describeUnavailable(unavailable),
      ].join("\n"),
  },
};

/** What a model said, of what the tool takes, with what applies to the rest. */
export function toolInput(
  { input, defaultsFor }: Pick<PublishedTool<PublishedToolName>, "input" | "defaultsFor">,
  said: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const known = Object.fromEntries(Object.entries(said).filter(([key]) => Object.hasOwn(input.shape, key)));
  return { ...defaultsFor?.(known), ...known };
}

/** `npm express, fetched on first use`: the kind and source, the revision or state, and the owner's notes. */
export function describeResource(listing: ResourceListing): string {
  const { type, state, revision, failure, specialNotes } = listing;
  const isToFetch = state === "absent" && kindOf(listing).isFetched;
  const parts = [
    `${type} ${sourceOf(listing)}`.trim(),
    revision ?? (isToFetch ? "fetched when it is asked" : state),
    failure,
    specialNotes,
  ];
  return parts.filter((part) => part !== null).join(", ");
}

function nameOf({ resource, path }: { resource: string; path: string }): string {
  return showInvisibleInLine(`${resource}:${path}`);
}

/** Of an exact search: where a name is used, the same line in two definitions is two uses. */
function withoutRepeats(results: readonly SearchHit[]): { kept: readonly SearchHit[]; repeated: string[] } {
  const areMatches = results.every(({ matchLines, reason }) => matchLines !== undefined && reason === undefined);
  if (!areMatches) return { kept: results, repeated: [] };
  return collapseRepeats(results, {
    textOf: ({ preview }) => preview,
    placeOf: (hit) => `${nameOf(hit)}:${hit.matchLines?.[0] ?? hit.startLine}`,
  });
}

/** How many lines match, if all of them are shown: else what is cut says it. */
function describeTotal({ results, matches = 0 }: SearchReply): string[] {
  const shown = countMatchLines(results);
  const files = new Set(results.map(nameOf)).size;
  return matches > 1 && shown === matches ? [`${countLines(matches)} in ${countFiles(files)}.`] : [];
}

function describeVerified(citation: VerifiedCitation): string {
  const { at, state, resource, reason, commit } = citation;
  const place = `${resource === "" || commit !== undefined ? "" : `${resource}:`}${formatCited(citation)}`;
  const parts = [`line ${at.line}: ${citationStateWords[state]}`, place, reason];
  return parts.filter((part) => part !== undefined).join(", ");
}

/** `line 3: link missing, docs/none.md, no such file in app`. */
function describeLink({ at, state, target, reason }: FileLink): string {
  const parts = [`line ${at.line}: link ${fileLinkStateWords[state]}`, showInvisibleInLine(target), reason];
  return parts.filter((part) => part !== undefined).join(", ");
}

/** What a request was not about in the end, in one line. */
export function describeUnavailable(unavailable: readonly Unavailable[] = []): string[] {
  const reasons = unavailable.map(({ resource, error }) => `${showInvisibleInLine(resource)} (${error})`);
  return reasons.length === 0 ? [] : [`Left out, because they could not be opened: ${reasons.join("; ")}.`];
}

function showCount({ matches, ...file }: FileCount): string {
  return `${nameOf(file)}: ${countLines(matches)}`;
}

/**
 * As tools are declared: the fields at the root, because many clients look for them nowhere else, and nothing but what
 * a model needs.
 */
export function toolSchema({ shape }: z.ZodObject, io: "input" | "output"): Record<string, unknown> {
  // Leaves out its name, which would make a reference of it.
  const object = io === "input" ? z.strictObject(shape) : z.object(shape);
  const { $schema: _, ...schema } = z.toJSONSchema(object, {
    io,
    override: ({ jsonSchema }) => {
      tidy(jsonSchema);
      // A client that knows the tools of this version takes the results of a later one, with more fields.
      if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return schema;
}

/**
 * What a model has no use for: bounds that every whole number has, examples, and patterns and lengths, which the operation
 * checks.
 */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  delete schema.pattern;
  delete schema.minLength;
  delete schema.maxLength;
  delete schema.maxItems;
  delete schema.examples;
}
