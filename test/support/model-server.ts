import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";

/** A received request. */
export interface ModelRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  /** The parsed body, if any. */
  body: unknown;
}

/** A running model server. */
export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  url: string;
  requests: ModelRequest[];
}

/** Overrides a response with a status and a JSON body; undefined keeps the server's response. */
export type Override = (request: ModelRequest) => { status: number; body?: unknown } | undefined;

/**
 * Starts an HTTP server on loopback with every wire format that we use, selected by path. It always answers "hello" and
 * lists `models`.
 */
export async function modelServer({
  models = [],
  override = () => undefined,
}: { models?: readonly string[]; override?: Override } = {}): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = incoming;
    const text = await readText(incoming);
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    const request = { method, url, headers, body };
    requests.push(request);
    const overridden = override(request);
    if (overridden !== undefined) {
      response.writeHead(overridden.status, { "content-type": "application/json" });
      response.end(JSON.stringify(overridden.body ?? { error: { message: `answered ${overridden.status}` } }));
      return;
    }
    const path = new URL(url, "http://localhost").pathname;
    if (path.endsWith("/models")) return sendModels(response, path, models);
    const format = Object.entries(hello).find(([end]) => path.endsWith(end));
    if (format === undefined) {
      response.writeHead(404, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: `no route ${path}` } }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of format[1])
      response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
    response.end();
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function sendModels(response: ServerResponse, path: string, models: readonly string[]): void {
  const list = path.includes("/v1beta/")
    ? { models: models.map((id) => ({ name: `models/${id}`, displayName: id.toUpperCase(), inputTokenLimit: 1000 })) }
    : { data: models.map((id) => ({ id })) };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(list));
}

const item = { id: "message-1", type: "message", role: "assistant", status: "completed", content: [] };

/** "hello" in each format, by the end of the path. */
const hello: Readonly<Record<string, readonly unknown[]>> = {
  "/chat/completions": [
    chunk({ delta: { role: "assistant", content: "hello" }, finish_reason: null }),
    chunk({ delta: {}, finish_reason: "stop" }),
    "[DONE]",
  ],
  "/responses": [
    { type: "response.created", response: { id: "response-1", created_at: 0, model: "scripted" } },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_text.delta", item_id: "message-1", output_index: 0, content_index: 0, delta: "hello" },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { usage: { input_tokens: 1, output_tokens: 1 } } },
  ],
  "/messages": [
    {
      type: "message_start",
      message: {
        id: "1",
        role: "assistant",
        model: "scripted",
        content: [],
        usage: { input_tokens: 1, output_tokens: 0 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hello" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ],
  ":streamGenerateContent": [
    { candidates: [{ content: { parts: [{ text: "hello" }], role: "model" }, finishReason: "STOP", index: 0 }] },
  ],
};

function chunk(choice: object): object {
  return {
    id: "1",
    object: "chat.completion.chunk",
    created: 0,
    model: "scripted",
    choices: [{ index: 0, ...choice }],
  };
}
