import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import * as z from "zod";
import { runAgent } from "../server/agent/agent.ts";
import { createLedger } from "../server/citations/citations.ts";
import { silentLog } from "../server/lib/log.ts";
import type { Usage } from "../server/protocol/ask.ts";
import { createProviders } from "../server/providers/providers.ts";
import { createLocal } from "../server/resources/local/local.ts";
import { createRetrieval } from "../server/retrieval/retrieval.ts";
import { environmentCredentials } from "../test/support/credentials.ts";

/**
 * What ten steps of one question cost with and without the provider's cache, at the bundled prices. The models are
 * scripted servers that speak each wire format; they count what a provider would have cached of the requests that they
 * receive, a token as four characters. Then what four steps send in all.
 */
const calls = [
  { name: "search", input: { query: "how is a model's call retried" } },
  { name: "read", input: { path: "server/providers/retry.ts" } },
  { name: "read", input: { path: "server/providers/reliable.ts" } },
  { name: "grep", input: { pattern: "retryDelay" } },
  { name: "read", input: { path: "server/providers/failure.ts" } },
  { name: "outline", input: { path: "server/providers/providers.ts" } },
  { name: "read", input: { path: "server/providers/providers.ts" } },
  { name: "search", input: { query: "timeout of a provider" } },
  { name: "read", input: { path: "server/agent/limits.ts" } },
];
/** The length of each answer in tokens: calls of tools are short. */
const outputTokens = 120;

const models = [
  { provider: "anthropic", model: "claude-sonnet-4-5", variable: "ANTHROPIC_API_KEY" },
  { provider: "openrouter", model: "anthropic/claude-haiku-4.5", variable: "OPENROUTER_API_KEY" },
  { provider: "openai", model: "gpt-5", variable: "OPENAI_API_KEY" },
];

/** Search, exact search, reading and the answer. */
const fourSteps = [calls[0], calls[3], calls[1]];

type Call = (typeof calls)[number] | undefined;
/** A call of a tool, or an answer, in each format. */
const wires: Readonly<Record<string, (step: number, call: Call) => object[]>> = {
  "/messages": (step, call) => [
    {
      type: "message_start",
      message: {
        id: `${step}`,
        role: "assistant",
        model: "m",
        content: [],
        usage: { input_tokens: 1, output_tokens: 0 },
      },
    },
    ...(call === undefined
      ? [
          { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
          { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "It is." } },
        ]
      : [
          {
            type: "content_block_start",
            index: 0,
            content_block: { type: "tool_use", id: `c${step}`, name: call.name, input: {} },
          },
          {
            type: "content_block_delta",
            index: 0,
            delta: { type: "input_json_delta", partial_json: JSON.stringify(call.input) },
          },
        ]),
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: call === undefined ? "end_turn" : "tool_use", stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: "message_stop" },
  ],
  "/chat/completions": (step, call) =>
    [
      {
        delta:
          call === undefined
            ? { role: "assistant", content: "It is." }
            : {
                role: "assistant",
                tool_calls: [
                  {
                    index: 0,
                    id: `c${step}`,
                    type: "function",
                    function: { name: call.name, arguments: JSON.stringify(call.input) },
                  },
                ],
              },
        finish_reason: null,
      },
      { delta: {}, finish_reason: call === undefined ? "stop" : "tool_calls" },
    ].map((choice) => ({
      id: "1",
      object: "chat.completion.chunk",
      created: 0,
      model: "m",
      choices: [{ index: 0, ...choice }],
    })),
  "/responses": (step, call) => {
    const item =
      call === undefined
        ? { id: `m${step}`, type: "message", role: "assistant", status: "completed", content: [] }
        : {
            id: `f${step}`,
            type: "function_call",
            status: "completed",
            call_id: `c${step}`,
            name: call.name,
            arguments: JSON.stringify(call.input),
          };
    const delta = { item_id: `m${step}`, output_index: 0, content_index: 0, delta: "It is." };
    return [
      { type: "response.created", response: { id: `r${step}`, created_at: 0, model: "m" } },
      { type: "response.output_item.added", output_index: 0, item },
      ...(call === undefined ? [{ type: "response.output_text.delta", ...delta }] : []),
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { usage: { input_tokens: 1, output_tokens: 1 } } },
    ];
  },
};

const Part = z.looseObject({ cache_control: z.unknown().optional() });
const Body = z.looseObject({
  tools: z.array(Part),
  system: z.array(Part).optional(),
  messages: z.array(Part.extend({ content: z.union([z.string(), z.array(Part)]).nullish() })).optional(),
  input: z.array(Part).optional(),
});

/** How many blocks before a mark Anthropic looks for a prefix that it has. */
const lookBack = 20;

const bodies: unknown[] = [];
let script: readonly Call[] = calls;
const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1");
await once(server, "listening");
const address = server.address();
const baseURL = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/v1`;

const { signal } = new AbortController();
const local = createLocal({ workingDirectory: process.cwd(), homeDirectory: process.cwd() });
const snapshot = await local.open({ name: "citewell", path: "." }, { signal });
for (const { provider, model, variable } of models) {
  const providers = createProviders({
    fetch,
    credentials: environmentCredentials({ [variable]: "key" }),
    options: () => ({ baseURL }),
    log: silentLog,
  });
  const ask = async (steps: readonly Call[]) => {
    bodies.length = 0;
    script = steps;
    const run = runAgent({
      question: "How is a failed call of a model retried?",
      snapshots: [snapshot],
      retrieval: createRetrieval(),
      ledger: createLedger(),
      model: await providers.languageModel({ provider, model }),
      limits: { maxSteps: 40, providerTimeoutMs: 60_000 },
      signal,
      log: silentLog,
    });
    for await (const event of run)
      if (event.type === "finish" && event.steps.length !== steps.length + 1) throw new Error("other steps");
  };
  await ask(calls);
  const usages = usageOf(bodies.map(blocksOf));
  const pricing = await providers.pricing({ provider, model });
  if (pricing.type !== "metered") throw new Error(`no price of ${model}`);
  const cost = (steps: readonly Usage[]) => pricing.priceOf(steps).costUsd.total.toFixed(4);
  const uncached = usages.map(({ inputTokens }) => ({ inputTokens, outputTokens }));
  const sum = (count: (usage: Usage) => number | undefined) =>
    usages.reduce((total, usage) => total + (count(usage) ?? 0), 0);
  console.log(
    `caching: ${provider}/${model}: ten steps, ${sum(({ inputTokens }) => inputTokens)} tokens in, ${sum(({ cacheReadTokens }) => cacheReadTokens)} from the cache; $${cost(uncached)} without, $${cost(usages)} with it`,
  );
  await ask(fourSteps);
  const sent = bodies.reduce<number>((total, body) => total + JSON.stringify(body).length, 0);
  console.log(`caching: ${provider}/${model}: four steps send ${(sent / 1000).toFixed(1)} KB`);
}
await snapshot[Symbol.asyncDispose]();
server.closeAllConnections();
server.close();

/** A part of a prompt, in the order in which providers read it. */
interface Block {
  text: string;
  /** Cached up to its end, if a provider caches what is marked. */
  isMarked: boolean;
}

function blocksOf(body: unknown): { blocks: Block[]; isAutomatic: boolean } {
  const { tools, system, messages, input } = Body.parse(body);
  const parts = messages?.flatMap(({ content, ...message }) =>
    Array.isArray(content) ? content.map((part) => ({ ...message, ...part })) : [{ ...message, content }],
  );
  const blocks = [...tools, ...(system ?? []), ...(parts ?? input ?? [])].map((part): Block => {
    const { cache_control: mark, ...rest } = part;
    return { text: JSON.stringify(rest), isMarked: mark !== undefined };
  });
  return { blocks, isAutomatic: input !== undefined };
}

/** What a provider would report: it reads the longest prefix that it has, and writes what is marked beyond it. */
function usageOf(requests: readonly { blocks: Block[]; isAutomatic: boolean }[]): Usage[] {
  const cached = new Set<string>();
  return requests.map(({ blocks, isAutomatic }) => {
    const prefixes = blocks.map((_, end) =>
      blocks
        .slice(0, end + 1)
        .map(({ text }) => text)
        .join("\n"),
    );
    const marks = isAutomatic ? [...prefixes.keys()] : [...prefixes.keys()].filter((at) => blocks[at]?.isMarked);
    const reachable = isAutomatic
      ? marks
      : marks.flatMap((at) => [...prefixes.keys()].slice(Math.max(0, at - lookBack), at + 1));
    const tokensTo = (at: number) => Math.round((prefixes[at]?.length ?? 0) / 4);
    const read = Math.max(0, ...reachable.filter((at) => cached.has(prefixes[at] ?? "")).map(tokensTo));
    for (const at of marks) cached.add(prefixes[at] ?? "");
    const write = isAutomatic ? 0 : tokensTo(marks.at(-1) ?? -1) - read;
    return {
      inputTokens: tokensTo(prefixes.length - 1),
      outputTokens,
      ...(read === 0 ? {} : { cacheReadTokens: read }),
      ...(write === 0 ? {} : { cacheWriteTokens: write }),
    };
  });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  bodies.push(JSON.parse(await readText(request)));
  const step = bodies.length;
  const { url = "" } = request;
  const call = script[step - 1];
  const wire = Object.keys(wires).find((end) => url.endsWith(end)) ?? "/messages";
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of wires[wire]?.(step, call) ?? []) response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.end(wire === "/chat/completions" ? "data: [DONE]\n\n" : "");
}
