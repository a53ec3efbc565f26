import type { ModelMessage } from "ai";
import { describe, expect, test } from "vitest";
import { createCondenser, leftOut } from "../../../server/agent/condense.ts";
import { createProviders } from "../../../server/providers/providers.ts";
import { hasLines } from "../../../server/lib/line-set.ts";
import { silentLog } from "../../../server/lib/log.ts";
import { agentRun } from "../../support/agent-run.ts";
import { environmentCredentials } from "../../support/credentials.ts";
import { scriptedModel, type ScriptedStep } from "../../support/scripted-model.ts";

const long = "export const line = 1;\n".repeat(40);
const files = ["a", "b", "c", "d", "e"];
const source = files.map((name) => `//- ${name}.ts\n// ${name}\n${long}`).join("");

function reads(name: string, input: number): ScriptedStep {
  return { toolCalls: [{ name: "read", input: { path: `${name}.ts` } }], usage: { input, output: 5 } };
}

/** Which tool results each request had: the name of the file, or `-` if it was left out. */
function resultsOf({ requests }: Awaited<ReturnType<typeof scriptedModel>>): string[] {
  return requests.map(({ body }) =>
    body.messages
      .filter(({ role }) => role === "tool")
      .map(({ content }) => (content === leftOut ? "-" : (/\/\/ (\w)$/m.exec(String(content))?.[1] ?? "?")))
      .join(""),
  );
}

describe("a run that fills the model's context", () => {
  test("leaves out old tool results once, and keeps the prefix until it is full again", async () => {
    await using model = await scriptedModel([
      reads("a", 100),
      reads("b", 300),
      reads("c", 650),
      reads("d", 400),
      reads("e", 500),
      "It is 1 [[demo:a.ts#L2]].",
    ]);
    const { text, ledger, error } = await agentRun(model, { snapshots: source, contextTokens: 1000 });
    expect(error).toBeUndefined();
    expect(text).toContain("It is 1");
    expect(resultsOf(model)).toEqual(["", "a", "ab", "-bc", "-bcd", "-bcde"]);
    expect(hasLines(ledger.shown("demo", "a.ts"), { startLine: 2, endLine: 2 })).toBe(true);
  });

  test("gives the whole result again if a call is repeated whose result was left out", async () => {
    const again = [reads("a", 100), reads("b", 300), reads("c", 650), reads("a", 400), "It is 1."];
    await using model = await scriptedModel(again);
    await agentRun(model, { snapshots: source, contextTokens: 1000 });
    expect(resultsOf(model).at(-1)).toBe("-bca");
  });

  test("has all results while there is room", async () => {
    await using model = await scriptedModel([reads("a", 100), reads("b", 300), reads("c", 590), "It is 1."]);
    await agentRun(model, { snapshots: source, contextTokens: 1000 });
    expect(resultsOf(model).at(-1)).toBe("abc");
  });

  test("is measured against 128,000 tokens if the model's context is unknown", async () => {
    await using model = await scriptedModel([reads("a", 100), reads("b", 70_000), reads("c", 80_000), "It is 1."]);
    await agentRun(model, { snapshots: source });
    expect(resultsOf(model).at(-1)).toBe("-bc");
  });
});

test("short results, questions and answers are never left out", () => {
  const result = (value: string): ModelMessage => ({
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "1", toolName: "read", output: { type: "text", value } }],
  });
  const messages = [{ role: "user" as const, content: long }, result("short"), result(long), result(long)];
  const { condense } = createCondenser(100);
  expect(condense(messages, 99)).toEqual(messages);
  expect(condense([...messages, result(long)], 99)?.slice(0, 3)).toEqual([messages[0], messages[1], result(leftOut)]);
});

test.each([
  ["anthropic", "claude-sonnet-4-5", 100_000],
  ["openrouter", "anthropic/claude-sonnet-4.5", 100_000],
  ["openai", "gpt-4o", 100_000],
])("the context of %s/%s is known without a request", async (provider, model, least) => {
  const providers = createProviders({
    fetch: () => Promise.reject(new Error("no request")),
    credentials: environmentCredentials(),
    options: () => ({}),
    log: silentLog,
  });
  expect(await providers.contextTokens({ provider, model })).toBeGreaterThan(least);
  expect(await providers.contextTokens({ provider: "openai-compat", model: "unknown" })).toBeUndefined();
});
