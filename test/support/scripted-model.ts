import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import * as z from "zod";
import type { ProviderOptions } from "../../server/protocol/config.ts";

/** The reply to one request. Parts are sent in this order; a string is short for `{ text }`. */
export interface ScriptedReply {
  reasoning?: string | readonly string[];
  /** One delta per entry. */
  text?: string | readonly string[];
  toolCalls?: readonly ScriptedToolCall[];
  /** Default: `tool_calls` if there are any, else `stop`. */
  finishReason?: string;
  /** Default: 10 in, 5 out; sent if the client requests usage. */
  usage?: { input: number; output: number; reasoning?: number } | "none";
  /** A status other than 200, with `body` as JSON. */
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** A raw event instead of an answer. */
  garbage?: string;
  /** Cuts the connection after this many deltas; 0 is after the headers. */
  closeAfter?: number;
  /** Cuts the connection before any response. */
  refuse?: boolean;
  /** Hangs after the deltas until the client disconnects; without deltas, before the headers. */
  hang?: boolean;
  /** A final text, sent when the test resolves it. */
  later?: { after: Promise<unknown>; text: string };
}

/** A tool call of the model. */
export interface ScriptedToolCall {
  name: string;
  /** A string is sent unchanged, even if it is not JSON. */
  input: unknown;
  id?: string;
}

const Message = z.looseObject({ role: z.string(), content: z.unknown() });
const ChatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(Message),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
  tool_choice: z.unknown().optional(),
  stream_options: z.looseObject({ include_usage: z.boolean() }).optional(),
});

/** A request as the model received it. */
export interface ScriptedRequest {
  body: z.infer<typeof ChatRequest>;
  headers: IncomingHttpHeaders;
  /** The system prompt and the tool results so far. */
  system: string;
  toolResults: string[];
  /** Settles if the client disconnects before the answer is complete. */
  closed: Promise<void>;
}

/** A text, a reply, or a function of the request. */
export type ScriptedStep = string | ScriptedReply | ((request: ScriptedRequest) => string | ScriptedReply);

/** A running scripted model. */
export interface ScriptedModel extends AsyncDisposable {
  /** The value for `providerOptions["openai-compat"].baseURL`. */
  baseURL: string;
  /** Configuration keys that select this model. */
  config: { provider: string; model: string; providerOptions: Record<string, ProviderOptions> };
  /** All completion requests, in order. */
  requests: ScriptedRequest[];
  /** Resolves with the request of this index (0-based) when it arrives. */
  request(index: number): Promise<ScriptedRequest>;
}

/**
 * Starts a model behind a real HTTP server on loopback, in the OpenAI chat-completions format. Each request consumes the
 * next step of the script, or gets 400 if none is left; a single function handles all requests.
 *
 *     await using server = await scriptedModel([
 *       { toolCalls: [{ name: "read", input: { path: "a.ts" } }] },
 *       { text: ["It is ", "1 [[demo:a.ts#L1]]."] },
 *     ]);
 *     …ask with server.config…; then look at server.requests
 */
export async function scriptedModel(
  script: readonly ScriptedStep[] | ((request: ScriptedRequest) => string | ScriptedReply),
  { models = ["scripted"] }: { models?: readonly string[] } = {},
): Promise<ScriptedModel> {
  const requests: ScriptedRequest[] = [];
  const arrivals = new EventTarget();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => sendJson(response, 400, { error: { message: String(error) } }));
  });

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (incoming.method === "GET" && incoming.url === "/v1/models") {
      return sendJson(response, 200, { object: "list", data: models.map((id) => ({ id, object: "model" })) });
    }
    if (incoming.method !== "POST" || incoming.url !== "/v1/chat/completions") {
      return sendJson(response, 404, { error: { message: `no route ${incoming.method} ${incoming.url}` } });
    }
    const closed = once(response, "close").then(() =>
      response.writableFinished ? new Promise<void>(() => {}) : undefined,
    );
    const body = ChatRequest.parse(JSON.parse(await readText(incoming)));
    const request = { body, headers: incoming.headers, closed, ...readMessages(body.messages) };
    const step = typeof script === "function" ? script : script[requests.length];
    requests.push(request);
    arrivals.dispatchEvent(new Event("request"));
    if (step === undefined) {
      return sendJson(response, 400, { error: { message: `the script has no step for request ${requests.length}` } });
    }
    const reply = typeof step === "function" ? step(request) : step;
    await send(response, typeof reply === "string" ? { text: reply } : reply, request);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const baseURL = `http://127.0.0.1:${port}/v1`;
  return {
    baseURL,
    config: {
      provider: "openai-compat",
      model: models[0] ?? "scripted",
      providerOptions: { "openai-compat": { baseURL, name: "scripted" } },
    },
    requests,
    async request(index) {
      for (;;) {
        const request = requests[index];
        if (request !== undefined) return request;
        await once(arrivals, "request");
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function send(response: ServerResponse, reply: ScriptedReply, { body }: ScriptedRequest): Promise<void> {
  if (reply.refuse === true) {
    response.destroy();
    return;
  }
  if (reply.status !== undefined) {
    sendJson(response, reply.status, reply.body ?? { error: { message: `scripted ${reply.status}` } }, reply.headers);
    return;
  }
  const deltas = deltasOf(reply);
  if (reply.hang === true && deltas.length === 0) return;
  response.writeHead(200, { "content-type": "text/event-stream", ...reply.headers });
  response.flushHeaders();
  const sendEvent = (data: string) => response.write(`data: ${data}\n\n`);
  const sendChunk = (fields: object) =>
    sendEvent(
      JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 0, model: body.model, ...fields }),
    );

  for (const delta of deltas.slice(0, reply.closeAfter))
    sendChunk({ choices: [{ index: 0, delta, finish_reason: null }] });
  if (reply.closeAfter !== undefined) {
    // Flush written data before the cut.
    response.write(":\n\n", () => response.destroy());
    return;
  }
  if (reply.hang === true) return;
  if (reply.later !== undefined) {
    await reply.later.after;
    sendChunk({
      choices: [{ index: 0, delta: { role: "assistant", content: reply.later.text }, finish_reason: null }],
    });
  }
  if (reply.garbage !== undefined) {
    sendEvent(reply.garbage);
    response.end();
    return;
  }
  const finishReason = reply.finishReason ?? (reply.toolCalls === undefined ? "stop" : "tool_calls");
  sendChunk({ choices: [{ index: 0, delta: {}, finish_reason: finishReason }] });
  const usage = reply.usage ?? { input: 10, output: 5 };
  if (usage !== "none" && body.stream_options?.include_usage === true) {
    sendChunk({ choices: [], usage: toWireUsage(usage) });
  }
  sendEvent("[DONE]");
  response.end();
}

/** Splits the arguments of a tool call into two chunks, as real servers do. */
function deltasOf(reply: ScriptedReply): object[] {
  const reasoning = toList(reply.reasoning).map((piece) => ({ reasoning_content: piece }));
  const text = toList(reply.text).map((piece) => ({ role: "assistant", content: piece }));
  const calls = (reply.toolCalls ?? []).flatMap(({ name, input, id }, index) => {
    const json = typeof input === "string" ? input : JSON.stringify(input);
    const half = Math.ceil(json.length / 2);
    const call = { index, id: id ?? `call-${crypto.randomUUID()}`, type: "function" };
    return [
      { tool_calls: [{ ...call, function: { name, arguments: json.slice(0, half) } }] },
      { tool_calls: [{ index, function: { arguments: json.slice(half) } }] },
    ];
  });
  return [...reasoning, ...text, ...calls];
}

function toList(pieces: string | readonly string[] = []): readonly string[] {
  return typeof pieces === "string" ? [pieces] : pieces;
}

function toWireUsage({ input, output, reasoning }: { input: number; output: number; reasoning?: number }): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

function readMessages(messages: z.infer<typeof Message>[]): { system: string; toolResults: string[] } {
  const textsOf = (role: string) =>
    messages.filter((message) => message.role === role).map(({ content }) => String(content));
  return { system: textsOf("system").join("\n"), toolResults: textsOf("tool") };
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
