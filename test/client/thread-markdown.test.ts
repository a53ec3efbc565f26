import { describe, expect, test } from "vitest";
import type { Citation } from "../../server/protocol/citation.ts";
import { threadMarkdown } from "../../client/thread-markdown.ts";
import { fencedLines } from "../../server/protocol/fenced-lines.ts";
import { threadTitle } from "../../server/protocol/thread-title.ts";
import { threadTurn } from "../support/thread-turn.ts";

const citation: Citation = {
  id: "c1",
  resource: "demo",
  path: "src/retry.ts",
  startLine: 7,
  endLine: 8,
  state: "verified",
  revision: "abc",
};
const hash = "0".repeat(64);

describe("a conversation as Markdown", () => {
  test("has the questions as quotes, the facts, the answers and the sources with their lines", () => {
    const markdown = threadMarkdown({
      title: "How long?",
      turns: [
        threadTurn({
          question: "How long\ndoes it wait?",
          text: "Two seconds.\n",
          citations: [
            { ...citation, url: "https://host/retry.ts#L7-L8" },
            { ...citation, id: "c2", state: "missing", reason: "no such file", endLine: 7 },
          ],
          cited: [{ citation: "c1", file: hash, text: hash, length: 9, lines: ["wait(2);", "", "again();"] }],
        }),
      ],
    });
    expect(markdown).toMatchInlineSnapshot(`
      "# How long?

      > How long
      > does it wait?

      *2025-01-01, builtin/extractive*

      Two seconds.

      **Sources**

      1. [\`src/retry.ts:7-8\`](https://host/retry.ts#L7-L8) (demo · abc): verified

         \`\`\`ts
         wait(2);

         again();
         \`\`\`

      2. \`src/retry.ts:7\` (demo · abc): missing: no such file
      "
    `);
  });

  test.each([
    ["cancelled", "*Stopped. The answer is partial; its citations were checked.*"],
    ["failed", "*The answer is partial; its citations were checked.*"],
  ] as const)("says that an answer was %s", (ended, words) => {
    expect(threadMarkdown({ title: "t", turns: [threadTurn({ ended })] })).toContain(words);
  });

  test("a turn that is not kept yet has its sources without lines", () => {
    expect(threadMarkdown({ title: "t", turns: [threadTurn({ citations: [citation], cited: [] })] })).toContain(
      "1. `src/retry.ts:7-8` (demo · abc): verified\n",
    );
  });

  test("shows characters that cannot be seen, and has plain line ends", () => {
    const markdown = threadMarkdown({ title: "t", turns: [threadTurn({ text: "a\u202Eb\r\nc" })] });
    expect(markdown).toContain("a‹U+202E›b\nc");
  });

  test("a backtick in a path does not end the code span", () => {
    const turn = threadTurn({ citations: [{ ...citation, path: "a`b.ts" }] });
    expect(threadMarkdown({ title: "t", turns: [turn] })).toContain("`a'b.ts:7-8`");
  });
});

test.each([
  ["a.ts", ["x"], "```ts", "```"],
  ["README", ["x"], "```", "```"],
  ["a.MD", ["```", "x"], "````md", "````"],
  ["a.md", ["a `````` b"], "```````md", "```````"],
])("the fence of %s around %j is longer than what is within", (path, lines, first, last) => {
  expect(fencedLines(path, lines)).toEqual([first, ...lines, last]);
});

test.each([
  ["Why?", "Why?"],
  ["  Why\n\tso  long? ", "Why so long?"],
  ["x".repeat(80), "x".repeat(80)],
  ["x".repeat(81), `${"x".repeat(79)}…`],
  [`${"x".repeat(78)}😀y`, `${"x".repeat(78)}…`],
])("the title of a thread that begins with %j", (question, title) => expect(threadTitle(question)).toBe(title));
