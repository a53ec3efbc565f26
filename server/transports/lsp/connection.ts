import { createConnection, type ProposedFeatures } from "vscode-languageserver";
import {
  createProtocolConnection,
  IPCMessageReader,
  IPCMessageWriter,
  type MessageReader,
  type MessageWriter,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";

/** What features of the server are written against; see `LspFeature`. */
export type Connection = ProposedFeatures.Connection;

export interface LspConnection {
  connection: Connection;
  /**
   * Settles when it is over: the client said `exit`, closed its end, or its process is gone. Its value is the exit
   * code: 0 only after `shutdown`.
   */
  ended: Promise<number>;
}

export interface LspWires {
  reader: MessageReader;
  writer: MessageWriter;
  /** Calls back when the other end is closed. */
  onClose(listener: () => void): void;
}

/** Node's channel between a process and the child that it has forked. */
export function ipcWires(child: NodeJS.Process): LspWires {
  return {
    reader: new IPCMessageReader(child),
    writer: new IPCMessageWriter(child),
    onClose: (listener) => child.once("disconnect", listener),
  };
}

/** Messages behind `Content-Length` headers; nothing else may be written to `output`. */
export function streamWires(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): LspWires {
  return {
    reader: new StreamMessageReader(input),
    writer: new StreamMessageWriter(output),
    onClose(listener) {
      input.once("end", listener);
      input.once("close", listener);
    },
  };
}

/** How often it is looked whether the client still lives, in milliseconds. */
const parentCheckMs = 3000;

/**
 * A connection that leaves the end of the process to us: that of `vscode-languageserver/node` calls `process.exit` by
 * itself, before what runs could be ended.
 */
export function openConnection({ reader, writer, onClose }: LspWires): LspConnection {
  let parentCheck: NodeJS.Timeout | undefined;
  let end = (_exitCode: number): void => {};
  const ended = new Promise<number>((resolve) => {
    end = resolve;
  }).finally(() => clearInterval(parentCheck));
  const watchDog = {
    shutdownReceived: false,
    initialize({ processId }: { processId: number | null }) {
      if (processId === null) return;
      parentCheck = setInterval(() => {
        if (!isAlive(processId)) leave();
      }, parentCheckMs).unref();
    },
    exit: (exitCode: number) => end(exitCode),
  };
  const leave = () => end(watchDog.shutdownReceived ? 0 : 1);
  onClose(leave);
  const connection = createConnection((logger) => createProtocolConnection(reader, writer, logger), watchDog);
  return { connection, ended };
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // Someone else's process is a process all the same.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
