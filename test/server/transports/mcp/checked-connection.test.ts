import { expect, test } from "vitest";
import * as z from "zod";
import { startMcp } from "../../../support/mcp.ts";

async function check(method: string, params: Record<string, unknown> | undefined, expected: string): Promise<void> {
  await using mcp = await startMcp({});
  const request = params === undefined ? { method } : { method, params };
  await expect(mcp.client.request(request, z.unknown())).rejects.toMatchObject({
    message: `MCP error ${expected}`,
  });
}

const prompt = { type: "ref/prompt", name: "ask" };

test.each<[string, Record<string, unknown> | undefined, string]>([
  [
    "initialize",
    {},
    "-32602: initialize: params.protocolVersion: missing: must be a string; params.capabilities: missing: must be an object; params.clientInfo: missing: must be an object",
  ],
  ["tools/call", undefined, "-32602: tools/call: params: missing: must be an object"],
  ["tools/call", { arguments: {} }, "-32602: tools/call: params.name: missing: must be a string"],
  ["tools/call", { name: "ask", arguments: "x" }, '-32602: tools/call: params.arguments: "x": must be an object'],
  ["tools/list", { cursor: 7 }, "-32602: tools/list: params.cursor: 7: must be a string"],
  ["resources/read", { uri: 7 }, "-32602: resources/read: params.uri: 7: must be a string"],
  [
    "prompts/get",
    { name: "ask", arguments: { question: 7 } },
    "-32602: prompts/get: params.arguments.question: 7: must be a string",
  ],
  [
    "completion/complete",
    { ref: { type: "nonsense" }, argument: { name: "resource", value: "" } },
    '-32602: completion/complete: params.ref: an object: type must be "ref/prompt" and name must be a string, or type must be "ref/resource" and uri must be a string',
  ],
  [
    "completion/complete",
    { ref: prompt, argument: "resource" },
    '-32602: completion/complete: params.argument: "resource": must be an object',
  ],
  [
    "logging/setLevel",
    { level: "loud" },
    '-32602: logging/setLevel: params.level: "loud": must be "debug", "info", "notice", "warning", "error", "critical", "alert" or "emergency"',
  ],
  ["tools/cal", {}, '-32601: no method "tools/cal"'],
])("%s %j is refused with what was expected", check);
