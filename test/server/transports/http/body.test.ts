import { describe, expect, test } from "vitest";
import type { QuestionReply } from "../../../../server/protocol/ask.ts";
import { startHttp } from "../../../support/http.ts";

const reply: QuestionReply = {
  answer: "because",
  model: { provider: "builtin", model: "extractive" },
  resources: ["zod"],
  collection: { key: "zod", path: "/data" },
  citations: [],
  snapshots: [],
};

const hint = "GET /openapi.json describes every request";

describe("the body", () => {
  const json = { "content-type": "application/json" };

  test("over 2 MB is 413", async () => {
    await using server = await startHttp();
    const response = await server.send("POST /question", { question: "x".repeat(2 * 1024 * 1024) });
    expect([response.status, await response.json()]).toMatchObject([413, { tag: "RequestTooLarge" }]);
  });

  test("over 2 MB once it is unpacked is 413", async () => {
    const stream = new Blob([" ".repeat(3 * 1024 * 1024)]).stream().pipeThrough(new CompressionStream("gzip"));
    const body = await new Response(stream).arrayBuffer();
    await using server = await startHttp();
    const response = await server.send("POST /question", undefined, {
      body,
      headers: { ...json, "content-encoding": "gzip" },
    });
    expect(response.status).toBe(413);
  });

  test("just below 2 MB reaches the rules", async () => {
    await using server = await startHttp();
    const response = await server.send("POST /question", { question: "x".repeat(2 * 1024 * 1024 - 20) });
    expect(await response.json()).toMatchObject({
      tag: "InvalidRequest",
      error: `question: "${"x".repeat(59)}…": a question has at most 100000 characters`,
    });
  });

  test.each([
    ["of another type", { "content-type": "text/plain" }],
    ["of a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["in another encoding", { "content-type": "application/json; charset=latin1" }],
    ["packed in an unknown way", { ...json, "content-encoding": "zip" }],
  ])("%s is 415", async (_, headers) => {
    await using server = await startHttp({ question: async () => reply });
    const response = await server.send("POST /question", undefined, { body: '{"question":"q"}', headers });
    expect([response.status, await response.json()]).toMatchObject([415, { tag: "NotJson" }]);
  });

  test("of no type is 415", async () => {
    await using server = await startHttp({ question: async () => reply });
    const answer = await server.sendRaw(
      "POST /question HTTP/1.1",
      `Host: 127.0.0.1:${server.port}`,
      "Connection: close",
      "Content-Length: 16",
      "",
      '{"question":"q"}',
    );
    expect(answer).toMatch(/^HTTP\/1.1 415 /);
  });

  test("of a JSON type with a charset, or with a suffix, is read", async () => {
    await using server = await startHttp({ question: async () => reply });
    for (const type of ["application/json; charset=utf-8", "application/vnd.citewell+json"]) {
      const init = { body: '{"question":"q"}', headers: { "content-type": type } };
      expect((await server.send("POST /question", undefined, init)).status).toBe(200);
    }
  });

  test.each(["{", '{"question":"q"} x', "\u0000"])("that is not JSON is 400: %j", async (body) => {
    await using server = await startHttp();
    const response = await server.send("POST /question", undefined, { body, headers: json });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { tag: "InvalidRequest", error: expect.stringContaining("the body is not JSON: ") },
    ]);
  });

  test.each(["gzip", "br"])("that says it is %s and is not is 400", async (encoding) => {
    await using server = await startHttp();
    const headers = { ...json, "content-encoding": encoding };
    const response = await server.send("POST /question", undefined, { body: '{"question":"q"}', headers });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { tag: "InvalidRequest", error: expect.stringContaining("the request cannot be read: ") },
    ]);
  });

  test.each(["[]", '"question"', "null", "3"])("that is no object is 400: %s", async (body) => {
    await using server = await startHttp();
    const response = await server.send("POST /question", undefined, { body, headers: json });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: expect.stringMatching(/must be (an object|a string)$/) },
    ]);
  });

  test("that is missing is 400 and names the field", async () => {
    await using server = await startHttp();
    const response = await server.send("POST /question");
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: "question: missing: must be a string", tag: "InvalidRequest", hint },
    ]);
  });

  test.each([
    { status: 403, header: "Origin: http://evil.example", body: "{}" },
    { status: 413, header: "Content-Type: application/json", body: " ".repeat(2 * 1024 * 1024 + 1) },
    { status: 415, header: "Content-Type: text/plain", body: "hello" },
  ])("that is refused with $status leaves the connection to the next request", async ({ status, header, body }) => {
    await using server = await startHttp();
    const host = `Host: 127.0.0.1:${server.port}`;
    const refused = ["POST /question HTTP/1.1", host, header, `Content-Length: ${body.length}`, "", body].join("\r\n");
    const answers = await server.sendRaw(`${refused}GET / HTTP/1.1`, host, "Connection: close");
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`, "HTTP/1.1 200"]);
  });

  test("that names more than 20 resources is 400", async () => {
    await using server = await startHttp();
    const response = await server.send("POST /question", {
      question: "q",
      resources: Array.from({ length: 21 }, () => "a"),
    });
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: "resources: a list of 21: at most 20 resources in one question", tag: "InvalidRequest", hint },
    ]);
  });

  test("cannot change what all objects have in common", async () => {
    await using server = await startHttp({ question: async () => reply });
    await server.send("POST /question", undefined, { body: '{"question":"q","__proto__":{"x":1}}', headers: json });
    expect("x" in {}).toBe(false);
  });
});
