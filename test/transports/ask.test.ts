import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AskEvent, AskRequest } from "../../server/protocol/ask.ts";
import { type Connection, transports } from "../support/connect.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { type ScriptedModel, scriptedModel, type ScriptedStep } from "../support/scripted-model.ts";

const project = `
//- demo/src/retry.ts
export function retry(times: number) {
  const delayMs = 100 * times;
  return delayMs;
}
//- demo/README.md
# Demo
Retries wait 100 ms more each time.
`;

/** Three steps: two tools at once, a failing one, and an answer that cites well and badly. */
const answering: ScriptedStep[] = [
  {
    reasoning: ["Look", " for it."],
    toolCalls: [
      { name: "read", input: { path: "src/retry.ts" } },
      { name: "grep", input: { pattern: "100 ms" } },
    ],
  },
  { toolCalls: [{ name: "read", input: { path: "src/gone.ts" } }] },
  {
    text: [
      "The delay grows [[demo:src/re",
      "try.ts#L2]]. Not so [[demo:src/retry.ts#L90-L99]], ",
      "nor [[demo:src/gone.ts#L1]].",
    ],
  },
];

/** A question, the model's script, and what every transport must make of it. */
interface Behaviour {
  script: readonly ScriptedStep[];
  request: AskRequest;
  expected: (events: AskEvent[]) => void;
}

const behaviours: Record<string, Behaviour> = {
  "streams meta, reasoning, tools and checked text, and ends with done": {
    script: answering,
    request: { question: "How long is the delay?", resources: ["demo"] },
    expected(events) {
      expect(events[0]).toMatchObject({ type: "meta", resources: ["demo"], collection: { key: "demo" } });
      expect(events.filter(({ type }) => type === "reasoning.delta")).not.toEqual([]);
      const done = events.at(-1);
      expect(done).toMatchObject({ type: "done", reasoning: "Look for it.", usage: { inputTokens: 30 } });
      if (done?.type !== "done") return;
      expect(done.citations.map(({ state, path, startLine }) => `${path}:${startLine} ${state}`)).toEqual([
        "src/retry.ts:2 verified",
        "src/retry.ts:90 out-of-range",
        "src/gone.ts:1 missing",
      ]);
      expect(done.text).toMatch(
        /^The delay grows \[src\/retry\.ts:2\]\(file:.*\)\. Not so src\/retry\.ts:90-99 \(out of range/,
      );
      expect(done.text).not.toContain("[[");
      expect(done.tools.map(({ tool, state }) => `${tool} ${state.status}`)).toEqual([
        "read completed",
        "grep completed",
        expect.stringMatching(/^read (completed|error)$/),
      ]);
    },
  },
  "a provider that breaks in the middle ends the stream with error": {
    script: [{ text: ["The delay", " is"], closeAfter: 2 }],
    request: { question: "How long is the delay?", resources: ["demo"] },
    expected(events) {
      expect(events[0]).toMatchObject({ type: "meta" });
      expect(events.at(-1)).toMatchObject({ type: "error", tag: "ProviderFailed" });
      expect(events.filter(({ type }) => type === "done")).toEqual([]);
    },
  },
  "an unknown resource fails before the first event": {
    script: [],
    request: { question: "Why?", resources: ["dem"] },
    expected(events) {
      expect(events).toEqual([
        {
          type: "error",
          tag: "ResourceNotFound",
          message: 'no resource named "dem"',
          hint: "did you mean demo?",
        },
      ]);
    },
  },
  "21 resources are refused": {
    script: [],
    request: { question: "Why?", resources: Array.from({ length: 21 }, (_, index) => `r${index}`) },
    expected(events) {
      expect(events).toMatchObject([{ type: "error", tag: "InvalidRequest" }]);
      expect(events[0]).toHaveProperty("message", expect.stringContaining("at most 20 resources"));
    },
  },
  "100,001 characters are refused": {
    script: [],
    request: { question: "x".repeat(100_001), resources: ["demo"] },
    expected(events) {
      expect(events).toMatchObject([{ type: "error", tag: "InvalidRequest" }]);
      expect(events[0]).toHaveProperty("message", expect.stringContaining("at most 100000 characters"));
    },
  },
};

describe.each(Object.entries(behaviours))("%s", (_, { script, request, expected }) => {
  let folder: Folder;
  let model: ScriptedModel;
  const seen: Record<string, unknown[]> = {};

  beforeAll(async () => {
    folder = await temporaryFolder(project);
    model = await scriptedModel(Object.keys(transports).flatMap(() => script));
    const resources = [{ type: "local", name: "demo", path: `${folder.path}/demo` }];
    const config = JSON.stringify({ ...model.config, resources });
    await folder.write(`//- .home/citewell.config.jsonc\n${config}`);
  });
  afterAll(async () => {
    await model[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  test.each(Object.entries(transports))("%s", async (name, open: (folder: string) => Promise<Connection>) => {
    await using connection = await open(folder.path);
    const events = await connection.ask(request);
    expected(events);
    seen[name] = events.filter(({ type }) => type !== "progress").map(comparable);
  });

  test("is the same on all of them", () => {
    const [first, ...others] = Object.values(seen);
    expect(others).toHaveLength(Object.keys(transports).length - 1);
    for (const other of others) expect(other).toEqual(first);
  });
});

/** The command's options for the request's fields, in a refusal's sentence. */
const options: Record<string, string> = { "-r, --resource": "resources", "-q, --question": "question" };

/**
 * Without what differs from run to run (times, ids of tool calls that the provider makes up) or by surface (hints, and
 * whether a refusal names the field or the option).
 */
function comparable(event: AskEvent): unknown {
  return JSON.parse(
    JSON.stringify(event, (key, value: unknown) => {
      if (["time", "timing", "throughput", "callID", "hint"].includes(key)) return undefined;
      if (key !== "message" || typeof value !== "string") return value;
      return value.replace(/^-\w, --\w+/, (option) => options[option] ?? option);
    }),
  );
}
