import * as z from "zod";
import { Answer, AskEvent, AskRequest, QuestionReply } from "./ask.ts";
import { CompareRequest, Comparison } from "./compare.ts";
import { Cleared, ConfigFiles, ConfigSummary, ModelSet, Reloaded, SetModel } from "./config.ts";
import { HistoryReply, HistoryRequest } from "./git-history.ts";
import { ProviderList } from "./provider.ts";
import { SearchReply, SearchRequest } from "./search.ts";
import {
  ConnectProvider,
  Disconnected,
  ListModelsRequest,
  ModelList,
  ProviderConnected,
  ProviderRef,
  SignInEvent,
  SignInRequest,
} from "./sign-in.ts";
import { ResourceName } from "./resource-fields.ts";
import {
  BranchList,
  DependencyList,
  ListBranchesRequest,
  listingFacts,
  ListResourcesRequest,
  PlacedResource,
  Prepared,
  RefreshEvent,
  ResourceList,
  ResourceListing,
  ResourceSpec,
} from "./resource.ts";
import { FollowUps, FollowUpsRequest } from "./follow-ups.ts";
import { FileListing, FindFilesRequest, FoundFiles, ListFilesRequest, ReadRequest, SourceFile } from "./source.ts";
import { UpgradeReport, UpgradeRequest } from "./upgrade.ts";
import { VerifyReply, VerifyRequest } from "./verify.ts";
import { Thread, ThreadDeleted, ThreadList, ThreadRecheck, ThreadRef } from "./threads.ts";

export const Nothing = z.object({});
export type Nothing = z.infer<typeof Nothing>;

const ResourceRef = z.object({ name: ResourceName }).meta({ id: "ResourceRef" });
const Removed = z.object({ success: z.literal(true), name: ResourceName }).meta({ id: "Removed" });

type Schema = z.ZodType;
/** One thing a client may ask for: its shapes, and its name on every wire that offers it. */
export interface Operation {
  summary: string;
  input: Schema;
  /** Fields that a client may send besides, which mean nothing here: those of a row that it was given. */
  alsoSent?: readonly string[];
  output: Schema;
  /** Present on operations that stream; the stream ends with the output folded into its last event. */
  event?: Schema;
  http?: `${"GET" | "POST" | "PUT" | "DELETE"} /${string}`;
  lsp?: `citewell/${string}`;
  mcp?: string;
  /** A tool of the hosted endpoint, beside those with an `mcp` name. */
  hosted?: string;
}

/**
 * The table of all operations, with the shape of their input, output and events, and their name on each wire. HTTP
 * routes, OpenAPI, LSP requests, MCP tools and `docs/protocol.md` are derived from it.
 *
 * The functions that carry them out are in `server/operations/operations.ts`, which does not compile without each.
 * The guide is docs/development/adding-an-operation.md.
 */
export const operations = {
  ask: {
    summary: "Ask a question; the answer streams.",
    input: AskRequest,
    output: Answer,
    event: AskEvent,
    http: "POST /question/stream",
    lsp: "citewell/ask",
    mcp: "ask",
  },
  question: {
    summary: "Ask a question; the answer comes whole.",
    input: AskRequest,
    output: QuestionReply,
    http: "POST /question",
  },
  getConfig: {
    summary: "The configuration in force.",
    input: Nothing,
    output: ConfigSummary,
    http: "GET /config",
    lsp: "citewell/getConfig",
  },
  getConfigFiles: {
    summary: "The paths of the configuration files, also if they cannot be read.",
    input: Nothing,
    output: ConfigFiles,
    lsp: "citewell/getConfigFiles",
  },
  setModel: {
    summary: "Choose the provider and the model.",
    input: SetModel,
    output: ModelSet,
    http: "PUT /config/model",
    lsp: "citewell/setModel",
  },
  reloadConfig: {
    summary: "Read the configuration again; running questions are not disturbed.",
    input: Nothing,
    output: Reloaded,
    http: "POST /reload-config",
    lsp: "citewell/reloadConfig",
  },
  clear: {
    summary: "Remove fetched snapshots; never a local folder, nor a snapshot in use by a running question.",
    input: Nothing,
    output: Cleared,
    http: "POST /clear",
    lsp: "citewell/clear",
  },
  prepare: {
    summary: "Index the open projects in the background; the reply comes when that is over.",
    input: Nothing,
    output: Prepared,
    lsp: "citewell/prepare",
  },
  search: {
    summary: "Search resources, ranked or exactly.",
    input: SearchRequest,
    output: SearchReply,
    http: "POST /search",
    lsp: "citewell/search",
    mcp: "search",
  },
  history: {
    summary: "The commits that touched a place, a definition or a text; who last changed lines; the first release.",
    input: HistoryRequest,
    output: HistoryReply,
    http: "POST /history",
    lsp: "citewell/history",
    mcp: "history",
  },
  upgrade: {
    summary: "What another version of a dependency changes for the open project. Asks no model.",
    input: UpgradeRequest,
    output: UpgradeReport,
    http: "POST /upgrade",
    lsp: "citewell/upgrade",
    mcp: "upgrade",
  },
  compare: {
    summary: "What differs between two versions of a package or two revisions of a repository. Asks no model.",
    input: CompareRequest,
    output: Comparison,
    http: "POST /compare",
    lsp: "citewell/compare",
    hosted: "compare",
  },
  followUps: {
    summary: "What one may ask after an answer: questions that its citations lead to. Asks no model.",
    input: FollowUpsRequest,
    output: FollowUps,
    lsp: "citewell/followUps",
  },
  findFiles: {
    summary: "Files of the open projects by letters of their path.",
    input: FindFilesRequest,
    output: FoundFiles,
    lsp: "citewell/findFiles",
  },
  verify: {
    summary: "Check the citations of any Markdown, without changing it.",
    input: VerifyRequest,
    output: VerifyReply,
    lsp: "citewell/verify",
    mcp: "verify",
  },
  listProviders: {
    summary: "The supported providers, and which of them are connected.",
    input: Nothing,
    output: ProviderList,
    http: "GET /providers",
    lsp: "citewell/listProviders",
  },
  listResources: {
    summary: "The open projects and the configured resources, with the state of each on disk.",
    input: ListResourcesRequest,
    output: ResourceList,
    http: "GET /resources",
    lsp: "citewell/listResources",
    mcp: "listResources",
  },
  addResource: {
    summary: "Add a resource to the configuration.",
    input: ResourceSpec,
    alsoSent: listingFacts,
    output: ResourceSpec,
    http: "POST /config/resources",
    lsp: "citewell/addResource",
    hosted: "addResource",
  },
  addResourceTo: {
    summary: "Add a resource to the project's configuration or to the global one.",
    input: PlacedResource,
    output: ResourceSpec,
    lsp: "citewell/addResourceTo",
  },
  removeResource: {
    summary: "Remove a resource from the configuration.",
    input: ResourceRef,
    output: Removed,
    http: "DELETE /config/resources",
    lsp: "citewell/removeResource",
  },
  updateResource: {
    summary: "Replace the configured resource of that name.",
    input: ResourceSpec,
    output: ResourceSpec,
    lsp: "citewell/updateResource",
  },
  refreshResource: {
    summary: "Fetch the newest revision of a resource now, under any refresh policy.",
    input: ResourceRef,
    output: ResourceListing,
    event: RefreshEvent,
    lsp: "citewell/refreshResource",
    hosted: "sync",
  },
  listBranches: {
    summary: "The branches and tags of a repository, from its host.",
    input: ListBranchesRequest,
    output: BranchList,
    lsp: "citewell/listBranches",
    hosted: "listRevisions",
  },
  listDependencies: {
    summary: "The workspace's dependencies at their installed versions.",
    input: Nothing,
    output: DependencyList,
    lsp: "citewell/listDependencies",
  },
  read: {
    summary: "A file of a resource, or lines of it, at a revision.",
    input: ReadRequest,
    output: SourceFile,
    lsp: "citewell/read",
    mcp: "read",
  },
  listFiles: {
    summary: "The entries of a folder of a resource.",
    input: ListFilesRequest,
    output: FileListing,
    lsp: "citewell/listFiles",
  },
  listModels: {
    summary: "The models of a provider, from its server if it is connected.",
    input: ListModelsRequest,
    output: ModelList,
    lsp: "citewell/listModels",
  },
  connectProvider: {
    summary: "Keep a provider's key.",
    input: ConnectProvider,
    output: ProviderConnected,
    lsp: "citewell/connectProvider",
  },
  signIn: {
    summary: "Sign in to a provider in the browser.",
    input: SignInRequest,
    output: ProviderConnected,
    event: SignInEvent,
    lsp: "citewell/signIn",
  },
  disconnectProvider: {
    summary: "Forget a provider's key or sign-in.",
    input: ProviderRef,
    output: Disconnected,
    lsp: "citewell/disconnectProvider",
  },
  listThreads: {
    summary: "The stored conversations.",
    input: Nothing,
    output: ThreadList,
    lsp: "citewell/listThreads",
  },
  getThread: {
    summary: "A conversation, with the lines that it cites.",
    input: ThreadRef,
    output: Thread,
    http: "GET /thread",
    lsp: "citewell/getThread",
  },
  deleteThread: {
    summary: "Remove a conversation, and the files that it alone cites.",
    input: ThreadRef,
    output: ThreadDeleted,
    lsp: "citewell/deleteThread",
  },
  recheckThread: {
    summary: "Check whether the lines that a conversation cites are still there, without a model.",
    input: ThreadRef,
    output: ThreadRecheck,
    lsp: "citewell/recheckThread",
  },
} as const satisfies Record<string, Operation>;

export type Operations = typeof operations;
export type OperationName = keyof Operations;
export const operationNames: readonly OperationName[] = Object.keys(operations).filter(isOperationName);
export type Input<Name extends OperationName> = z.output<Operations[Name]["input"]>;
export type Output<Name extends OperationName> = z.output<Operations[Name]["output"]>;

export interface CallOptions {
  signal?: AbortSignal;
}

/** A stream of events where the operation has them, else the output. */
export type Result<Name extends OperationName> = Name extends OperationName
  ? Operations[Name] extends { event: infer Event extends Schema }
    ? AsyncIterable<z.output<Event>>
    : Promise<Output<Name>>
  : never;

/**
 * What every transport adapts: one method for each operation. A missing implementation does not compile. `App` is the
 * implementation; transports call it, and tests replace single methods.
 *
 * A method takes parsed input. It throws `CitewellError`; nothing is caught below the transport.
 */
export type Handlers = {
  [Name in OperationName]: (input: Input<Name>, options?: CallOptions) => Result<Name>;
};

function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}
