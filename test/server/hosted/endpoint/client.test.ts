import { expect, test } from "vitest";
import { clientOf, namedClient, newSession } from "../../../../server/hosted/endpoint/client.ts";

const infoKey = "io.modelcontextprotocol/clientInfo";
const of = (headers: Record<string, string>, named?: string) => clientOf(headers, named);

test("a client is what its message says, else what it said when it connected, else its product", () => {
  const clientInfo = { name: "claude-code", version: "2.1.0" };
  expect(namedClient({ clientInfo })).toBe("claude-code 2.1.0");
  expect(namedClient({ _meta: { [infoKey]: clientInfo } })).toBe("claude-code 2.1.0");
  const headers = { "mcp-session-id": newSession("codex 1.2"), "user-agent": "node/24 (linux)" };
  expect(of(headers, "claude-code 2.1.0")).toBe("claude-code 2.1.0");
  expect(of(headers)).toBe("codex 1.2");
  for (const session of [newSession(undefined), "one-client", `${newSession("x")}!`]) {
    expect(of({ ...headers, "mcp-session-id": session })).toBe("node 24");
  }
  expect(of({ "user-agent": "curl/8.5.0" })).toBe("curl 8.5.0");
  expect(of({})).toBe(":unknown");
});

test.each([
  [{ name: "x".repeat(100), version: "9".repeat(100) }, `${"x".repeat(60)} ${"9".repeat(20)}`],
  [{ name: "a\u0000\n\u202Eb\uD800", version: 1 }, "a b"],
  [{ name: ":page", version: "" }, "page"],
  [{ name: "<b>x</b>", version: "1" }, "b>x</b> 1"],
  [{ name: "\u200b::", version: "1" }, undefined],
  ["text", undefined],
  [undefined, undefined],
])("a name is one short line that begins with a letter or a digit: %j", (clientInfo, name) => {
  expect(namedClient({ clientInfo })).toBe(name);
});

test("a session that was made up is read like a name", () => {
  const made = (text: string) =>
    of({ "mcp-session-id": `${crypto.randomUUID()}.${Buffer.from(text).toString("base64url")}` });
  expect(made(":page")).toBe("page");
  expect(made("a\u0000b")).toBe("a b");
  expect(made("x".repeat(500))).toBe("x".repeat(60));
});
