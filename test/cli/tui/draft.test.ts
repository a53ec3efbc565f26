import { describe, expect, test } from "vitest";
import { type Draft, draftOf, edit, paste, shownText, wholeText } from "../../../cli/tui/draft.ts";
import { foldDraft } from "../../../cli/tui/chrome.ts";

/** A draft as text with `|` for the cursor. */
function parse(marked: string): Draft {
  const cursor = marked.indexOf("|");
  return { ...draftOf(marked.replace("|", "")), cursor };
}

function format({ text, cursor }: Draft): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

test.each([
  ["backspace", "añ|b", "a|b"],
  ["backspace", "👩🏽|", "|"],
  ["backspace", "|a", "|a"],
  ["backspace", "a👩‍👩‍👧‍👦|", "a|"],
  ["delete", "a|漢b", "a|b"],
  ["delete", "|👩‍👩‍👧‍👦b", "|b"],
  ["left", "👩‍👩‍👧‍👦🇩🇪|", "👩‍👩‍👧‍👦|🇩🇪"],
  ["left", "漢|", "|漢"],
  ["right", "|é", "é|"],
  ["ctrl+w", "one two|", "one |"],
  ["ctrl+w", "one two  |", "one |"],
  ["ctrl+w", "|", "|"],
  ["ctrl+u", "a\nbc|d", "a\n|d"],
  ["ctrl+k", "a|b\nc", "a|\nc"],
  ["home", "a\nbc|", "a\n|bc"],
  ["end", "|ab\nc", "ab|\nc"],
  ["ctrl+left", "one two|", "one |two"],
  ["ctrl+right", "|one two", "one| two"],
])("%s: %j is then %j", (key, before, after) => {
  const edited = edit(parse(before), key);
  expect(edited === undefined ? undefined : format(edited)).toBe(after);
});

test("other keys do not edit", () => {
  expect(edit(draftOf("a"), "enter")).toBeUndefined();
});

describe("a paste", () => {
  test("is inserted without control characters", () => {
    expect(paste(parse("a|b"), "x\r\ny\u001B[2J\u0007").text).toBe("ax\ny[2Jb");
  });

  test("of many lines is shown as one word, which Backspace removes", () => {
    const lines = Array.from({ length: 1234 }, (_, index) => `line ${index}`);
    const draft = paste(parse("see |"), lines.join("\n"));
    expect(shownText(draft)).toBe("see [pasted 1,234 lines]");
    expect(wholeText(draft)).toBe(`see ${lines.join("\n")}`);
    expect(wholeText(edit(draft, "backspace") ?? draft)).toBe("see ");
  });
});

test.each([
  ["", 0, [""], { column: 0, row: 0 }],
  ["abcd", 4, ["abcd"], { column: 4, row: 0 }],
  ["abcde", 5, ["abcd", "e"], { column: 1, row: 1 }],
  ["abcde", 4, ["abcd", "e"], { column: 0, row: 1 }],
  ["abc漢", 3, ["abc", "漢"], { column: 0, row: 1 }],
  ["a\nb", 2, ["a", "b"], { column: 0, row: 1 }],
] as const)("%j with the cursor at %i, on four columns", (text, at, rows, cursor) => {
  expect(foldDraft(text, { at, width: 4 })).toEqual({ rows, cursor });
});
