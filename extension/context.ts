import type * as vscode from "vscode";
import type { AskRequest } from "../server/protocol/ask.ts";
import type { Citation } from "../server/protocol/citation.ts";
import type { Input, OperationName, Output } from "../server/protocol/operations.ts";
import type { EventOf } from "../server/protocol/results.ts";

/**
 * The services of all features of the extension, made once by `activate`. A feature gets it and registers its commands
 * and views (docs/development/editor.md).
 *
 * Nothing here starts the server: the first request does.
 */
export interface Citewell {
  extension: Pick<vscode.ExtensionContext, "extensionUri" | "globalState" | "workspaceState" | "globalStorageUri">;
  version: string;
  /** The channel `Citewell`. Questions and code only at trace level. */
  log: vscode.LogOutputChannel;
  server: Server;
  /** What has changed, so that views look again. */
  changes: Changes;
  /** The resources of questions without a mention; empty means all. Stored per workspace. */
  selection: Selection;
}

/** The state of the server process. */
export type ServerState = "stopped" | "starting" | "running" | "failed";

/** The child process. It starts with the first request. */
export interface Server {
  readonly state: ServerState;
  readonly onDidChangeState: vscode.Event<ServerState>;
  /** Whether a question is being answered, from any view. */
  readonly isAnswering: boolean;
  readonly onDidChangeAnswering: vscode.Event<boolean>;
  /** The channel `Citewell Server`: what the process logs. */
  readonly log: vscode.LogOutputChannel;
  /**
   * Carries out an operation. Events of a streaming one go to `onEvent`, in order, before the promise settles.
   * @throws ServerError, with the tag and the hint that the server gave; its tag is `Cancelled` when `token` was used
   */
  request<Name extends OperationName>(
    name: Name,
    input: Input<Name>,
    options?: RequestOptions<Name>,
  ): Promise<Output<Name>>;
  /** Works as `request` does, for a caller that folds the events itself. */
  stream<Name extends OperationName>(
    name: Name,
    input: Input<Name>,
    options: Required<RequestOptions<Name>>,
  ): Promise<void>;
  /** Answers requests of the server's own, of every process that is started: what the editor lends to it. */
  answer(method: `citewell/${string}`, answer: ServerQuestion): vscode.Disposable;
  /** Starts the process where none runs; as a request does. */
  start(): Promise<void>;
  /** Also after it has failed too often to be started by a request. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * `params` as they came. Where the server asked for a stream, `sendEvent` adds to it; a failure goes as an ErrorBody.
 */
export type ServerQuestion = (
  params: unknown,
  options: { token: vscode.CancellationToken; sendEvent(event: unknown): Promise<void> },
) => Promise<unknown>;

export interface RequestOptions<Name extends OperationName> {
  token?: vscode.CancellationToken | undefined;
  onEvent?: ((event: EventOf<Name>) => void) | undefined;
}

/** Events that features send to one another. */
export interface Changes {
  readonly onDidChangeResources: vscode.Event<void>;
  readonly onDidChangeModel: vscode.Event<void>;
  readonly onDidChangeThreads: vscode.Event<void>;
  fire(what: "resources" | "model" | "threads"): void;
}

export interface Selection {
  readonly names: readonly string[];
  readonly onDidChange: vscode.Event<void>;
  set(names: readonly string[]): Promise<void>;
}

/** The chat, as other features use it (`features/chat/chat.ts`). */
export interface Chat {
  /** Shows the view and asks; a running answer is stopped first only when the person agrees. */
  ask(question: string, options?: Pick<AskRequest, "resources">): Promise<void>;
  /** Shows the view, with `text` in the box and the cursor behind it. */
  compose(text?: string): Promise<void>;
  /** Goes on with a kept conversation. */
  resume(thread: string): Promise<void>;
}

/** Opens cited lines at their revision (`features/citations/citations.ts`). */
export interface Citations {
  /**
   * The focus stays where it is unless `takesFocus`; `column` is the group, by default the active one. Never rejects: a
   * failure is shown.
   */
  open(
    citation: Pick<Citation, "resource" | "path" | "revision" | "startLine" | "endLine">,
    options: { toSide: boolean; takesFocus?: boolean; column?: vscode.ViewColumn | undefined },
  ): Promise<void>;
  /** The cited lines that are marked in a document. */
  markedIn(uri: vscode.Uri): vscode.Range | undefined;
  /** Takes the marks of the cited lines away: their answer is gone. */
  clear(): void;
}
