import { describe, expect, test } from "vitest";
import {
  type Attachment,
  attachmentLimit,
  fitAttachment,
  joinQuestion,
  splitQuestion,
} from "../../../server/protocol/attachment.ts";
import { limits } from "../../../server/protocol/resource-fields.ts";

const attachment: Attachment = { label: "retry.ts:1-2", path: "src/retry.ts", text: "const a = 1;\nconst b = 2;" };

describe("an attachment", () => {
  test("is sent in a code block below the question", () => {
    expect(joinQuestion("Why?", [attachment])).toBe(
      "Why?\n\nAttached from `src/retry.ts` (retry.ts:1-2):\n\n```ts\nconst a = 1;\nconst b = 2;\n```",
    );
  });

  const samples: Attachment[] = [
    attachment,
    { ...attachment, text: "a ``` fence ```` in it\n```\n" },
    { label: "Makefile", path: "Makefile", text: "all:" },
    { label: "a (b).ts", path: "a (b).ts", text: "" },
    { label: "thread.md", path: "thread.md", text: joinQuestion("Before?", [attachment, attachment]) },
  ];

  test.each(samples)("is read back from the question that was sent: $label", (attached) => {
    expect(splitQuestion(joinQuestion("Why?\n\nReally", [attached]))).toEqual({
      question: "Why?\n\nReally",
      attachments: [attached],
    });
  });

  test("is read back with the others, in their order", () => {
    expect(splitQuestion(joinQuestion("Why?", samples))).toEqual({ question: "Why?", attachments: samples });
  });

  test.each([
    "Why `a` (b):\n\n```ts\nx\n```",
    `${joinQuestion("Why?", [attachment])}\nAnd then?`,
    joinQuestion("Why?", [attachment, attachment]).slice(0, -1),
  ])("a question that does not end with one stays as it is", (question) => {
    expect(splitQuestion(question)).toEqual({ question, attachments: [] });
  });

  test("thousands of unfinished blocks are read in one pass", () => {
    const question = "\n\nAttached from `a` (b):\n\n```\nx\n```".repeat(2500);
    expect(splitQuestion(`${question}.`)).toEqual({ question: `${question}.`, attachments: [] });
    expect(splitQuestion(question).attachments).toHaveLength(2500);
  });

  test.each([10, 70_000, limits.questionLength])(
    "a question of %i characters is never sent longer than allowed",
    (length) => {
      const sent = joinQuestion("?".repeat(length), [attachment, { ...attachment, text: "x".repeat(60_000) }]);
      expect(sent.length).toBeLessThanOrEqual(limits.questionLength);
      expect(sent.startsWith("?".repeat(length))).toBe(true);
    },
  );
});

describe("what fits into a question", () => {
  const long = { label: "long.ts", path: "src/long.ts", text: "const line = 1;\n".repeat(10_000) };

  test("is all of a short file", () => {
    expect(fitAttachment(attachment, [])).toBe(attachment);
  });

  test("is the first lines of a long one, and its label names them", () => {
    const fitting = fitAttachment(long, []);
    expect(fitting?.text.length).toBeLessThanOrEqual(attachmentLimit);
    expect(fitting?.text.endsWith("const line = 1;")).toBe(true);
    expect(fitting?.label).toBe(`long.ts:1-${fitting?.text.split("\n").length}`);
    expect(fitAttachment({ ...long, label: "long.ts:11-10010" }, [])?.label).toMatch(/^long\.ts:11-37\d\d$/);
  });

  test("is less beside other files, and at last nothing", () => {
    const first = fitAttachment(long, []);
    const second = first && fitAttachment(long, [first]);
    expect(second?.text.length).toBeLessThan(26_000);
    expect(first && second && fitAttachment(long, [first, second])).toBeUndefined();
    expect(
      joinQuestion(
        "Why?",
        [first, second].flatMap((one) => one ?? []),
      ).length,
    ).toBeLessThan(limits.questionLength);
  });
});
