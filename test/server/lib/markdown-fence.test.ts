import { expect, test } from "vitest";
import { type Fence, fenceAfter } from "../../../server/lib/markdown-fence.ts";

/** For each line, `#` where a fence is open after it. */
function check(markdown: string): string {
  let fence: Fence | undefined;
  const marks = markdown.split("\n").map((line) => {
    fence = fenceAfter(line, fence);
    return fence === undefined ? "." : "#";
  });
  return marks.join("");
}

test.each([
  ["text\n```ts\na\n```\ntext", ".##.."],
  ["~~~\n```\n~~~", "##."],
  ["````\n```\n````", "##."],
  ["```\n~~~\n`````", "##."],
  ["```\n``` a\n```", "##."],
  ["```a``` b\n`` c", ".."],
  ["~~~ a~b`c\n~~~", "#."],
  ["- ```\n  a\n  ```", "##."],
  ["1. a\n   ```\n   ```", ".#."],
  ["> ```\n> a\n> ```", "##."],
  ["```\n    ```\n```", "##."],
  ["```\r\n```\r", "#."],
])("%j", (markdown, expected) => {
  expect(check(markdown)).toBe(expected);
});
