import { expect, test } from "vitest";
import { CitewellError, toErrorBody } from "../../server/errors.ts";

test.each([
  [
    new CitewellError("InvalidRequest", "no question", { hint: "ask one" }),
    { error: "no question", tag: "InvalidRequest", hint: "ask one" },
  ],
  [new CitewellError("InvalidRequest", "no question"), { error: "no question", tag: "InvalidRequest" }],
  [new DOMException("stop", "AbortError"), { error: "the question was cancelled", tag: "Cancelled" }],
  [
    new TypeError("x is not a function"),
    {
      error: "something unexpected went wrong: x is not a function",
      tag: "Internal",
      hint: "the details are in the server's log, or at the terminal with --verbose",
    },
  ],
  [
    "a string",
    {
      error: "something unexpected went wrong: a string",
      tag: "Internal",
      hint: "the details are in the server's log, or at the terminal with --verbose",
    },
  ],
])("%s as it goes over a wire", (thrown, body) => {
  expect(toErrorBody(thrown)).toEqual(body);
});
