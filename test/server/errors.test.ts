import { expect, test } from "vitest";
import { CitewellError, connectionFaultOf, toErrorBody } from "../../server/errors.ts";

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

test.each([
  ["connect ECONNREFUSED 10.0.0.1:443", { code: "ECONNREFUSED", syscall: "connect" }, "connect ECONNREFUSED"],
  ["getaddrinfo ENOTFOUND db.corp", { code: "ENOTFOUND", syscall: "getaddrinfo" }, "getaddrinfo ENOTFOUND"],
  [
    "Connect Timeout Error (attempted addresses: 10.0.0.1:443, 10.0.0.2:443, timeout: 10000ms)",
    { code: "UND_ERR_CONNECT_TIMEOUT" },
    "it did not answer in time",
  ],
  ["", { code: "ECONNREFUSED" }, "ECONNREFUSED"],
  ["other side closed", { code: "UND_ERR_SOCKET" }, "other side closed"],
])("the reason of a failed connection has no address: %s", (message, fields, reason) => {
  expect(connectionFaultOf(Object.assign(new Error(message), fields))).toBe(reason);
});
