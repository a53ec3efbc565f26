import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { startHttp } from "../../../support/http.ts";

/** The answer to a request with these headers, in which `<own>` is the server's port. */
async function ask(call: string, headers: readonly string[]): Promise<string> {
  await using server = await startHttp();
  const lines = headers.map((line) => line.replaceAll("<own>", String(server.port)));
  return await server.sendRaw(`${call} HTTP/1.1`, ...lines, "Connection: close");
}

describe("lets through who calls the server", () => {
  test.each([
    ["by its address", ["Host: 127.0.0.1:<own>"]],
    ["by its name, in any case", ["Host: LocalHost:<own>"]],
    ["by its IPv6 address", ["Host: [::1]:<own>"]],
    ["from a page of its own", ["Host: localhost:<own>", "Origin: http://localhost:<own>"]],
  ])("%s", async (_, headers) => {
    const answer = await ask("GET /", headers);
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer.toLowerCase()).not.toContain("access-control");
  });
});

describe("refuses with 403 who calls it", () => {
  test.each([
    ["by a name that somebody pointed here", ["Host: evil.example:<own>"]],
    ["by a name that begins like its own", ["Host: localhost.evil.example:<own>"]],
    ["by another port", ["Host: 127.0.0.1:1"]],
    ["by no port", ["Host: localhost"]],
    ["by a name and a path", ["Host: localhost:<own>/x"]],
    ["by two names", ["Host: localhost:<own>", "Host: evil.example"]],
    ["by no name", []],
    ["by an empty name", ["Host:"]],
    ["from another site", ["Host: localhost:<own>", "Origin: https://evil.example"]],
    ["from a page of another local port", ["Host: localhost:<own>", "Origin: http://localhost:1"]],
    ["from https of its own name", ["Host: localhost:<own>", "Origin: https://localhost:<own>"]],
    ["from a page without an origin", ["Host: localhost:<own>", "Origin: null"]],
  ])("%s", async (_, headers) => {
    const answer = await ask("GET /", headers);
    expect(answer).toMatch(/^HTTP\/1.1 403 /);
    expect(answer).toContain('"tag":"HostNotAllowed"');
    expect(answer.toLowerCase()).not.toContain("access-control");
  });

  test.each(["POST /question/stream", "DELETE /config/resources?name=a", "GET /openapi.json", "GET /nope"])(
    "on any route: %s",
    async (call) => {
      expect(await ask(call, ["Host: evil.example"])).toMatch(/^HTTP\/1.1 403 /);
    },
  );
});

test("nothing but 127.0.0.1 is listened on", async () => {
  await using server = await startHttp();
  const other = connect(server.port, "127.0.0.2");
  await expect(once(other, "connect")).rejects.toMatchObject({ code: "ECONNREFUSED" });
});
