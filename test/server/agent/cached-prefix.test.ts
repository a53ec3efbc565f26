import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { expect, test } from "vitest";
import * as z from "zod";
import { agentRun } from "../../support/agent-run.ts";
import { formats } from "../../support/agents/formats.ts";

const files = ["a.ts", "b.ts", "c.ts"];

/** A model behind HTTP that reads one file after the other and answers, in the format of the path; with its requests. */
async function startModel() {
  const bodies: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const text = await readText(request);
    bodies.push(text);
    const format = formats.find(({ path }) => path.test(request.url ?? ""));
    if (format === undefined) throw new Error(`no format of ${request.url}`);
    const body: unknown = JSON.parse(text);
    const { size } = format.read(body).results;
    const path = files[size];
    const call = { type: "call", id: `call_${size}`, name: "read", input: { path } } as const;
    format.write(response, path === undefined ? { type: "text", text: "Read." } : call, body);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(400).end(String(error)));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server has no port");
  return {
    baseURL: `http://127.0.0.1:${address.port}/v1`,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const Body = z.looseObject({ messages: z.array(z.unknown()).optional(), input: z.array(z.unknown()).optional() });

/** A request as its messages and what stands before them, in JSON without the marks: those are no part of a prefix. */
function partsOf(body: string): { before: string; messages: string[] } {
  const { messages, input, ...before } = Body.parse(JSON.parse(body));
  const write = (value: unknown) => {
    return JSON.stringify(value, (key, inner: unknown) => (key === "cache_control" ? undefined : inner));
  };
  return { before: write(before), messages: (messages ?? input ?? []).map(write) };
}

test.each([
  ["anthropic", "claude-x", "ANTHROPIC_API_KEY"],
  ["openai-compat", "gpt-9", "OPENAI_COMPAT_API_KEY"],
])(
  "each request to %s begins with the one before, and each turn with the turn before",
  async (provider, model, key) => {
    await using server = await startModel();
    const turn = async (history: { question: string; answer: string }[]) => {
      server.bodies.length = 0;
      const { baseURL } = server;
      const question = `question ${history.length + 1}`;
      const snapshots = files.map((path) => `//- ${path}\nexport const a = 1;\n`).join("");
      const config = { provider, model, providerOptions: { [provider]: { baseURL, name: "mine" } } };
      const { text, error } = await agentRun({ config }, { question, history, snapshots, variables: { [key]: "key" } });
      expect([text, error]).toEqual(["Read.", undefined]);
      return server.bodies.map(partsOf);
    };
    const earlier = ["1", "2"].map((number) => ({ question: `question ${number}`, answer: "Read." }));
    const [first, second, third] = [await turn([]), await turn(earlier.slice(0, 1)), await turn(earlier)];
    for (const requests of [first, second, third, [second, third].map(([request]) => request)]) {
      expect(requests.length).toBeGreaterThan(1);
      for (const [index, request] of requests.entries()) {
        const next = requests[index + 1];
        if (next === undefined) continue;
        expect(next.before).toBe(first[0]?.before);
        expect(next.messages.slice(0, request?.messages.length)).toEqual(request?.messages);
      }
    }
  },
);
