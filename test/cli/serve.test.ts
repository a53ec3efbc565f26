import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { parseEvents } from "../support/connect.ts";
import { runCli, startCli } from "../support/cli.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { canFollow, watchedAmong } from "../support/followed-folder.ts";
import { type ScriptedModel, scriptedModel, type ScriptedStep } from "../support/scripted-model.ts";

test("resources are added, listed and removed over HTTP, as on the command line", async () => {
  await using world = await served([]);
  expect(await world.send("GET /")).toMatchObject({ status: 200, body: { ok: true, service: "citewell" } });

  const added = await world.send("POST /config/resources", { type: "npm", name: "pad", package: "left-pad" });
  expect(added).toEqual({ status: 200, body: { type: "npm", name: "pad", package: "left-pad" } });
  const { stdout } = await runCli(["resources", "--json"], { cwd: world.folder.path });
  expect(JSON.parse(stdout).resources).toMatchObject([{ name: "demo" }, { name: "pad", package: "left-pad" }]);

  expect(await runCli(["remove", "pad"], { cwd: world.folder.path })).toMatchObject({ code: 0 });
  expect(await world.send("DELETE /config/resources?name=pad")).toMatchObject({
    status: 404,
    body: { tag: "ResourceNotFound" },
  });
});

test("a resource that breaks a rule is 400, and says which", async () => {
  await using world = await served([]);
  const check = async (resource: object, tag: string, reason: string) =>
    expect(await world.send("POST /config/resources", { name: "a", ...resource })).toMatchObject({
      status: 400,
      body: { tag, error: expect.stringContaining(reason) },
    });
  await check({ type: "git", url: "http://github.com/a/b" }, "InvalidRequest", "a git URL must use https");
  await check({ type: "git", url: "https://github.com/a/b/tree/%zz" }, "InvalidRequest", "not a URL");
  await check({ type: "git", url: "https://localhost/a/b" }, "AddressNotAllowed", "localhost is this computer");
  await check({ type: "git", name: "a..b", url: "https://github.com/a/b" }, "InvalidRequest", "must not contain '..'");
  await check({ type: "npm", package: "a", version: "1 2" }, "InvalidRequest", "a version or tag has no spaces");
  await check({ type: "npm", name: "demo", package: "a" }, "ResourceNameTaken", '"demo" is taken');
});

test("a question streams, and a client that leaves in the middle stops the model", async () => {
  await using world = await served(["It is 100 ms.", { text: "It is", hang: true }]);
  const ask = (signal?: AbortSignal) =>
    fetch(`${world.url}/question/stream`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ question: "How long?", resources: ["demo"] }),
      ...(signal === undefined ? {} : { signal }),
    });
  const events = parseEvents(await (await ask()).text());
  expect(events.at(-1)).toMatchObject({ type: "done", text: "It is 100 ms." });

  const leaving = new AbortController();
  await ask(leaving.signal);
  const request = await world.model.request(1);
  leaving.abort();
  await request.closed;
  expect(await world.send("GET /")).toMatchObject({ status: 200 });
});

test("the folder of a question is followed, and each edit is seen by the next request", async () => {
  await using world = await served([]);
  const demo = path.join(world.folder.path, "demo");
  const search = (query: string) => world.send("POST /search", { query, mode: "exact", resources: ["demo"] });
  for (let run = 0; run < 30; run++) {
    writeFileSync(path.join(demo, "a.ts"), `export const edit${run}x = 1;\n`);
    expect(await search(`edit${run}x`)).toMatchObject({ body: { results: [{ path: "a.ts" }] } });
  }
  expect(watchedAmong([demo], world.child.pid)).toEqual(canFollow ? [demo] : []);
});

test.each([
  { signal: "SIGINT", code: 130 },
  { signal: "SIGTERM", code: 143 },
] as const)("$signal cancels the running question, tells its client, and ends with $code", async ({ signal, code }) => {
  await using world = await served([{ text: "It is", hang: true }]);
  const asking = fetch(`${world.url}/question/stream`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ question: "How long?", resources: ["demo"] }),
  });
  const request = await world.model.request(0);
  world.child.kill(signal);
  const events = parseEvents(await (await asking).text());
  expect(events.at(-1)).toMatchObject({ type: "error", tag: "Cancelled" });
  await request.closed;
  expect(await world.exit).toBe(code);
});

test("a port that is taken ends with 1 and says what to do", async () => {
  await using world = await served([]);
  const { port } = new URL(world.url);
  const { code, stdout, stderr } = await runCli(["serve", "--port", port], { cwd: world.folder.path });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/error: cannot listen on 127\.0\.0\.1:\d+[^]*hint: .*--port 0/);
});

interface Served extends AsyncDisposable {
  folder: Folder;
  model: ScriptedModel;
  url: string;
  child: ChildProcess;
  exit: Promise<number | null>;
  send(call: `${string} /${string}`, body?: unknown): Promise<{ status: number; body: unknown }>;
}

/** `citewell serve` on a free port, over a folder `demo` and a model that follows the script. */
async function served(script: readonly ScriptedStep[]): Promise<Served> {
  const folder = await temporaryFolder("//- demo/a.ts\nexport const delayMs = 100;\n");
  const model = await scriptedModel(script);
  const resources = [{ type: "local", name: "demo", path: path.join(folder.path, "demo") }];
  await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify({ ...model.config, resources })}`);
  const child = startCli(["serve", "--port", "0", "--quiet"], { cwd: folder.path });
  const exit = once(child, "close").then(([code]: (number | null)[]) => code ?? null);
  if (child.stdout === null) throw new Error("the command has no standard output");
  const [line]: string[] = await once(createInterface(child.stdout), "line");
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line ?? "")?.[0] ?? "";
  return {
    folder,
    model,
    url,
    child,
    exit,
    async send(call, body) {
      const [method = "", target = ""] = call.split(" ");
      const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      const response = await fetch(url + target, { method, ...(body === undefined ? {} : json) });
      return { status: response.status, body: await response.json() };
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exit;
      await model[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
