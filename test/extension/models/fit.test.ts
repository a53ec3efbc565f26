import { expect, test } from "vitest";
import { fitMessages, leftOut } from "../../../extension/features/editor-models/fit.ts";
import type { EditorMessage } from "../../../server/protocol/editor-model.ts";

const question: EditorMessage = { role: "user", content: [{ type: "text", text: "why?" }] };
const result = (text: string): EditorMessage => ({
  role: "user",
  content: [{ type: "tool-result", callId: "1", text }],
});
const count = async (text: string) => text.length;

/** Which messages are left as they were; one character is one token. */
async function check(messages: EditorMessage[], limit: number, expected: boolean[]) {
  const fitted = await fitMessages(messages, { tools: [], limit, count });
  expect(fitted.messages.map((message, index) => message === messages[index])).toEqual(expected);
  if (limit > 0) expect(fitted.tokens).toBeLessThanOrEqual(limit);
}

const long = "x".repeat(1000);

test("what has room is left as it is", () => check([question, result(long)], 2000, [true, true]));
test("a limit that is not known limits nothing", () => check([question, result(long)], 0, [true, true]));
test("what was read longest ago makes room first", () =>
  check([question, result(long), result(long)], 1500, [true, false, true]));

test("the model is informed of what is left out", async () => {
  const { messages } = await fitMessages([result(long)], { tools: [], limit: 500, count });
  expect(messages).toEqual([result(leftOut)]);
});

test("a question that does not fit stays whole, and is marked", async () => {
  const asked: EditorMessage = { role: "user", content: [{ type: "text", text: long }] };
  const fitted = await fitMessages([asked], { tools: [], limit: 10, count });
  expect(fitted).toEqual({ messages: [asked], tokens: 1000, hasRoom: false });
});
