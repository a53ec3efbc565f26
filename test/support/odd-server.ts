import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";

/** One answer as sent on the wire. */
export interface OddReply {
  status?: number;
  contentType?: string;
  body: string;
}

/** Starts a chat-completions server that sends these bodies, one for each request. */
export async function oddServer(replies: readonly OddReply[]) {
  const requests: { messages: Record<string, unknown>[] }[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = replies[requests.length] ?? { status: 400, body: "no reply is left" };
    requests.push(JSON.parse(await readText(request)));
    response.writeHead(reply.status ?? 200, { "content-type": reply.contentType ?? "text/event-stream" });
    response.end(reply.body);
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const options = { baseURL: `http://127.0.0.1:${port}/v1`, name: "odd" };
  return {
    requests,
    config: { provider: "openai-compat", model: "odd", providerOptions: { "openai-compat": options } },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Events of a stream: objects as JSON, strings unchanged; `[DONE]` at the end. */
export function events(...data: (object | string)[]): OddReply {
  return { body: [...data, "[DONE]"].map((one) => `data: ${asText(one)}\n\n`).join("") };
}

/** The same without an end. */
export function unended(...data: (object | string)[]): OddReply {
  return { body: data.map((one) => `data: ${asText(one)}\n\n`).join("") };
}

/** A JSON body. */
export function json(value: unknown, status = 200): OddReply {
  return { status, contentType: "application/json", body: JSON.stringify(value) };
}

/** One piece of an answer. */
export function piece(delta: object, finish_reason: string | null = null): object {
  return { choices: [{ index: 0, delta, finish_reason }] };
}

/** A piece with a whole tool call. */
export function call(args: unknown, name = "read", more: object = {}): object {
  return piece({
    tool_calls: [{ index: 0, id: "call-1", type: "function", function: { name, arguments: args }, ...more }],
  });
}

function asText(data: object | string): string {
  return typeof data === "string" ? data : JSON.stringify(data);
}
