import { createParser } from "eventsource-parser";
import type * as z from "zod";
import { version } from "../../package.json";
import { CitewellError, fromErrorBody, messageOf } from "../../server/errors.ts";
import type { Fetch } from "../../server/lib/fetch.ts";
import { AskEvent } from "../../server/protocol/ask.ts";
import { ErrorBody } from "../../server/protocol/error.ts";
import { mapOperations } from "../../server/protocol/handlers.ts";
import {
  type CallOptions,
  type Handlers,
  type OperationName,
  operations,
  type Output,
} from "../../server/protocol/operations.ts";
import { operationRoutes } from "../../server/transports/http/routes.ts";

/** What commands let a server do, beside `ask`. */
const servedOperations = [
  "search",
  "history",
  "upgrade",
  "compare",
  "getConfig",
  "listProviders",
  "listResources",
  "addResource",
  "removeResource",
  "clear",
  "getThread",
] as const;
type ServedName = (typeof servedOperations)[number];
/** The operations that a server carries out for commands. */
export type RemoteApp = Pick<Handlers, "ask" | ServedName>;

/** Network of a connection to a server. */
export interface RemoteOptions {
  fetch: Fetch;
  signal: AbortSignal;
}

/** How long the health check may take: a server may be far away, and on a busy machine even this process needs a second. */
const healthMs = 5000;

/**
 * The operations of a running server, once it has said that it is one of ours and of a version that we understand.
 * Failures are the server's own, with its tags.
 * @throws InvalidUsage (no URL), ServerUnreachable
 */
export async function connectToServer(text: string, options: RemoteOptions): Promise<RemoteApp> {
  const { fetch, signal } = options;
  const base = baseOf(text);
  await checkHealth(base, options);

  const send = async (name: OperationName, input: object, options: CallOptions = {}): Promise<Response> => {
    const { method, path } = routeOf(name);
    const url = new URL(`.${path}`, base);
    if (method === "get") url.search = new URLSearchParams(Object.entries(input)).toString();
    const body = method === "get" ? {} : { body: JSON.stringify(input) };
    const response = await reach(base, () =>
      fetch(url, {
        method: method.toUpperCase(),
        headers: { "content-type": "application/json" },
        signal: options.signal ?? signal,
        ...body,
      }),
    );
    if (!response.ok) throw await toError(response);
    return response;
  };
  const table: OutputTable = operations;
  const replies = mapOperations<ServedName>(servedOperations, {
    reply: (name) => async (input, options) => {
      const response = await send(name, input, options);
      return table[name].output.parse(await response.json());
    },
    stream(name) {
      throw new RangeError(`${String(name)} streams`);
    },
  });
  return { ...replies, ask: (request, options) => readEvents(() => send("ask", request, options)) };
}

type OutputTable = { [Name in OperationName]: { output: z.ZodType<Output<Name>> } };

function baseOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new CitewellError("InvalidUsage", `--server: ${JSON.stringify(text)} is not an http or https URL`, {
      hint: "citewell serve prints the one to give",
    });
  }
  url.pathname = url.pathname.replace(/\/*$/, "/");
  return url;
}

async function checkHealth(base: URL, { fetch, signal }: RemoteOptions): Promise<void> {
  const late = AbortSignal.timeout(healthMs);
  const response = await reach(base, () => fetch(base, { signal: AbortSignal.any([signal, late]) }));
  const health: unknown = await response.json().catch(() => undefined);
  if (typeof health !== "object" || health === null || !("service" in health) || health.service !== "citewell") {
    throw unreachable(base, "is not a Citewell server");
  }
  const theirs = "version" in health && typeof health.version === "string" ? health.version : "of no known version";
  if (seriesOf(theirs) !== seriesOf(version)) {
    throw unreachable(base, `is Citewell ${theirs}, and this is ${version}: start it anew with this version`);
  }
}

/** `0.3` of 0.3.1: what may not differ (https://semver.org, 4 and 8). */
function seriesOf(text: string): string {
  const [major = "", minor = ""] = text.split(".");
  return major === "0" ? `0.${minor}` : major;
}

async function reach(base: URL, request: () => Promise<Response>): Promise<Response> {
  try {
    return await request();
  } catch (cause) {
    if (cause instanceof Error && cause.name === "AbortError") throw cause;
    const reason = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
    throw unreachable(base, `does not answer: ${messageOf(reason)}`, cause);
  }
}

function unreachable(base: URL, what: string, cause?: unknown): CitewellError {
  return new CitewellError("ServerUnreachable", `${base.origin} ${what}`, {
    hint: "start one with citewell serve, or leave out --server",
    cause,
  });
}

function routeOf(name: OperationName) {
  const route = operationRoutes.find((candidate) => candidate.name === name);
  if (route === undefined) throw new CitewellError("InvalidUsage", `a server does not offer ${name}`);
  return route;
}

async function toError(response: Response): Promise<CitewellError> {
  const body = ErrorBody.safeParse(await response.json().catch(() => undefined));
  if (!body.success)
    return new CitewellError("ServerUnreachable", `the server answered with status ${response.status}`);
  return fromErrorBody(body.data);
}

/** The events of a stream; its `error` is thrown, as in process. Events of unknown types are ignored. */
async function* readEvents(request: () => Promise<Response>): AsyncGenerator<AskEvent> {
  const { body } = await request();
  const decoder = new TextDecoder();
  const waiting: AskEvent[] = [];
  const parser = createParser({
    onEvent({ data }) {
      const event = AskEvent.safeParse(JSON.parse(data));
      if (event.success) waiting.push(event.data);
    },
  });
  for await (const chunk of readBody(body ?? [])) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    for (const event of waiting.splice(0)) {
      if (event.type === "error") throw fromErrorBody({ ...event, error: event.message });
      yield event;
      if (event.type === "done") return;
    }
  }
  throw new CitewellError("ServerUnreachable", "the server's answer ended without its last event");
}

/** A connection that is lost half-way has the same tag as one that cannot be made. */
async function* readBody(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    if (cause instanceof Error && cause.name === "AbortError") throw cause;
    throw new CitewellError("ServerUnreachable", `the server's answer was cut off: ${messageOf(cause)}`, { cause });
  }
}
