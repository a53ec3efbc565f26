import { expect, test } from "vitest";
import { createInputReader, type TerminalInput } from "../../../cli/tui/input.ts";

const esc = "\u001B";
const key = (name: string): TerminalInput => ({ type: "key", key: name });
const text = (value: string): TerminalInput => ({ type: "text", text: value });

const rows: readonly (readonly [sent: string, read: readonly TerminalInput[]])[] = [
  ["héllo 漢", [text("héllo 漢")]],
  ["a\rb", [text("a"), key("enter"), text("b")]],
  ["\t\u007F\u0003\n", [key("tab"), key("backspace"), key("ctrl+c"), key("ctrl+j")]],
  [`${esc}[A${esc}OB${esc}[1;5C`, [key("up"), key("down"), key("ctrl+right")]],
  [`${esc}[H${esc}[4~${esc}[5~${esc}[3~`, [key("home"), key("end"), key("pageup"), key("delete")]],
  [`${esc}\r${esc}b`, [key("alt+enter"), key("alt+b")]],
  [`${esc}[Z`, [key("shift+tab")]],
  // The keyboard protocol of kitty.
  [`${esc}[27u${esc}[13;2u${esc}[99;5u`, [key("escape"), key("shift+enter"), key("ctrl+c")]],
  [`${esc}[<64;3;4M`, [{ type: "mouse", action: "wheel-up", column: 2, row: 3 }]],
  [
    `${esc}[<0;1;1M${esc}[<32;2;1M${esc}[<0;2;1m`,
    [
      { type: "mouse", action: "press", column: 0, row: 0 },
      { type: "mouse", action: "drag", column: 1, row: 0 },
      { type: "mouse", action: "release", column: 1, row: 0 },
    ],
  ],
  [
    `${esc}[I${esc}[O`,
    [
      { type: "focus", hasFocus: true },
      { type: "focus", hasFocus: false },
    ],
  ],
  [`${esc}[200~a\rb${esc}[201~c`, [{ type: "paste", text: "a\rb" }, text("c")]],
  // Keys that the program has no name for.
  [`${esc}[24~${esc}[57399u`, []],
];

test.each(rows)("%j", (sent, expected) => {
  expect(joinText(createInputReader().push(sent))).toEqual(expected);
});

test.each(rows)("%j, in single characters", (sent, expected) => {
  const reader = createInputReader();
  expect(joinText(sent.split("").flatMap((character) => reader.push(character)))).toEqual(expected);
});

test("an Escape that nothing follows is the key", () => {
  const reader = createInputReader();
  expect(reader.push(esc)).toEqual([]);
  expect(reader.isWaiting).toBe(true);
  expect(reader.flush()).toEqual([key("escape")]);
  expect(reader.isWaiting).toBe(false);
});

test("Ctrl+C gets out of a paste whose end was lost", () => {
  const reader = createInputReader();
  expect(reader.push(`${esc}[200~abc`)).toEqual([]);
  expect(reader.push("\u0003")).toEqual([key("ctrl+c")]);
  expect(reader.push("d")).toEqual([text("d")]);
});

/** Text may come in any pieces. */
function joinText(inputs: readonly TerminalInput[]): TerminalInput[] {
  const joined: TerminalInput[] = [];
  for (const input of inputs) {
    const last = joined.at(-1);
    if (input.type === "text" && last?.type === "text") joined[joined.length - 1] = text(last.text + input.text);
    else joined.push(input);
  }
  return joined;
}
