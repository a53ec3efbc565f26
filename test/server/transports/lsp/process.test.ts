import { once } from "node:events";
import { spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { readServerFile } from "../../../../cli/app/server-file.ts";
import { type Folder, temporaryFolder } from "../../../support/folder.ts";
import { type LspProcess, startLsp } from "../../../support/lsp.ts";

const project = `
//- .home/citewell.config.jsonc
{ "resources": [{ "type": "local", "name": "demo", "path": "../demo" }] }
//- demo/src/retry.ts
export const delayMs = 100;
`;

let folder: Folder;
beforeAll(async () => {
  folder = await temporaryFolder(project);
});
afterAll(() => folder[Symbol.asyncDispose]());

const transports = ["stdio", "ipc"] as const;

describe.each(transports)("over %s", (transport) => {
  test("a question is answered, and nothing but the protocol is on standard output", async () => {
    await using client = await startLsp({ folder: folder.path, transport });
    const output: Buffer[] = [];
    client.process.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
    const { events, ...reply } = await client.stream("citewell/ask", { question: "Which delay?", resources: ["demo"] });
    expect(reply).toEqual({ result: null });
    expect(events.at(0)).toMatchObject({ type: "meta", resources: ["demo"] });
    expect(events.at(-1)).toMatchObject({ type: "done" });
    await leave(client);
    expect(await client.exited).toEqual({ code: 0, signal: null });
    expect(withoutMessages(Buffer.concat(output).toString("latin1"))).toBe("");
  });

  test("exit without shutdown ends with a fault", async () => {
    await using client = await startLsp({ folder: folder.path, transport });
    await client.connection.sendNotification("exit");
    expect(await client.exited).toEqual({ code: 1, signal: null });
  });

  test("it ends with the client's end of the line", async () => {
    await using client = await startLsp({ folder: folder.path, transport });
    if (transport === "ipc") client.process.disconnect();
    else client.process.stdin?.end();
    expect(await client.exited).toEqual({ code: 1, signal: null });
  });

  test("it ends on a signal of the system", async () => {
    await using client = await startLsp({ folder: folder.path, transport });
    client.process.kill("SIGTERM");
    expect(await client.exited).toEqual({ code: 143, signal: null });
  });
});

test("it ends with the process that it watches", async () => {
  const watched = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  await using client = await startLsp({ folder: folder.path, processId: watched.pid ?? null });
  expect(await client.call("citewell/listThreads")).toHaveProperty("result");
  watched.kill("SIGKILL");
  await once(watched, "exit");
  expect(await client.exited).toEqual({ code: 1, signal: null });
});

test("what is no message is passed over, and what comes after it is answered", async () => {
  await using client = await startLsp({ folder: folder.path });
  const stdin = client.process.stdin;
  stdin?.write("Content-Length: 9\r\n\r\nnot json!");
  stdin?.write('Content-Length: 17\r\n\r\n{"jsonrpc":"2.0"}');
  expect(await client.call("citewell/listThreads")).toEqual({ result: { threads: [] } });
});

test("settings take precedence over the configuration files, from the next question on", async () => {
  await using client = await startLsp({ folder: folder.path, settings: { maxSteps: 3 } });
  expect(await client.call("citewell/getConfig")).toMatchObject({ result: { maxSteps: 3 } });
  await client.connection.sendNotification("workspace/didChangeConfiguration", { settings: {} });
  expect(await client.call("citewell/getConfig")).toMatchObject({ result: { maxSteps: 40 } });
});

test("two windows at once each serve HTTP, and the next is announced when the first goes", async () => {
  const dataDirectory = `${folder.path}/.home/data`;
  await using first = await startLsp({ folder: folder.path });
  const firstPort = await httpPortOf(first);
  await using second = await startLsp({ folder: folder.path });
  const secondPort = await httpPortOf(second);
  expect(await readServerFile(dataDirectory)).toMatchObject({ pid: first.process.pid, port: firstPort });
  for (const port of [firstPort, secondPort]) {
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).json()).toMatchObject({ ok: true, service: "citewell" });
  }
  await leave(first);
  await first.exited;
  expect(await readServerFile(dataDirectory)).toMatchObject({ pid: second.process.pid, port: secondPort });
  expect(await second.call("citewell/listThreads")).toHaveProperty("result");
});

async function leave({ call, connection }: LspProcess): Promise<void> {
  await call("shutdown", null);
  await connection.sendNotification("exit");
}

async function httpPortOf({ logged }: LspProcess): Promise<number> {
  const line = await vi.waitFor(
    () => z.string().parse(logged.find(({ message }) => message.startsWith("http-listening"))?.message),
    { timeout: 60_000 },
  );
  return Number(/port=(\d+)/.exec(line)?.[1]);
}

/** What is left of an output when all well-formed messages are taken away. `text` has a character for each byte. */
function withoutMessages(text: string): string {
  const header = /^Content-Length: (\d+)\r\n\r\n/.exec(text);
  if (header === null) return text;
  const body = text.slice(header[0].length, header[0].length + Number(header[1]));
  JSON.parse(body);
  return withoutMessages(text.slice(header[0].length + body.length));
}
