import { describe, expect, test } from "vitest";
import * as z from "zod";
import { AskRequest } from "../../../server/protocol/ask.ts";
import { ConfigFile } from "../../../server/protocol/config.ts";
import { describeIssues } from "../../../server/protocol/validation.ts";

function check(schema: z.ZodType, input: unknown, expected: string) {
  const { error } = schema.safeParse(input);
  expect(error === undefined ? "accepted" : describeIssues(error, input)).toBe(expected);
}

describe("every field at fault, its value and the rule", () => {
  test("a field that is missing", () => check(AskRequest, {}, "question: missing: must be a string"));

  test("several fields, in one sentence", () =>
    check(
      AskRequest,
      { question: " ", resources: "zod", quiet: 1 },
      'question: " ": a question must not be empty; resources: "zod": must be a list; quiet: 1: must be true or false',
    ));

  test("several rules of one field", () =>
    check(
      z.object({ name: z.string().max(2, "at most 2 characters").regex(/^a/, "starts with an a") }),
      { name: "bcd" },
      'name: "bcd": at most 2 characters, and starts with an a',
    ));

  test("no object at all", () => {
    check(AskRequest, [], "the request: a list of 0: must be an object");
    check(AskRequest, null, "the request: null: must be an object");
  });

  test("keys that are no names", () =>
    check(
      ConfigFile,
      { providerOptions: { "openai-compat": { baseURL: "ftp://h" } } },
      'providerOptions["openai-compat"].baseURL: "ftp://h": must be an http or https URL',
    ));

  test("more faults than one can read are counted", () => {
    const input = { resources: Array.from({ length: 12 }, () => 1), question: "q" };
    const { error } = z.object({ resources: z.array(z.string()) }).safeParse(input);
    expect(error && describeIssues(error, input)).toMatch(
      /^resources\[0\]: 1: .*; resources\[7\]: 1: [^;]*; and 4 more$/,
    );
  });

  test("a size is given in plain words", () => {
    check(z.object({ a: z.string().max(2) }), { a: "abc" }, 'a: "abc": must be at most 2 characters long');
    check(z.object({ a: z.array(z.string()).min(1) }), { a: [] }, "a: a list of 0: must be at least 1 items long");
  });
});

describe("values are shown with care", () => {
  test("long ones are shortened, and never in the middle of a character", () => {
    check(z.object({ a: z.number() }), { a: "😀".repeat(50_000) }, `a: "${"😀".repeat(29)}…": must be a number`);
  });

  test("secrets and what may hold them are hidden", () => {
    check(z.object({ apiKey: z.number() }), { apiKey: "sk-123" }, "apiKey: (hidden): must be a number");
    check(z.object({ a: z.number() }), { a: { apiKey: "sk-123" } }, "a: an object: must be a number");
    check(z.object({ a: z.number() }), { a: "https://h/?token=s3" }, 'a: "https://h/?token=…": must be a number');
  });

  test("line ends and invisible characters are written out", () => {
    check(z.object({ a: z.number() }), { a: "x\n\u202Ey" }, 'a: "x\\n\\u{202e}y": must be a number');
  });
});
