import { describe, expect, test } from "vitest";
import { joinQuestion, splitQuestion } from "../../client/attachment.ts";
import { limits } from "../../server/protocol/resource-fields.ts";

describe("an attachment", () => {
  const attachment = { label: "retry.ts:1-2", path: "src/retry.ts", text: "const a = 1;\nconst b = 2;" };

  test("is sent in a code block below the question", () => {
    expect(joinQuestion("Why?", attachment)).toBe(
      "Why?\n\nAttached from `src/retry.ts` (retry.ts:1-2):\n\n```ts\nconst a = 1;\nconst b = 2;\n```",
    );
  });

  test.each([
    attachment,
    { ...attachment, text: "a ``` fence ```` in it\n```\n" },
    { label: "Makefile", path: "Makefile", text: "all:" },
    { label: "a (b).ts", path: "a (b).ts", text: "" },
  ])("is read back from the question that was sent: $label", (attached) => {
    expect(splitQuestion(joinQuestion("Why?\n\nReally", attached))).toEqual({
      question: "Why?\n\nReally",
      attachment: attached,
    });
  });

  test("a question without one stays as it is", () => {
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
