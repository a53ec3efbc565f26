import { describe, expect, test } from "vitest";
import { type OperationName, operationNames, operations } from "../../../server/protocol/operations.ts";
import { parseInput } from "../../../server/transports/call-operation.ts";

/** What an operation takes, and what it refuses with which words. */
interface Row {
  taken: unknown[];
  refused: [input: unknown, message: string][];
}

const rows: Partial<Record<OperationName, Row>> = {
  search: {
    taken: [
      { query: "x" },
      { query: "x".repeat(100_000), limit: 100, passageLines: 200, offset: 10_000 },
      { query: "a", mode: "references", kinds: ["code", "test"], glob: "*.ts" },
      { query: "a", mode: "exact", ignoreCase: true, wholeWord: true, contextLines: 20, counts: true },
    ],
    refused: [
      [{}, "query"],
      [{ query: "" }, "a query must not be empty"],
      [{ query: "x".repeat(100_001) }, "a query has at most 100000 characters"],
      [{ query: "x", limit: 0 }, "limit"],
      [{ query: "x", limit: 101 }, "limit"],
      [{ query: "x", limit: 1.5 }, "limit"],
      [{ query: "x", mode: "fuzzy" }, "mode"],
      [{ query: "x", contextLines: 21 }, "contextLines"],
      [{ query: "x", kinds: ["prose"] }, "kinds"],
      [{ query: "x", resources: Array.from({ length: 21 }, (_, index) => `r${index}`) }, "resources"],
    ],
  },
  read: {
    taken: [
      { path: "a.ts" },
      { resource: "npm:zod@4", path: "a.ts", revision: "4.1.0", startLine: 1, endLine: 9, around: 3 },
    ],
    refused: [
      [{ resource: "zod" }, "path"],
      [{ resource: "", path: "a.ts" }, "a resource must not be empty"],
      [{ resource: "zod", path: "a", startLine: 0 }, "startLine"],
      [{ resource: "zod", path: "a", around: "7" }, "around"],
      [{ resource: "zod", path: "x".repeat(4097) }, "path"],
    ],
  },
  setModel: {
    taken: [{ provider: "openai", model: "gpt-5" }],
    refused: [
      [{ provider: "", model: "m" }, "a provider must not be empty"],
      [{ provider: "p", model: "" }, "a model must not be empty"],
      [{ provider: "p", model: "m".repeat(257) }, "model"],
    ],
  },
  connectProvider: {
    taken: [{ provider: "openrouter", key: "k" }],
    refused: [
      [{ provider: "openrouter", key: "" }, "a key must not be empty"],
      [{ key: "k" }, "provider"],
    ],
  },
  getThread: {
    taken: [{ id: "4f2a" }],
    refused: [
      [{ id: "" }, "a thread's id must not be empty"],
      [{ id: "x".repeat(65) }, "id"],
      [{ id: 4 }, "id"],
    ],
  },
  removeResource: {
    taken: [{ name: "@scope/pkg" }],
    refused: [
      [{ name: "" }, "name"],
      [{ name: "a b" }, "name"],
      [{ name: "x".repeat(65) }, "name"],
    ],
  },
  listBranches: {
    taken: [{ url: "https://github.com/a/b" }],
    refused: [
      [{ url: "git@github.com:a/b.git" }, "url"],
      [{ url: "http://github.com/a/b" }, "url"],
      [{}, "url"],
    ],
  },
  verify: {
    taken: [{ text: "" }, { text: "see a.ts:1", resources: ["zod"] }],
    refused: [
      [{}, "text"],
      [{ text: 7 }, "text"],
    ],
  },
};

describe.each(Object.entries(rows))("%s", (name, { taken, refused }) => {
  const operation = operationNames.find((candidate) => candidate === name);
  const parse = (input: unknown) => () => (operation === undefined ? undefined : parseInput(operation, input));

  test.each(taken.map((input) => [JSON.stringify(input).slice(0, 60), input]))("takes %s", (_, input) =>
    expect(parse(input)).not.toThrow(),
  );

  test.each(refused.map(([input, message]) => [JSON.stringify(input).slice(0, 60), message, input] as const))(
    "refuses %s: %s",
    (_, message, input) => {
      expect(parse(input)).toThrow(
        expect.objectContaining({ tag: "InvalidRequest", message: expect.stringContaining(message) }),
      );
    },
  );
});

test.each(operationNames)("%s refuses what is no object", (name) => {
  for (const input of [[], "text", 7, null]) {
    expect(() => parseInput(name, input)).toThrow(expect.objectContaining({ tag: "InvalidRequest" }));
  }
  expect(operations[name].summary).toMatch(/^[A-Z].*\.$/);
});
