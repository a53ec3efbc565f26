import type { Readable, Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  ErrorCode,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  JSONRPCRequestSchema,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import { describeIssues } from "../../protocol/validation.ts";
import { dropNullParams } from "../request-fields.ts";

export interface StdioTransport extends Transport {
  /** The client says no more. */
  ended: Promise<void>;
  /** Nothing is left to be answered. */
  idle(): Promise<void>;
}

export interface StdioOptions {
  input: Readable;
  output: Writable;
}

/** The longest message that is taken, in bytes: several times the longest text that `verify` takes. */
const messageBytes = 32 * 1024 * 1024;

/** How many requests may run before the next ones are left in the pipe. */
const requestsAtOnce = 2000;

/**
 * Messages as lines, like the SDK's own transport, with an answer to invalid messages and a bound on the output that a
 * slow client can accumulate. Input waits until the output is taken; progress is dropped meanwhile.
 */
export function createStdioTransport({ input, output }: StdioOptions): StdioTransport {
  const running = new Set<RequestId>();
  const idlers = new Set<() => void>();
  const lines = createLineReader({ onLine: take, onTooLong: refuseTooLong });
  const ended = new Promise<void>((resolve) => {
    input.once("end", () => {
      // The last line may lack its end.
      lines.end();
      resolve();
    });
    input.once("close", resolve);
    input.once("error", () => resolve());
  });
  const onData = (chunk: Buffer) => {
    lines.read(chunk);
    pauseWhereFull();
  };

  function take(line: Buffer): void {
    const text = line.toString("utf8").trim();
    if (text === "") return;
    let raw: unknown;
    try {
      raw = JSON.parse(text);
    } catch (error) {
      refuse(null, ErrorCode.ParseError, `not JSON: ${error instanceof Error ? error.message : "unreadable"}`);
      return;
    }
    dropNullParams(raw);
    const message = JSONRPCMessageSchema.safeParse(raw);
    if (message.success) receive(message.data);
    else refuse(idOf(raw), ...faultOf(raw));
  }

  function receive(message: JSONRPCMessage): void {
    // A subscription lasts as long as the connection: nothing waits for its answer.
    if ("method" in message && "id" in message && message.method !== "subscriptions/listen") running.add(message.id);
    // A request that is cancelled is not answered.
    if ("method" in message && message.method === "notifications/cancelled") settle(message.params?.["requestId"]);
    transport.onmessage?.(message);
  }

  function settle(id: unknown): void {
    if (typeof id === "string" || typeof id === "number") running.delete(id);
    if (running.size === 0) for (const tell of idlers) tell();
    if (input.isPaused() && !isFull()) input.resume();
  }

  function refuse(id: RequestId | null, code: number, message: string): void {
    write({ jsonrpc: "2.0", id, error: { code, message } });
  }

  function refuseTooLong(): void {
    refuse(null, ErrorCode.InvalidRequest, `a message has at most ${messageBytes} bytes`);
  }

  function write(message: unknown): void {
    if (output.writable) output.write(`${JSON.stringify(message)}\n`);
    pauseWhereFull();
  }

  function isFull(): boolean {
    return output.writableNeedDrain || running.size >= requestsAtOnce;
  }

  function pauseWhereFull(): void {
    if (!input.isPaused() && isFull()) input.pause();
  }

  const onDrain = () => {
    if (input.isPaused() && !isFull()) input.resume();
  };

  const transport: StdioTransport = {
    ended,
    idle: () =>
      new Promise((resolve) => {
        if (running.size === 0) resolve();
        else idlers.add(resolve);
      }),
    async start() {
      output.on("drain", onDrain);
      input.on("data", onData);
    },
    async send(message) {
      const isReply = !("method" in message);
      if (isReply || !isDroppable(message.method) || !output.writableNeedDrain) write(message);
      if (isReply) settle(message.id);
    },
    async close() {
      input.off("data", onData);
      output.off("drain", onDrain);
      input.pause();
      transport.onclose?.();
    },
  };
  return transport;
}

function isDroppable(method: string): boolean {
  return method === "notifications/progress" || method === "notifications/message";
}

/** The fault of an invalid message, or only of the parameters of a request. */
function faultOf(raw: unknown): [code: ErrorCode, message: string] {
  const { error } = JSONRPCRequestSchema.safeParse(raw);
  const isOfParams = error?.issues.every(({ path }) => path[0] === "params") ?? false;
  return error !== undefined && isOfParams
    ? [ErrorCode.InvalidParams, describeIssues(error, raw)]
    : [ErrorCode.InvalidRequest, "not a JSON-RPC 2.0 message: one request or notification per line"];
}

/** The id of what is no message, where it has one: JSON-RPC 2.0, 5.1. */
function idOf(raw: unknown): RequestId | null {
  if (typeof raw !== "object" || raw === null || !("id" in raw)) return null;
  return typeof raw.id === "string" || typeof raw.id === "number" ? raw.id : null;
}

/** A long line comes in many pieces, which are put together once. */
function createLineReader({ onLine, onTooLong }: { onLine(line: Buffer): void; onTooLong(): void }): {
  read(chunk: Buffer): void;
  end(): void;
} {
  let pieces: Buffer[] = [];
  let sizeBytes = 0;
  const keep = (piece: Buffer) => {
    sizeBytes += piece.length;
    if (sizeBytes > messageBytes) pieces = [];
    else pieces.push(piece);
  };
  const finish = () => {
    const line = sizeBytes > messageBytes ? undefined : Buffer.concat(pieces);
    pieces = [];
    sizeBytes = 0;
    if (line === undefined) onTooLong();
    else onLine(line);
  };
  return {
    read(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        keep(chunk.subarray(start, end));
        finish();
        start = end + 1;
      }
      if (start < chunk.length) keep(chunk.subarray(start));
    },
    end() {
      if (sizeBytes > 0) finish();
    },
  };
}
