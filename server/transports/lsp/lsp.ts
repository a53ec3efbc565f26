import {
  ErrorCodes,
  MessageType,
  ResponseError,
  type ServerCapabilities,
  ShowMessageNotification,
} from "vscode-languageserver";
import { CitewellError } from "../../errors.ts";
import { untilAborted } from "../../lib/abort.ts";
import type { Log } from "../../lib/log.ts";
import type { Handlers } from "../../protocol/operations.ts";
import type { Connection, LspConnection } from "./connection.ts";
import { followFolders } from "./open-folders.ts";
import { answerOperations } from "./operations.ts";
import { type EditorLimits, readSettings } from "./settings.ts";

export interface LspOptions {
  app: Handlers;
  /** The package's, for `serverInfo`. */
  version: string;
  log: Log;
  /** What the server does beside the operations. */
  features?: readonly LspFeature[];
  /** Whenever the editor says what is set there. */
  onLimits(limits: EditorLimits): void;
  /** Called at the start and whenever they change, with the absolute paths of the folders that the editor has open. */
  onFolders?(folders: readonly string[]): void;
  /** Once the client is there; what takes long should wait for it. */
  onInitialized?(): void;
  /** Ends it from this side. */
  signal: AbortSignal;
}

/** Adds its handlers, and returns what the client must know of them. */
export type LspFeature = (connection: Connection) => ServerCapabilities;

/**
 * Serves one editor over LSP, until either side ends it; what runs is then cancelled. Resolves with the exit code
 * that the protocol wants of the process; rejects with the signal's reason.
 *
 * It adds no operation of its own: a row of the table with an `lsp` name is a request. Help with the configuration
 * file is an `LspFeature`. Decision 7 has the reasons; the other side is `extension/language-client.ts`.
 */
export async function serveLsp(
  { connection, ended }: LspConnection,
  { app, version, log, features = [], onLimits, onFolders, onInitialized, signal }: LspOptions,
): Promise<number> {
  const closing = new AbortController();
  const close = () => closing.abort(new CitewellError("Cancelled", "the server is shutting down"));
  const capabilities: ServerCapabilities = Object.assign({}, ...features.map((feature) => feature(connection)));
  const told = new Set<string>();
  let isInitialized = false;

  function takeSettings(raw: unknown): void {
    const { limits, faults } = readSettings(raw);
    onLimits(limits);
    for (const fault of faults.filter((fault) => !told.has(fault))) {
      told.add(fault);
      const message = `${fault}; the setting is ignored`;
      void connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Warning, message });
    }
  }

  const folders = followFolders(connection, (paths) => onFolders?.(paths));
  Object.assign(capabilities, folders.capabilities);
  connection.onInitialize(({ initializationOptions, workspaceFolders, capabilities: client }) => {
    isInitialized = true;
    takeSettings(initializationOptions);
    folders.begin(workspaceFolders ?? [], client);
    return { capabilities, serverInfo: { name: "citewell", version } };
  });
  connection.onInitialized(() => {
    folders.follow();
    onInitialized?.();
  });
  connection.onDidChangeConfiguration(takeSettings);
  connection.onShutdown(close);
  answerOperations(connection, {
    app,
    log,
    closing: closing.signal,
    refusal() {
      if (!isInitialized) return new ResponseError(ErrorCodes.ServerNotInitialized, "initialize comes first");
      if (!closing.signal.aborted) return undefined;
      return new ResponseError(ErrorCodes.InvalidRequest, "the server is shutting down");
    },
  });
  connection.listen();
  try {
    return await untilAborted(ended, signal);
  } finally {
    close();
    connection.dispose();
  }
}
