import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultOutput,
} from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { runAgent } from "../../../../server/agent/agent.ts";
import { createLedger } from "../../../../server/citations/citations.ts";
import { silentLog } from "../../../../server/lib/log.ts";
import { createExtractiveModel } from "../../../../server/providers/builtin/extractive.ts";
import type { Snapshot } from "../../../../server/resources/snapshot.ts";
import { createRetrieval } from "../../../../server/retrieval/retrieval.ts";
import { fixture } from "../../../support/fixture.ts";

interface Run {
  text: string;
  reasoning: string;
  calls: string[];
}

/** A whole run of the agent with this model. */
async function ask(
  snapshots: readonly Snapshot[],
  question: string,
  history: { question: string; answer: string }[] = [],
): Promise<Run> {
  const run: Run = { text: "", reasoning: "", calls: [] };
  const events = runAgent({
    question,
    history,
    snapshots,
    retrieval: createRetrieval(),
    ledger: createLedger(),
    model: createExtractiveModel(),
    limits: { maxSteps: 10, providerTimeoutMs: 20_000 },
    signal: new AbortController().signal,
    log: silentLog,
  });
  for await (const event of events) {
    if (event.type === "text.delta") run.text += event.delta;
    if (event.type === "reasoning.delta") run.reasoning += event.delta;
    if (event.type === "tool.updated" && event.state.status === "running") {
      run.calls.push(`${event.tool} ${JSON.stringify(event.state.input)}`);
    }
  }
  return run;
}

/** The headings of the extracts: number, reason and marker. */
async function check(source: string, question: string, expected: string[]): Promise<void> {
  const { text } = await ask([fixture(source.trimStart())], question);
  expect(text.split("\n").filter((line) => /^\*\*\d/.test(line))).toEqual(expected);
}

const retry = fixture(
  `
//- README.md
# Retry

Retries a request.

## Delays

Each attempt waits twice as long as the one before.
//- src/retry.ts
import { wait } from "./wait.ts";

/** Tries again until it works. */
export async function retry(attempt: () => Promise<void>): Promise<void> {
  for (let count = 0; count < 5; count++) {
    await attempt();
    await wait(delayFor(count));
  }
}

function delayFor(count: number): number {
  return 2 ** count;
}
`.trimStart(),
);

describe("the answer", () => {
  test("is labelled, gives reasons, cites, and quotes the lines as they stand", async () => {
    const { text } = await ask([retry], "what does `delayFor` return?");
    expect(text).toMatchInlineSnapshot(`
      "Extracts, not an explanation: the lines that fit the question best, as they stand.

      **1.** defines \`delayFor\`: [[demo:src/retry.ts#L11-L13]]

      \`\`\`ts
      function delayFor(count: number): number {
        return 2 ** count;
      }
      \`\`\`
      "
    `);
  });

  test("shows the definition where one is asked for, and nothing much weaker", () =>
    check(
      `
//- src/app.js
app.use(handle);
app.handle = function handle(req) {
  return req;
};
//- docs/app.md
# Handlers
A handler takes a request: handle(req).
`,
      "where is handle defined?",
      ["**1.** defines `handle`: [[demo:src/app.js#L2-L4]]"],
    ));

  test("puts documents first where usage is asked for", () =>
    check(
      `
//- src/app.js
export function addRoute(path) {
  return path;
}
//- docs/routes.md
# Add a route
Call addRoute with a path.
`,
      "how do I add a route?",
      [
        "**1.** documents “Add a route”: [[demo:docs/routes.md#L1-L2]]",
        "**2.** defines `addRoute`: [[demo:src/app.js#L1-L3]]",
      ],
    ));

  test("shows of a long definition the part that fits", () =>
    check(
      `
//- src/long.ts
export function start() {
${Array.from({ length: 50 }, (_, n) => `  step${n}();`).join("\n")}
  // The timeout is doubled, up to a minute.
  timeout = Math.min(timeout * 2, minute);
${Array.from({ length: 50 }, (_, n) => `  step${n}();`).join("\n")}
}
`,
      "how is the timeout doubled?",
      ["**1.** in `start`, matches “timeout”, “doubled”: [[demo:src/long.ts#L49-L66]]"],
    ));

  test("shows what the best lines call", () =>
    check(
      `
//- src/agent.ts
export class RetryAgent {
  dispatch(options: Options) {
    return new RetryHandler(options);
  }
}
//- src/handler.ts
export class RetryHandler {
  onError() {
    return false;
  }
}
`,
      "what does the retry agent do?",
      [
        "**1.** defines `RetryAgent`: [[demo:src/agent.ts#L1-L5]]",
        "**2.** defines `RetryHandler`: [[demo:src/handler.ts#L1-L5]]",
      ],
    ));

  test("begins at the beginning when nothing in particular is asked", () =>
    check("//- README.md\n# Demo\nA demo.\n//- src/a.ts\nexport const what = 1;\n", "what is this?", [
      "**1.** documents “Demo”: [[demo:README.md#L1-L2]]",
    ]));

  test("shows something of each resource that the question names", async () => {
    const one = fixture("//- a.ts\nexport function parseOne() {}\n", { resource: "one" });
    const two = fixture("//- a.ts\nexport function parse() {}\n", { resource: "two" });
    const { text } = await ask([one, two], "compare how one and two parse");
    expect(text.match(/\[\[.*?:/g)).toEqual(["[[one:", "[[two:"]);
  });

  test("quotes fences within a longer fence, and a path with brackets as the tool printed it", async () => {
    const guide = fixture("//- docs/[id].md\n# Retry\n\n```ts\nretry();\n```\n");
    const { text } = await ask([guide], "how do I retry?");
    expect(text).toMatchInlineSnapshot(`
      "Extracts, not an explanation: the lines that fit the question best, as they stand.

      **1.** documents “Retry”: [[demo:docs/%5Bid%5D.md#L1-L5]]

      \`\`\`\`markdown
      # Retry

      \`\`\`ts
      retry();
      \`\`\`
      \`\`\`\`
      "
    `);
  });

  test("says so when nothing fits, and what was searched", async () => {
    const { text, calls } = await ask([retry], "deploy to kubernetes");
    expect({ text, calls }).toMatchInlineSnapshot(`
      {
        "calls": [
          "search {"query":"deploy to kubernetes","limit":8}",
          "search {"query":"deploy to kubernetes","glob":"*.{md,mdx,markdown,rst,adoc,asciidoc}","limit":4}",
          "search {"query":"deploy","limit":4}",
          "search {"query":"kubernetes","limit":4}",
        ],
        "text": "Nothing in demo fits the question. Searched for “deploy”, “kubernetes”. Try the words that the code would use, the name of a function, or a file name.
      ",
      }
    `);
  });

  test("names what no extract holds", async () => {
    const { text } = await ask([retry], "How long is the delay before an attempt is tried on kubernetes?");
    expect(text.split("\n").slice(0, 3)).toEqual([
      "Extracts, not an explanation: the lines that fit the question best, as they stand.",
      "",
      "None of them holds “kubernetes”.",
    ]);
  });

  test("finds a document that much code outranks", async () => {
    const code = Array.from(
      { length: 12 },
      (_, index) =>
        `//- src/add-provider-${index}.ts\nexport function addProvider${index}() {\n  return provider;\n}\n`,
    );
    const page = "//- docs/guide.md\n# Adding a provider\n\nWrite a row into the table of providers.\n";
    const { text } = await ask([fixture(`${code.join("")}${page}`)], "How do I add a provider?");
    expect(text).toContain("documents “Adding a provider”: [[demo:docs/guide.md#L1-L3]]");
  });

  test("says so when only a part fits", async () => {
    const { text } = await ask([retry], "which regex validates the postal address before an attempt?");
    expect(text).toMatchInlineSnapshot(`
      "Nothing in demo fits the question well. Searched for “regex”, “validates”, “postal”, “address”, “attempt”. The nearest lines, as extracts and not as an explanation:

      **1.** defines \`retry\`, matches “attempt”: [[demo:src/retry.ts#L3-L9]]

      \`\`\`ts
      /** Tries again until it works. */
      export async function retry(attempt: () => Promise<void>): Promise<void> {
        for (let count = 0; count < 5; count++) {
          await attempt();
          await wait(delayFor(count));
        }
      }
      \`\`\`

      **2.** documents “Delays”: [[demo:README.md#L5-L7]]

      \`\`\`markdown
      ## Delays

      Each attempt waits twice as long as the one before.
      \`\`\`
      "
    `);
  });
});

describe("how it looks things up", () => {
  test("in each of a few resources, without the names of the others", async () => {
    const other = fixture("//- a.ts\nexport const never = 1;\n", { resource: "waiter" });
    const { calls, reasoning } = await ask([retry, other], "does demo or @waiter double the delay?");
    expect({ calls, reasoning }).toMatchInlineSnapshot(`
      {
        "calls": [
          "search {"query":"does demo or double the delay?","resource":"demo","limit":8}",
          "search {"query":"does or double the delay?","resource":"waiter","limit":8}",
        ],
        "reasoning": "Looking for demo, double, delay in demo, waiter.
      ",
      }
    `);
  });

  test("in many resources at once", async () => {
    const many = ["a", "b", "c", "d", "e"].map((resource) => fixture("//- a.ts\nretry();\n", { resource }));
    expect((await ask(many, "retry")).calls).toMatchInlineSnapshot(`
      [
        "search {"query":"retry","limit":16}",
        "search {"query":"retry","glob":"*.{md,mdx,markdown,rst,adoc,asciidoc}","limit":4}",
      ]
    `);
  });

  test("a name that is not defined where it was found is looked for everywhere", async () => {
    const source = "//- a.md\n# parseUrl\nparseUrl is used everywhere.\n";
    expect((await ask([fixture(source)], "what is parseUrl?")).calls).toMatchInlineSnapshot(`
      [
        "search {"query":"what is parseUrl?","limit":8}",
        "search {"query":"what is parseUrl?","glob":"*.{md,mdx,markdown,rst,adoc,asciidoc}","limit":4}",
        "grep {"pattern":"parseUrl","wholeWord":true,"limit":20}",
      ]
    `);
  });

  test("a question that needs the one before it is asked with it", async () => {
    const history = [{ question: "How does the retry wait?", answer: "It waits." }];
    expect((await ask([retry], "and where is that defined?", history)).calls[0]).toMatchInlineSnapshot(
      `"search {"query":"and where is that defined? How does the retry wait?","limit":8}"`,
    );
  });

  test("a very long word is told shortened", async () => {
    const long = "x".repeat(100_000);
    const { reasoning, text } = await ask([retry], `where is ${long}() defined?`);
    expect(`${reasoning}${text}`).toContain(`Looking for ${"x".repeat(59)}…, defined in demo.`);
    expect(`${reasoning}${text}`).toContain(`Searched for “${"x".repeat(59)}…”`);
    expect(`${reasoning}${text}`).not.toContain("x".repeat(60));
  });

  test("the time grows with the length of a run of punctuation, not with its square", async () => {
    const other = fixture("//- a.ts\nexport const never = 1;\n", { resource: "waiter" });
    const run = "!".repeat(400_000);
    const { text } = await ask([retry, other], `what does @demo${run}x and delayFor${run}x return?`);
    expect(text).toContain("defines `delayFor`");
  });

  test("the same question has the same answer", async () => {
    const question = "how long does a retry wait?";
    expect(await ask([retry], question)).toEqual(await ask([retry], question));
  });
});

const user = (text: string): LanguageModelV4Message => ({ role: "user", content: [{ type: "text", text }] });
const tools = ["search", "grep", "read"].map((name): LanguageModelV4FunctionTool => ({
  type: "function",
  name,
  inputSchema: { type: "object" },
}));
const question: LanguageModelV4CallOptions = { prompt: [user("how does retry wait?")], tools };

/** The conversation after one search that had this output. */
function answered(output: LanguageModelV4ToolResultOutput): LanguageModelV4CallOptions {
  const call = { type: "tool-call", toolCallId: "c1", toolName: "search", input: { query: "retry" } } as const;
  const result = { type: "tool-result", toolCallId: "c1", toolName: "search", output } as const;
  const prompt: LanguageModelV4Message[] = [
    ...question.prompt,
    { role: "assistant", content: [call] },
    { role: "tool", content: [result] },
  ];
  return { prompt, tools };
}

async function partsOf(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await createExtractiveModel().doStream(options);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

const textOf = (parts: readonly LanguageModelV4StreamPart[]) =>
  parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");

const passage = "[[demo:a.ts#L1]]\n1 | retry(wait);";

describe("as a language model", () => {
  test("a step that looks something up", async () => {
    expect(await partsOf(question)).toMatchInlineSnapshot(`
      [
        {
          "type": "stream-start",
          "warnings": [],
        },
        {
          "id": "thought",
          "type": "reasoning-start",
        },
        {
          "delta": "Looking for retry, wait.
      ",
          "id": "thought",
          "type": "reasoning-delta",
        },
        {
          "id": "thought",
          "type": "reasoning-end",
        },
        {
          "id": "extractive-0-0",
          "toolName": "search",
          "type": "tool-input-start",
        },
        {
          "delta": "{"query":"how does retry wait?","limit":8}",
          "id": "extractive-0-0",
          "type": "tool-input-delta",
        },
        {
          "id": "extractive-0-0",
          "type": "tool-input-end",
        },
        {
          "input": "{"query":"how does retry wait?","limit":8}",
          "toolCallId": "extractive-0-0",
          "toolName": "search",
          "type": "tool-call",
        },
        {
          "id": "extractive-0-1",
          "toolName": "search",
          "type": "tool-input-start",
        },
        {
          "delta": "{"query":"how does retry wait?","glob":"*.{md,mdx,markdown,rst,adoc,asciidoc}","limit":4}",
          "id": "extractive-0-1",
          "type": "tool-input-delta",
        },
        {
          "id": "extractive-0-1",
          "type": "tool-input-end",
        },
        {
          "input": "{"query":"how does retry wait?","glob":"*.{md,mdx,markdown,rst,adoc,asciidoc}","limit":4}",
          "toolCallId": "extractive-0-1",
          "toolName": "search",
          "type": "tool-call",
        },
        {
          "finishReason": {
            "raw": undefined,
            "unified": "tool-calls",
          },
          "type": "finish",
          "usage": {
            "inputTokens": {
              "cacheRead": 0,
              "cacheWrite": 0,
              "noCache": 0,
              "total": 0,
            },
            "outputTokens": {
              "reasoning": 0,
              "text": 0,
              "total": 0,
            },
          },
        },
      ]
    `);
  });

  test("a step that answers streams line by line and reports that it took no tokens", async () => {
    expect(await partsOf(answered({ type: "text", value: passage }))).toMatchInlineSnapshot(`
      [
        {
          "type": "stream-start",
          "warnings": [],
        },
        {
          "id": "answer",
          "type": "text-start",
        },
        {
          "delta": "Extracts, not an explanation: the lines that fit the question best, as they stand.
      ",
          "id": "answer",
          "type": "text-delta",
        },
        {
          "delta": "
      **1.** matches “retry”, “wait”: [[demo:a.ts#L1]]
      ",
          "id": "answer",
          "type": "text-delta",
        },
        {
          "delta": "
      \`\`\`ts
      ",
          "id": "answer",
          "type": "text-delta",
        },
        {
          "delta": "retry(wait);
      ",
          "id": "answer",
          "type": "text-delta",
        },
        {
          "delta": "\`\`\`
      ",
          "id": "answer",
          "type": "text-delta",
        },
        {
          "id": "answer",
          "type": "text-end",
        },
        {
          "finishReason": {
            "raw": undefined,
            "unified": "stop",
          },
          "type": "finish",
          "usage": {
            "inputTokens": {
              "cacheRead": 0,
              "cacheWrite": 0,
              "noCache": 0,
              "total": 0,
            },
            "outputTokens": {
              "reasoning": 0,
              "text": 0,
              "total": 0,
            },
          },
        },
      ]
    `);
  });

  test.each<[string, LanguageModelV4ToolResultOutput]>([
    ["text", { type: "text", value: passage }],
    ["JSON text", { type: "json", value: passage }],
    ["content", { type: "content", value: [{ type: "text", text: passage }] }],
  ])("reads a result that is %s", async (_, output) => {
    expect(textOf(await partsOf({ ...answered(output), toolChoice: { type: "none" } }))).toContain("[[demo:a.ts#L1]]");
  });

  test.each<[string, LanguageModelV4ToolResultOutput]>([
    ["an error", { type: "error-text", value: passage }],
    ["a refusal", { type: "execution-denied" }],
    ["other JSON", { type: "json", value: { passage } }],
  ])("takes nothing from %s", async (_, output) => {
    expect(textOf(await partsOf({ ...answered(output), toolChoice: { type: "none" } }))).not.toContain("[[");
  });

  test("whole and streamed answers are the same", async () => {
    for (const options of [question, answered({ type: "text", value: passage })]) {
      const { content, finishReason, usage } = await createExtractiveModel().doGenerate(options);
      const parts = await partsOf(options);
      expect(parts.at(-1)).toEqual({ type: "finish", finishReason, usage });
      expect(content.filter(({ type }) => type === "tool-call")).toEqual(
        parts.filter(({ type }) => type === "tool-call"),
      );
      expect(content.map((part) => (part.type === "text" ? part.text : "")).join("")).toBe(textOf(parts));
    }
  });

  test.each<[string, Partial<LanguageModelV4CallOptions>]>([
    ["none is offered", { tools: [] }],
    ["none may be called", { toolChoice: { type: "none" } }],
    ["only others are offered", { tools: tools.slice(1, 2) }],
  ])("answers at once when tools are off: %s", async (_, options) => {
    expect(textOf(await partsOf({ ...question, ...options }))).toMatchInlineSnapshot(`
      "Nothing was searched, because no search tool was offered. This model shows extracts of what it finds; it explains nothing.
      "
    `);
  });

  test("calls only the tool that it must", async () => {
    const parts = await partsOf({ ...question, toolChoice: { type: "tool", toolName: "search" } });
    expect(new Set(parts.flatMap((part) => (part.type === "tool-call" ? part.toolName : [])))).toEqual(
      new Set(["search"]),
    );
  });

  test("stops where it is when it is cancelled", async () => {
    const controller = new AbortController();
    const options = { ...answered({ type: "text", value: passage }), abortSignal: controller.signal };
    const { stream } = await createExtractiveModel().doStream(options);
    const reader = stream.getReader();
    await reader.read();
    controller.abort(new Error("enough"));
    await expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toThrow("enough");
    await expect(createExtractiveModel().doStream(options)).rejects.toThrow("enough");
    await expect(createExtractiveModel().doGenerate(options)).rejects.toThrow("enough");
  });

  test("has an answer to an empty prompt", async () => {
    expect(textOf(await partsOf({ prompt: [] }))).toContain("Nothing was searched");
  });
});
