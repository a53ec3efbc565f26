import type { ServerResponse } from "node:http";
import * as z from "zod";

/** A reply of the scripted model: a tool call or, last, a text. */
export type Reply = { type: "text"; text: string } | { type: "call"; id: string; name: string; input: object };

/** A model request, independent of the wire format. */
export interface ModelRequest {
  /** The names of the offered tools. */
  tools: string[];
  /** Tool results as the model reads them, by call id. */
  results: Map<string, string>;
}

/** The part of a provider's wire format that agents use. */
export interface Format {
  /** Matches the request's path. */
  path: RegExp;
  read(body: unknown): ModelRequest;
  write(response: ServerResponse, reply: Reply, body: unknown): void;
}

const Streamed = z.looseObject({ stream: z.boolean().optional() });
const TextPart = z.looseObject({ text: z.string() });

/** Joins a text or a list of text parts; other values become JSON. */
function toText(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = z.array(TextPart).safeParse(content);
  return parts.success ? parts.data.map(({ text }) => text).join("\n") : JSON.stringify(content);
}

function sendEvents(response: ServerResponse, events: readonly { event?: string; data: unknown }[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const { event, data } of events) {
    if (event !== undefined) response.write(`event: ${event}\n`);
    response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  }
  response.end();
}

/** Sends a JSON response with status 200. */
export function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

const MessagesRequest = z.looseObject({
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
  messages: z.array(z.looseObject({ content: z.unknown() })),
});
const ToolResultBlock = z.looseObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z.unknown(),
});

/** Anthropic Messages. */
const messages: Format = {
  path: /\/messages$/,
  read(body) {
    const request = MessagesRequest.parse(body);
    const blocks = request.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    const results = blocks.flatMap((block): [string, string][] => {
      const { data } = ToolResultBlock.safeParse(block);
      return data === undefined ? [] : [[data.tool_use_id, toText(data.content)]];
    });
    return { tools: request.tools.map(({ name }) => name), results: new Map(results) };
  },
  write(response, reply, body) {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const isCall = reply.type === "call";
    const block = isCall
      ? { type: "tool_use", id: reply.id, name: reply.name, input: reply.input }
      : { type: "text", text: reply.text };
    const stop_reason = isCall ? "tool_use" : "end_turn";
    const message = { id: "msg_1", type: "message", role: "assistant", model: "scripted", stop_sequence: null, usage };
    if (Streamed.parse(body).stream !== true) return sendJson(response, { ...message, content: [block], stop_reason });
    const delta = isCall
      ? { type: "input_json_delta", partial_json: JSON.stringify(reply.input) }
      : { type: "text_delta", text: reply.text };
    const empty = isCall ? { ...block, input: {} } : { ...block, text: "" };
    const events = [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: empty },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ];
    sendEvents(
      response,
      events.map((data) => ({ event: data.type, data })),
    );
  },
};

const ChatRequest = z.looseObject({
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).default([]),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown(), tool_call_id: z.string().optional() })),
});

/** OpenAI chat completions. */
const chat: Format = {
  path: /\/chat\/completions$/,
  read(body) {
    const request = ChatRequest.parse(body);
    const results = request.messages.flatMap(({ role, content, tool_call_id: id }): [string, string][] =>
      role === "tool" && id !== undefined ? [[id, toText(content)]] : [],
    );
    return { tools: request.tools.map((tool) => tool.function.name), results: new Map(results) };
  },
  write(response, reply, body) {
    const isCall = reply.type === "call";
    const call = (index: number) => ({
      ...(index < 0 ? {} : { index }),
      id: isCall ? reply.id : "",
      type: "function",
      function: isCall ? { name: reply.name, arguments: JSON.stringify(reply.input) } : undefined,
    });
    const finish_reason = isCall ? "tool_calls" : "stop";
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const base = { id: "chat_1", created: 1, model: "scripted" };
    const role = "assistant";
    if (Streamed.parse(body).stream !== true) {
      const message = isCall ? { role, content: null, tool_calls: [call(-1)] } : { role, content: reply.text };
      const choices = [{ index: 0, message, finish_reason }];
      return sendJson(response, { ...base, object: "chat.completion", choices, usage });
    }
    const chunk = { ...base, object: "chat.completion.chunk" };
    const delta = isCall ? { role, tool_calls: [call(0)] } : { role, content: reply.text };
    sendEvents(response, [
      { data: { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] } },
      { data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] } },
      { data: { ...chunk, choices: [], usage } },
      { data: "[DONE]" },
    ]);
  },
};

const ResponsesRequest = z.looseObject({
  tools: z
    .array(
      z.looseObject({
        name: z.string().optional(),
        tools: z.array(z.looseObject({ name: z.string() })).optional(),
      }),
    )
    .default([]),
  input: z.array(z.looseObject({ type: z.string().optional() })),
});
const CallOutput = z.looseObject({
  type: z.enum(["function_call_output", "custom_tool_call_output"]),
  call_id: z.string(),
  output: z.unknown(),
});

/** OpenAI Responses. Tools may have a namespace (`namespace/name` here). */
const responses: Format = {
  path: /\/responses$/,
  read(body) {
    const request = ResponsesRequest.parse(body);
    const results = request.input.flatMap((item): [string, string][] => {
      const { data } = CallOutput.safeParse(item);
      return data === undefined ? [] : [[data.call_id, toText(data.output)]];
    });
    const tools = request.tools.flatMap(({ name = "", tools: own }) =>
      own === undefined ? [name] : own.map((tool) => `${name}/${tool.name}`),
    );
    return { tools, results: new Map(results) };
  },
  write(response, reply) {
    const base = { id: "resp_1", object: "response", model: "scripted", output: [] };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const item = reply.type === "call" ? functionCall(reply) : outputText(reply.text);
    const events = [
      { type: "response.created", response: { ...base, status: "in_progress" } },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { ...base, status: "completed", output: [item], usage } },
    ];
    sendEvents(
      response,
      events.map((data) => ({ event: data.type, data })),
    );
  },
};

function functionCall({ id, name, input }: Extract<Reply, { type: "call" }>) {
  const slash = name.indexOf("/");
  return {
    type: "function_call",
    id: `item_${id}`,
    call_id: id,
    status: "completed",
    name: name.slice(slash + 1),
    ...(slash === -1 ? {} : { namespace: name.slice(0, slash) }),
    arguments: JSON.stringify(input),
  };
}

function outputText(text: string) {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", id: "item_text", role: "assistant", status: "completed", content };
}

const GeminiRequest = z.looseObject({
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })).default([]) }))
    .default([]),
  contents: z.array(z.looseObject({ parts: z.array(z.unknown()).default([]) })),
});
const FunctionResponse = z.looseObject({
  functionResponse: z.looseObject({ id: z.string().optional(), name: z.string(), response: z.unknown() }),
});
const OutputOnly = z.strictObject({ output: z.string() });

/** Gemini's `generateContent`. */
const gemini: Format = {
  path: /:(?:streamG|g)enerateContent$/,
  read(body) {
    const request = GeminiRequest.parse(body);
    const results = request.contents.flatMap(({ parts }) =>
      parts.flatMap((part): [string, string][] => {
        const { functionResponse } = FunctionResponse.safeParse(part).data ?? {};
        if (functionResponse === undefined) return [];
        const { id, name, response } = functionResponse;
        return [[id ?? name, OutputOnly.safeParse(response).data?.output ?? JSON.stringify(response)]];
      }),
    );
    const tools = request.tools.flatMap((tool) => tool.functionDeclarations.map(({ name }) => name));
    return { tools, results: new Map(results) };
  },
  write(response, reply) {
    const part =
      reply.type === "call"
        ? { functionCall: { id: reply.id, name: reply.name, args: reply.input } }
        : { text: reply.text };
    const candidates = [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }];
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    const answer = { candidates, usageMetadata, modelVersion: "scripted" };
    if (response.req.url?.includes("alt=sse")) sendEvents(response, [{ data: answer }]);
    else sendJson(response, answer);
  },
};

/** All supported wire formats. */
export const formats: readonly Format[] = [messages, chat, responses, gemini];
