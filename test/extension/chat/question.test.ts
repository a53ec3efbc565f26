import { describe, expect, test } from "vitest";
import { joinQuestion, splitQuestion, targetsOf } from "../../../extension/features/chat/question.ts";
import { limits } from "../../../server/protocol/resource-fields.ts";

describe("what a question is asked of", () => {
  const nothing = { mentionable: { names: ["express", "zod"], exists: () => false }, selected: [], previous: [] };
  const check = (text: string, asked: Partial<Parameters<typeof targetsOf>[1]>, expected: object) =>
    expect(targetsOf(text, { ...nothing, ...asked })).toEqual(expected);

  test("nothing named, ticked or asked before: all", () =>
    check("Why?", {}, { question: "Why?", named: [], resources: [] }));
  test("mentions come first", () =>
    check(
      "@zod why?",
      { given: ["express"], selected: ["express"], previous: ["express"] },
      { question: "why?", named: ["zod"], resources: ["zod"] },
    ));
  test("then what a command gives", () =>
    check("Why?", { given: ["zod"], selected: ["express"] }, { question: "Why?", named: ["zod"], resources: ["zod"] }));
  test("then what is ticked, which does not go on to the next turn by itself", () =>
    check("Why?", { selected: ["zod"], previous: ["express"] }, { question: "Why?", named: [], resources: ["zod"] }));
  test("then what the turn before named, and so on", () =>
    check("Why?", { previous: ["zod"] }, { question: "Why?", named: ["zod"], resources: ["zod"] }));
  test("mentions alone stay in the question", () =>
    check("@zod", {}, { question: "@zod", named: ["zod"], resources: ["zod"] }));
});

describe("lines that go along", () => {
  const attachment = { label: "retry.ts:1-2", path: "src/retry.ts", text: "const a = 1;\nconst b = 2;" };

  test("stand in a block below the question", () => {
    expect(joinQuestion("Why?", attachment)).toBe(
      "Why?\n\nAttached from `src/retry.ts` (retry.ts:1-2):\n\n```ts\nconst a = 1;\nconst b = 2;\n```",
    );
  });

  test.each([
    attachment,
    { ...attachment, text: "a ``` fence ```` in it\n```\n" },
    { label: "Makefile", path: "Makefile", text: "all:" },
    { label: "a (b).ts", path: "a (b).ts", text: "" },
  ])("come back out of what was sent: $label", (attached) => {
    expect(splitQuestion(joinQuestion("Why?\n\nReally", attached))).toEqual({
      question: "Why?\n\nReally",
      attachment: attached,
    });
  });

  test("a question without any stays as it is", () => {
    expect(splitQuestion("Why `a` (b):\n\n```ts\nx\n```")).toEqual({ question: "Why `a` (b):\n\n```ts\nx\n```" });
  });

  test.each([10, 70_000, limits.questionLength])(
    "a question of %i characters is never sent longer than allowed",
    (length) => {
      const sent = joinQuestion("?".repeat(length), { ...attachment, text: "x".repeat(60_000) });
      expect(sent.length).toBeLessThanOrEqual(limits.questionLength);
      expect(sent.startsWith("?".repeat(length))).toBe(true);
    },
  );
});
