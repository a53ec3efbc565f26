import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { createStdioTransport } from "../../../../server/transports/mcp/stdio.ts";

const ping = (id: number) => ({ jsonrpc: "2.0" as const, id, method: "ping" });
const line = (message: object) => `${JSON.stringify(message)}\n`;

/** A transport that answers each request with `text`, between streams that hold 1 kB. */
async function start(text: string) {
  const input = new PassThrough({ highWaterMark: 1024 });
  const output = new PassThrough({ highWaterMark: 1024 });
  const transport = createStdioTransport({ input, output });
  const received: JSONRPCMessage[] = [];
  Object.assign(transport, {
    onmessage(message: JSONRPCMessage) {
      received.push(message);
      if (!("method" in message && "id" in message)) return;
      void transport.send({ jsonrpc: "2.0", id: message.id, result: { text } });
    },
  });
  await transport.start();
  return { input, output, transport, received };
}

test("a client that does not read is not listened to until it does", async () => {
  const { input, output, received } = await start("x".repeat(300));
  for (let id = 0; id < 500; id++) input.write(line(ping(id)));
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  expect(input.isPaused()).toBe(true);
  expect(received.length).toBeLessThan(60);
  expect(output.readableLength + output.writableLength).toBeLessThan(20_000);
  output.resume();
  while (received.length < 500) await nextTurn();
});

test("drops progress messages while the client does not read", async () => {
  const { output, transport } = await start("");
  const params = { progressToken: 1, progress: 1, message: "x".repeat(500) };
  for (let count = 0; count < 1000; count++) {
    await transport.send({ jsonrpc: "2.0", method: "notifications/progress", params });
  }
  await transport.send({ jsonrpc: "2.0", id: 1, result: {} });
  expect(output.readableLength + output.writableLength).toBeLessThan(4000);
  output.end();
  const lines = (await output.setEncoding("utf8").toArray()).join("").trim().split("\n");
  expect(lines.at(-1)).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
});

test("a message may come in pieces, and many in one; one that is too long is refused and passed over", async () => {
  const { input, output, received } = await start("");
  output.resume();
  const text = `${line(ping(1))}${line(ping(2)).replace("\n", "\r\n")}${line(ping(3))}`;
  for (const character of text.slice(0, 60)) input.write(character);
  input.write(text.slice(60));
  const piece = "x".repeat(1024 * 1024);
  for (let megabyte = 0; megabyte < 33; megabyte++) input.write(piece);
  input.write(`\n${line(ping(4))}`);
  while (received.length < 4) await nextTurn();
  expect(received.map((message) => ("id" in message ? message.id : undefined))).toEqual([1, 2, 3, 4]);
});

test("is idle when all is answered or cancelled", async () => {
  const input = new PassThrough();
  const transport = createStdioTransport({ input, output: new PassThrough() });
  await transport.start();
  input.write(line(ping(1)));
  input.write(line(ping(2)));
  await nextTurn();
  let isIdle = false;
  const idle = transport.idle().then(() => (isIdle = true));
  await transport.send({ jsonrpc: "2.0", id: 1, result: {} });
  await nextTurn();
  expect(isIdle).toBe(false);
  input.end(line({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } }));
  await transport.ended;
  await idle;
});
