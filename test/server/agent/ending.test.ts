import { expect, test } from "vitest";
import { closingNote } from "../../../server/agent/ending.ts";

const stopped = { reason: "length", message: "It was too long." } as const;
const note = "> **Partial answer.** It was too long.";

function check(text: string, expected: string) {
  expect(closingNote(text, stopped)).toBe(expected);
}

test.each([
  ["", note],
  ["An answer", `\n\n${note}`],
  ["```ts\nconst a = 1;\n```\n", `\n${note}`],
  ["```ts\nconst a", `\n\`\`\`\n\n${note}`],
  ["~~~\nconst a", `\n~~~\n\n${note}`],
])("after %j the note is a paragraph of its own", (text, expected) => check(text, expected));
