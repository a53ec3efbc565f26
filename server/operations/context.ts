import type { Caller } from "../caller.ts";
import type { Config } from "../config/config.ts";
import type { Log } from "../lib/log.ts";
import type { ConfigFiles, SetModel } from "../protocol/config.ts";
import type { ReplyingName } from "../protocol/handlers.ts";
import type { Input, OperationName, Output } from "../protocol/operations.ts";
import type { PlacedResource, ResourceSpec } from "../protocol/resource.ts";
import type { EventOf, StreamingName } from "../protocol/results.ts";
import type { Providers } from "../providers/providers.ts";
import type { OpensResources } from "../resources/keep-opened.ts";
import type { Dependencies, NamedDependency } from "../resources/packages/dependencies.ts";
import type { UnreadDependency } from "../resources/packages/other-manifests.ts";
import type { Resources } from "../resources/resources.ts";
import type { Retrieval } from "../retrieval/retrieval.ts";
import type { ThreadStore } from "../threads/threads.ts";
import type { Origins } from "../agent/tools/imported.ts";
import type { Following } from "./followed-folders.ts";
import type { Patience } from "./open.ts";
import type { Places } from "./targets.ts";

/**
 * What an operation works with: the services of the process and of the caller's project, made for one call.
 *
 * An operation does not keep it. Tests build one from fakes; `tenant.ts` builds the real one. A new service is
 * declared here and created there.
 */
export interface Context {
  caller: Caller;
  node: NodeServices;
  tenant: TenantServices;
  /** Adds the caller's fields to each line. */
  log: Log;
}

/** Shared by all callers of a process. */
export interface NodeServices {
  retrieval: Retrieval;
}

/** One set for each project; what follows the configuration follows `config`. */
export interface TenantServices {
  /** The configuration when the call began: a running question keeps it. */
  config: Config;
  /** Faults of the configuration, in sentences. */
  warnings: readonly string[];
  configuration: Configuration;
  resources: Resources;
  /** Open resources, for `verify`; a short-lived command opens each once. */
  openings: OpensResources;
  providers: Providers;
  threads: ThreadStore;
  projects: Projects;
  /** Present if changes in folders are watched. */
  followed?: Following | undefined;
  places: Places;
  patience: Patience;
}

/** The configuration as it is stored. */
export interface Configuration {
  /** Reads it again. @throws ConfigInvalid */
  reload(): Promise<Config>;
  files(): Promise<ConfigFiles>;
  add(spec: ResourceSpec, savedTo?: PlacedResource["savedTo"]): Promise<unknown>;
  update(spec: ResourceSpec): Promise<unknown>;
  remove(name: string): Promise<unknown>;
  setModel(choice: SetModel): Promise<{ savedTo: "project" | "global" }>;
}

/** The open projects. */
export interface Projects {
  /** Their root folders: absolute paths. */
  folders(): Promise<readonly string[]>;
  /** Whether a folder is in a project, rather than one for anything. Absent if files of this computer are not read. */
  isProject?: (folder: string) => Promise<boolean>;
  /** The root folder of the project that a folder belongs to. Absent if files of this computer are not read. */
  rootOf?: (folder: string) => Promise<string | undefined>;
  /** What the workspace depends on; undefined without a workspace. */
  dependencies(): Promise<Dependencies | undefined>;
  /** The installed dependencies that a text names. */
  dependenciesNamedIn(text: string): Promise<readonly NamedDependency[]>;
  /** The dependencies that a text names and that no ecosystem reads. Absent if files of this computer are not read. */
  unreadNamedIn?: (text: string) => Promise<readonly UnreadDependency[]>;
  /** Absent if files of this computer are not read. */
  origins?: Origins;
}

/** One call of an operation. */
export interface Call {
  signal: AbortSignal;
}

/** The implementation of an operation, typed by its row in the table (`protocol/operations.ts`). */
export type OperationOf<Name extends OperationName> = (ReplyOperations & StreamOperations)[Name];

/** The implementations of operations that answer once. */
export type ReplyOperations = {
  [Name in ReplyingName]: (input: Input<Name>, context: Context, call: Call) => Promise<Output<Name>>;
};
/** The implementations of operations that send events. */
export type StreamOperations = {
  [Name in StreamingName]: (input: Input<Name>, context: Context, call: Call) => AsyncIterable<EventOf<Name>>;
};
/** An implementation for each operation. */
export type Implementations = ReplyOperations & StreamOperations;
