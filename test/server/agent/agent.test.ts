import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { AgentEvent } from "../../../server/agent/agent.ts";
import { createRetrieval, type Retrieval } from "../../../server/retrieval/retrieval.ts";
import { agentRun, type AgentRunOptions } from "../../support/agent-run.ts";
import { scriptedModel, type ScriptedStep } from "../../support/scripted-model.ts";

const readA = { toolCalls: [{ name: "read", input: { path: "a.ts" }, id: "call-1" }] };

const lookAgain = () => ({ toolCalls: [{ name: "read", input: { path: "a.ts" } }] });
const partial = (message: string) => `> **Partial answer.** ${message}`;

/** What a script comes to: each event as one line. */
async function check(script: readonly ScriptedStep[], expected: string[], options?: AgentRunOptions) {
  await using server = await scriptedModel(script);
  const { events, error } = await agentRun(server, options);
  expect(error).toBeUndefined();
  expect(events.map(describeEvent)).toEqual(expected);
}

function describeEvent(event: AgentEvent): string {
  switch (event.type) {
    case "reasoning.delta":
    case "text.delta":
      return `${event.type} ${JSON.stringify(event.delta)}`;
    case "tool.updated": {
      const { state, tool } = event;
      const rest =
        state.status === "error" ? state.error : "title" in state ? state.title : JSON.stringify(state.input);
      return `${tool} ${state.status}: ${rest}`;
    }
    case "finish":
      return `finish ${event.stopped?.reason ?? "done"}`;
  }
}

describe("events", () => {
  test("come in the order in which the model thinks, looks and writes", async () => {
    await check(
      [{ reasoning: ["look ", "first"], ...readA }, { text: ["It is ", "1 [[demo:a.ts#L1]]."] }],
      [
        'reasoning.delta "look "',
        'reasoning.delta "first"',
        "read pending: {}",
        "read running: read a.ts",
        "read completed: read a.ts",
        'text.delta "It is "',
        'text.delta "1 [[demo:a.ts#L1]]."',
        "finish done",
      ],
    );
  });

  test("treat text between think tags as reasoning", async () => {
    await check(
      [{ text: ["<think>hm", "m</think>", "It is 1."] }],
      ['reasoning.delta "hm"', 'reasoning.delta "m"', 'text.delta "It is 1."', "finish done"],
    );
  });

  test("keep text before and after a tool call apart", async () => {
    await check(
      [
        { reasoning: "Hm.", text: ["Let me ", "look."], ...readA },
        { reasoning: "Ah.", text: ["It is ", "1."] },
      ],
      [
        'reasoning.delta "Hm."',
        'text.delta "Let me "',
        'text.delta "look."',
        "read pending: {}",
        "read running: read a.ts",
        "read completed: read a.ts",
        'reasoning.delta "\\n\\nAh."',
        'text.delta "\\n\\nIt is "',
        'text.delta "1."',
        "finish done",
      ],
    );
  });

  test("carry the call's input, output, metadata and times", async () => {
    await using server = await scriptedModel([readA, "It is 1."]);
    const { events } = await agentRun(server);
    const input = { path: "a.ts" };
    expect(
      events.filter((event) => event.type === "tool.updated").map(({ callID, state }) => ({ callID, state })),
    ).toEqual([
      { callID: "call-1", state: { status: "pending", input: {} } },
      {
        callID: "call-1",
        state: { status: "running", input, title: "read a.ts", time: { start: expect.any(Number) } },
      },
      {
        callID: "call-1",
        state: {
          status: "completed",
          input,
          output: "[[demo:a.ts#L1]]\n1|export const a = 1;\n\n(lines 1-1 of 1)",
          title: "read a.ts",
          metadata: { lines: "1-1" },
          time: { start: expect.any(Number), end: expect.any(Number) },
        },
      },
    ]);
  });

  test("sum the tokens of all steps", async () => {
    await using server = await scriptedModel([
      { ...readA, usage: { input: 100, output: 20, reasoning: 5 } },
      { text: "It is 1.", usage: { input: 150, output: 30, reasoning: 1 } },
    ]);
    const { finish } = await agentRun(server);
    expect(finish?.usage).toEqual({ inputTokens: 250, outputTokens: 50, reasoningTokens: 6, totalTokens: 300 });
    expect(finish?.genMs).toBeGreaterThan(0);
  });

  test("report no usage that the provider does not report", async () => {
    await using server = await scriptedModel([{ text: "It is 1.", usage: "none" }]);
    expect((await agentRun(server)).finish?.usage).toEqual({});
  });
});

describe("what the model is sent", () => {
  test("is the question after the earlier turns, and the tools", async () => {
    await using server = await scriptedModel(["It is 1."]);
    await agentRun(server, { question: "and b?", history: [{ question: "what is a?", answer: "a is 1." }] });
    const { body } = await server.request(0);
    expect(body.messages.slice(1)).toEqual([
      { role: "user", content: "what is a?" },
      { role: "assistant", content: "a is 1." },
      { role: "user", content: "and b?" },
    ]);
    expect(body.tools?.map((tool) => tool.function.name)).toEqual([
      "search",
      "definition",
      "references",
      "grep",
      "glob",
      "list",
      "outline",
      "read",
    ]);
    expect(body.tool_choice).toBe("auto");
  });

  test("holds the results of its tools", async () => {
    await using server = await scriptedModel([readA, ({ toolResults }) => `I read: ${toolResults.join()}`]);
    expect((await agentRun(server)).text).toContain("I read: [[demo:a.ts#L1]]");
  });
});

describe("a call that goes wrong does not end the run", () => {
  test.each([
    [
      "an unknown tool",
      { name: "bash", input: { command: "ls" } },
      "bash error: Model tried to call unavailable tool 'bash'. Available tools: search, definition, references, grep, glob, list, outline, read.",
    ],
    ["arguments that do not fit", { name: "read", input: {} }, "read error: path: missing: must be a string"],
    [
      "an argument that the tool does not have",
      { name: "grep", input: { query: "a" } },
      "grep error: grep has no argument `query`; did you mean `pattern`?\ngrep takes pattern, regex (optional), " +
        "ignoreCase (optional), wholeWord (optional), resource (optional), glob (optional), contextLines (optional), " +
        "count (optional), limit (optional)",
    ],
    [
      "arguments that are no JSON",
      { name: "read", input: "{path" },
      "read error: the arguments must be one JSON object; call the tool once for each set of arguments",
    ],
  ])("%s", async (_, call, expected) => {
    await using server = await scriptedModel([{ toolCalls: [call] }, "Sorry."]);
    const { events } = await agentRun(server);
    const described = events.map(describeEvent).filter((event) => !event.includes(" running: "));
    expect(described).toEqual([`${call.name} pending: {}`, expected, 'text.delta "Sorry."', "finish done"]);
    expect(server.requests[1]?.toolResults).toHaveLength(1);
  });

  test("a tool that throws", async () => {
    const retrieval: Retrieval = {
      ...createRetrieval(),
      search: () => Promise.reject(new Error("the index is broken")),
    };
    await check(
      [{ toolCalls: [{ name: "search", input: { query: "a" } }] }, "Sorry."],
      [
        "search pending: {}",
        "search running: search “a”",
        "search error: the index is broken",
        'text.delta "Sorry."',
        "finish done",
      ],
      { retrieval },
    );
  });

  test("null for what is left out is understood", async () => {
    await check(
      [{ toolCalls: [{ name: "read", input: { path: "a.ts", resource: null, endLine: null } }] }, "It is 1."],
      [
        "read pending: {}",
        "read running: read a.ts",
        "read completed: read a.ts",
        'text.delta "It is 1."',
        "finish done",
      ],
    );
  });
});

describe("cancelling", () => {
  test("closes the connection to the provider and keeps what was written", async () => {
    await using server = await scriptedModel([{ text: "It is", hang: true }]);
    const controller = new AbortController();
    const { text, error } = await agentRun(server, { signal: controller.signal, onEvent: () => controller.abort() });
    expect(error).toMatchObject({ tag: "Cancelled", message: "the question was cancelled" });
    expect(text).toBe("It is");
    await (
      await server.request(0)
    ).closed;
  });

  test("works before the provider has answered", async () => {
    await using server = await scriptedModel([{ hang: true }]);
    const controller = new AbortController();
    const running = agentRun(server, { signal: controller.signal });
    const request = await server.request(0);
    controller.abort();
    expect((await running).error).toMatchObject({ tag: "Cancelled" });
    await request.closed;
  });

  test("asks nothing of the provider when it comes first", async () => {
    await using server = await scriptedModel(["late"]);
    const { events, error } = await agentRun(server, { signal: AbortSignal.abort() });
    expect(error).toMatchObject({ tag: "Cancelled" });
    expect(events).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  test("stops the running tool", async () => {
    await using server = await scriptedModel([{ toolCalls: [{ name: "search", input: { query: "a" } }] }]);
    const controller = new AbortController();
    let isStopped = false;
    const search: Retrieval["search"] = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => {
          isStopped = true;
          reject(new Error("search stopped"));
        });
        controller.abort();
      });
    const { events, error } = await agentRun(server, {
      retrieval: { ...createRetrieval(), search },
      signal: controller.signal,
    });
    expect(isStopped).toBe(true);
    expect(error).toMatchObject({ tag: "Cancelled" });
    expect(events.map(describeEvent).at(-1)).toBe("search error: the question was cancelled");
    expect(server.requests).toHaveLength(1);
  });

  test("is what leaving the iteration does", async () => {
    await using server = await scriptedModel([{ text: "It is", hang: true }]);
    const { error } = await agentRun(server, {
      onEvent: () => {
        throw new Error("left");
      },
    });
    expect(error).toMatchObject({ message: "left" });
    await (
      await server.request(0)
    ).closed;
  });
});

describe("failures", () => {
  test("a provider that does not answer in time is left", async () => {
    await using server = await scriptedModel([{ hang: true }]);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const run = agentRun(server, { limits: { providerTimeoutMs: 100 } });
    // The request has arrived, however slow the machine is.
    const request = await server.request(0);
    vi.advanceTimersByTime(100);
    const { error } = await run;
    expect(error).toMatchObject({
      tag: "ProviderTimeout",
      message: "openai-compat/scripted took longer than 100 ms",
      hint: "ask again, or raise providerTimeoutMs in citewell.config.jsonc; to ask without a model: citewell ask --provider builtin",
    });
    await request.closed;
  });

  test("a provider that stops in the middle is left, and what it wrote stays", async () => {
    await using server = await scriptedModel([{ text: "It is", hang: true }]);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { text, error } = await agentRun(server, {
      limits: { providerTimeoutMs: 100 },
      // The text has arrived, however slow the machine is.
      onEvent: () => void vi.advanceTimersByTime(100),
    });
    expect(error).toMatchObject({ tag: "ProviderTimeout" });
    expect(text).toBe("It is");
  });

  test("a connection that is lost ends the calls that were begun", async () => {
    await using server = await scriptedModel([{ text: "Let me look.", ...readA, closeAfter: 2 }]);
    const { events, error } = await agentRun(server);
    const message = "the connection to openai-compat/scripted was lost in the middle of the answer";
    expect(error).toMatchObject({ tag: "ProviderFailed", message });
    expect(events.map(describeEvent)).toEqual([
      'text.delta "Let me look."',
      "read pending: {}",
      `read error: ${message}`,
    ]);
  });

  test("a provider's refusal is passed on unchanged", async () => {
    await using server = await scriptedModel([
      readA,
      { status: 403, body: { error: { message: "not in your plan" } } },
    ]);
    const { events, error } = await agentRun(server);
    expect(error).toMatchObject({
      tag: "ProviderRefused",
      message: "openai-compat/scripted refused the request (HTTP 403): not in your plan",
    });
    expect(events.map(describeEvent)).toEqual([
      "read pending: {}",
      "read running: read a.ts",
      "read completed: read a.ts",
    ]);
  });

  test("a hiccup between two steps is not noticed", async () => {
    await check(
      [readA, { status: 503, headers: { "retry-after": "0" } }, "It is 1."],
      [
        "read pending: {}",
        "read running: read a.ts",
        "read completed: read a.ts",
        'text.delta "It is 1."',
        "finish done",
      ],
    );
  });
});

describe("limits", () => {
  test("the last step has no tools and is asked to answer", async () => {
    await using server = await scriptedModel([readA, "It is 1."]);
    const { text, finish } = await agentRun(server, { limits: { maxSteps: 2 } });
    const message = "The limit of 2 steps (maxSteps) was reached: this is what had been read by then.";
    expect(text).toBe(`It is 1.\n\n${partial(message)}`);
    expect(finish?.stopped).toEqual({ reason: "max-steps", message });
    expect(server.requests.map(({ body }) => body.tool_choice)).toEqual(["auto", "none"]);
    expect(server.requests.map(({ system }) => system.includes("the tools are switched off"))).toEqual([false, true]);
  });

  test("a model that calls tools for ever is stopped", async () => {
    await using server = await scriptedModel(lookAgain);
    const { text, finish, error } = await agentRun(server, { limits: { maxSteps: 3 } });
    expect(error).toBeUndefined();
    expect(server.requests).toHaveLength(3);
    expect(finish?.stopped?.reason).toBe("max-steps");
    expect(text).toMatch(/^> \*\*Partial answer\.\*\*/);
  });

  test("an answer within the limits is whole", async () => {
    await using server = await scriptedModel([readA, "It is 1."]);
    expect((await agentRun(server, { limits: { maxSteps: 3, maxTokens: 60 } })).finish?.stopped).toBeUndefined();
  });

  test("the model must answer when two more steps would be too many tokens", async () => {
    await using server = await scriptedModel([readA, "It is 1."]);
    const { finish } = await agentRun(server, { limits: { maxTokens: 40 } });
    expect(finish?.stopped?.reason).toBe("max-tokens");
    expect(server.requests.map(({ body }) => body.tool_choice)).toEqual(["auto", "none"]);
  });

  test("no further step is made when even one would be too many tokens", async () => {
    await using server = await scriptedModel(lookAgain);
    const { text, finish } = await agentRun(server, { limits: { maxTokens: 20 } });
    expect(text).toBe(partial("The limit of 20 tokens (maxTokens) was reached: this is what had been read by then."));
    expect(finish?.usage.totalTokens).toBe(15);
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    [
      "length",
      { text: "It is", finishReason: "length" },
      "It is\n\n> **Partial answer.** The model reached the longest answer it can give.",
    ],
    [
      "filtered",
      { text: "It is", finishReason: "content_filter" },
      "It is\n\n> **Partial answer.** The provider's content filter ended the answer.",
    ],
    [
      "empty",
      { text: "" },
      "> **No answer.** The model ended without writing one. Ask again, or choose another model.",
    ],
  ])("an answer that ends early says so: %s", async (reason, reply, expected) => {
    await using server = await scriptedModel([reply]);
    const { text, finish } = await agentRun(server);
    expect(text).toBe(expected);
    expect(finish?.stopped?.reason).toBe(reason);
  });

  test("a call that is cut off by the longest answer is not made", async () => {
    await check(
      [{ ...readA, finishReason: "length" }],
      [
        "read pending: {}",
        "read running: read a.ts",
        "read error: not run: the model's turn ended before",
        'text.delta "> **Partial answer.** The model reached the longest answer it can give."',
        "finish length",
      ],
    );
  });
});
