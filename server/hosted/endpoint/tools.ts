import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { untilAborted } from "../../lib/abort.ts";
import type { AskEvent } from "../../protocol/ask.ts";
import { Comparison, comparisonMarkdown, CompareRequest } from "../../protocol/compare.ts";
import type { KeyScope } from "../../protocol/api-keys.ts";
import { AddResource, HostedResourceList, ListRevisions, RevisionList, Sync } from "../../protocol/hosted.ts";
import { servedNouns } from "../../protocol/kinds/kinds.ts";
import { type Operation, type OperationName, operationNames, operations } from "../../protocol/operations.ts";
import { type PublishedToolName, publishedTools } from "../../protocol/published-tools.ts";
import { limits, splitRevision } from "../../protocol/resource-fields.ts";
import { callOperation } from "../../transports/call-operation.ts";
import { carryOut, inTime } from "../../transports/mcp/calls.ts";
import { inputOf, type McpTool, outputOf, readOffset } from "../../transports/mcp/tools.ts";
import {
  fetchOf,
  filterResources,
  listFetched,
  NamedResources,
  type ProjectCall,
  requestSync,
  requireKnown,
  requireSome,
  selectResources,
} from "../projects/registered.ts";
import { presentResources, toResult, withFailures } from "./tool-results.ts";

/** A tool of the endpoint. */
export interface HostedTool extends McpTool {
  operation: OperationName;
  /** One of these is enough. */
  scopes: readonly KeyScope[];
  /** Whether it reads snapshots of the resources that its arguments name. */
  isReading: boolean;
  run(input: Record<string, unknown>, call: RunningCall): Promise<CallToolResult>;
}

interface RunningCall extends ProjectCall {
  /** The arguments without the defaults of the input. */
  said: Record<string, unknown>;
  notes: readonly string[];
  deadlineMs: number;
  isStructured: boolean;
  onEvent(event: AskEvent): void;
}

const reference = z.string().min(1).max(limits.pathLength);
const resources = z
  .array(reference)
  .max(limits.resourcesPerRequest)
  .optional()
  .describe(
    "Names or groups (@backend) as listResources returns them, names perhaps at another branch, tag, commit or version: " +
      "`zod@v3`. None given: all.",
  );

const named = reference.describe("As in search.");

const reading = {
  scopes: ["read"],
  isReading: true,
  annotations: { readOnlyHint: true, openWorldHint: false },
} as const;

const ComparedNames = CompareRequest.pick({ before: true, after: true, place: true });
/** The length of each list of a comparison. */
const comparedLimit = 12;

/** How many branches, and how many tags, are listed. */
const listedRevisions = 100;

function describeRevisions({ main, branches, tags, omitted }: z.infer<typeof RevisionList>): string {
  return [
    `Branches: ${branches.map((name) => (name === main ? `${name} (default)` : name)).join(", ") || "none"}`,
    `Tags: ${tags.join(", ") || "none"}`,
    ...(omitted === undefined ? [] : [`${omitted} more: give a filter.`]),
  ].join("\n");
}

const Listed = z.object({
  filter: z.string().max(200).optional().describe("Words of the name or address, or a group: @backend."),
});

const managing = {
  scopes: ["manage"],
  isReading: false,
  annotations: { readOnlyHint: false, openWorldHint: false },
} as const;

/** What the table says of a tool. */
type Row = Omit<HostedTool, "name" | "operation">;

/** Without `upgrade`: a service has no open project. */
type ServedName = Exclude<PublishedToolName, "upgrade">;

const rows: { readonly [Name in ServedName | "compare" | "listBranches" | "addResource" | "refreshResource"]: Row } = {
  listResources: {
    ...published("listResources", {
      description: "Call this first: the codebases that this team registered, with name, kind, revision and state.",
      scopes: ["ask", "read", "manage"],
      input: inputOf("listResources").extend(Listed.shape),
    }),
    isReading: false,
    output: HostedResourceList,
    async run(input, call) {
      const { filter = "" } = Listed.parse(input);
      if (filter === "") return presentResources(await listFetched(call), call, await call.groups());
      const wanted = filter.startsWith("@") ? { group: filter } : { words: filter };
      const { found, groups } = await filterResources(wanted, call);
      const listed = await listFetched({ ...call, ...call.narrowTo([...found.keys()]) });
      return presentResources(listed, call, groups);
    },
  },
  ask: published("ask", {
    description:
      "Explains how the team's codebases work, across files, with citations that were checked against them. Name " +
      "resources as listResources returns them.",
    scopes: ["ask"],
    input: publishedTools.ask.input.pick({ question: true }).extend({ resources }),
  }),
  search: published("search", {
    description:
      "Finds code and documentation in the team's codebases: ranked by relevance, exact, by a regular expression, or the " +
      "definitions or uses of a name. Then read for more lines, and cite the place above the lines, or path:line.",
    scopes: ["read"],
    input: inputOf("search").extend({ resources }),
  }),
  history: published("history", {
    description:
      "After search, for since when, why, which release: commits of a repository that changed a place or a text, or the " +
      "releases of a package.",
    scopes: ["read"],
    input: inputOf("history").extend({ resource: named }),
  }),
  compare: {
    ...reading,
    title: "Compare two versions",
    description:
      "What differs between two revisions of a repository or versions of a package: definitions, files, changelogs; with " +
      "place, its changed lines.",
    input: z.object({
      before: reference.describe("At a revision: `zod@v3`."),
      after: reference.describe("The other revision: `v4`; or the name alone, as it is now."),
      place: CompareRequest.shape.place.describe("A path, or the name of a definition."),
    }),
    output: Comparison,
    run: async (input, call) => {
      const { before, after, place } = ComparedNames.parse(input);
      const { name } = splitRevision(before);
      const isNamed = splitRevision(after).name === name;
      const asked = await requireKnown([before], call);
      const other = isNamed ? after : `${name}@${after}`;
      const { app, signal, deadlineMs, isStructured } = call;
      const work = app.compare({ before, after: other, place, limit: comparedLimit }, { signal });
      const comparison = await inTime(untilAborted(work, signal), deadlineMs);
      const result = toResult(comparisonMarkdown(comparison), { structured: comparison, isStructured });
      return withFailures(result, asked, call);
    },
  },
  listBranches: {
    ...reading,
    title: "List the revisions of a repository",
    description: "Branches and tags of a repository, to name behind `@`. For versions of a package, call history.",
    input: ListRevisions,
    isReading: false,
    output: RevisionList,
    run: async (input, call) => {
      const { resource, filter = "" } = ListRevisions.parse(input);
      await requireKnown([resource], call);
      const { signal, isStructured } = call;
      const { app } = call.narrowTo([resource]);
      const { resources: listed } = await app.listResources({}, { signal });
      const url = listed.find(({ name }) => name === resource)?.url;
      if (typeof url !== "string") {
        throw new CitewellError(
          "InvalidRequest",
          `${resource} is no repository: history lists the releases of a package`,
        );
      }
      const found = await app.listBranches({ url }, { signal });
      const matching = (names: readonly string[]) => names.filter((name) => name.includes(filter));
      const [branches, tags] = [matching(found.branches), matching(found.tags)];
      const shown = {
        main: found.main,
        branches: branches.slice(0, listedRevisions),
        tags: tags.slice(-listedRevisions),
      };
      const omitted = branches.length + tags.length - shown.branches.length - shown.tags.length;
      const structured = { ...shown, ...(omitted === 0 ? {} : { omitted }) };
      return toResult(describeRevisions(structured), { structured, isStructured });
    },
  },
  read: published("read", {
    description:
      "Reads lines of a file at a revision, with line numbers, below the place to cite. Use it after search.",
    scopes: ["read"],
    input: inputOf("read").extend({ resource: named }),
  }),
  verify: published("verify", {
    description:
      "Checks that the files and lines that a text cites exist and say what is quoted. It does not check whether the " +
      "claims are true.",
    scopes: ["read"],
    input: inputOf("verify").extend({ resources }),
  }),
  addResource: {
    ...managing,
    title: "Add a codebase",
    description: `Registers a ${servedNouns} under a name. It is fetched in the background: listResources shows its state.`,
    input: AddResource,
    async run(_input, { app, fetches, signal, said, isStructured }) {
      const request = { subject: "addResource", noun: "argument" } as const;
      // This passes on what the client wrote: the parsed input has defaults of other types, which are refused.
      const spec = await callOperation(app, "addResource", said, { signal }, { request });
      const fetch = await fetchOf(spec.name, fetches);
      const text = `Added ${spec.name}. It is being fetched: listResources shows its state.`;
      return toResult(text, { structured: { ...spec, fetch }, isStructured });
    },
  },
  refreshResource: {
    ...managing,
    title: "Fetch the newest revision",
    description:
      "Fetches the newest revision of a resource or a group, or of all when none is named, in the background: listResources " +
      "shows the state.",
    input: Sync,
    output: HostedResourceList,
    run: async (input, call) => presentResources(await requestSync(Sync.parse(input).resource, call), call),
  },
};

/** All tools, in the order of the operations. */
export const hostedTools: readonly HostedTool[] = operationNames.flatMap((operation) => {
  const row: Row | undefined = Object.entries(rows).find(([name]) => name === operation)?.[1];
  const { hosted, mcp }: Operation = operations[operation];
  return row === undefined ? [] : [{ ...row, operation, name: hosted ?? mcp ?? operation }];
});

/** A tool that agents on a computer have too. Here only registered resources can be named. */
function published(name: ServedName, row: Pick<Row, "description" | "scopes" | "input">): Row {
  return {
    title: publishedTools[name].title,
    ...row,
    output: outputOf(name),
    annotations: { readOnlyHint: true, openWorldHint: false },
    isReading: true,
    async run(input, call) {
      const references = NamedResources.parse(input);
      const { resources: given, ...rest } = input;
      // Where one resource is named, a group is none.
      const { names, about, parts, states } =
        given === undefined
          ? { names: references, about: references, parts: call, states: undefined }
          : await selectResources(references, call);
      const own = { ...call, ...parts };
      const asked = await requireKnown(about, own, states);
      if (name === "ask" || name === "search") requireSome(asked);
      const said = names.length === 0 ? rest : input;
      const offset = readOffset(name, input);
      const result = await carryOut(name, said, { ...own, keepsThread: false, offset, cwd: undefined });
      return withFailures(result, asked, own);
    },
  };
}
