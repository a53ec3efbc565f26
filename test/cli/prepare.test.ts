import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { citewellFile, cliEnvironment, startCli } from "../support/cli.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { startLsp } from "../support/lsp.ts";
import { openTerminal } from "../support/screen.ts";

let folder: Folder;
beforeEach(async () => {
  folder = await temporaryFolder(`
//- work/app/package.json
{ "name": "app" }
//- work/app/src/retry.ts
export const retryDelay = 100;
//- Downloads/retry.ts
export const retryDelay = 100;
`);
});
afterEach(() => folder[Symbol.asyncDispose]());

const place = (name: string) => path.join(folder.path, name);
const env = () => ({ HOME: folder.path, CITEWELL_HOME: place(".home") });
const indexFiles = (ending: string) => {
  const files = readdirSync(place(".home"), { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(ending));
};
const untilIndexed = () => vi.waitFor(() => expect(indexFiles(".index")).toHaveLength(1), 60_000);

test("the server of a project indexes it before a question, and leaves nothing behind", async () => {
  const child = startCli(["serve", "--port", "0", "--quiet"], { cwd: place("work/app"), env: env() });
  const errors: string[] = [];
  child.stderr?.on("data", (text) => errors.push(String(text)));
  await untilIndexed();
  child.kill("SIGINT");
  expect(await once(child, "close")).toEqual([130, null]);
  expect(errors).toEqual([]);
  expect(indexFiles(".lock")).toEqual([]);
  expect(readdirSync(place("work/app"))).toEqual(["package.json", "src"]);
});

test("so does the server of an agent, which writes nothing but protocol", async () => {
  await using agent = startAgent();
  await untilIndexed();
  expect(agent.output()).toEqual("");
});

test.each([
  { name: "the full screen", args: [] },
  { name: "the normal screen", args: ["--inline"] },
  { name: "a conversation in lines", args: ["--no-tui"] },
])("$name indexes the project before a question", async ({ args }) => {
  await using screen = openTerminal(args, { cwd: place("work/app"), env: env() });
  await untilIndexed();
  screen.type("\u0004");
  expect(await screen.exit).toBe(0);
  expect(indexFiles(".lock")).toEqual([]);
});

test("an editor has its projects indexed, and not the folders that hold anything", async () => {
  const workspaceFolders = [folder.path, place("Downloads"), place("work/app"), place("gone")];
  await using client = await startLsp({ folder: place("work/app"), env: env(), workspaceFolders });
  expect(await client.call("citewell/prepare")).toEqual({ result: { resources: ["app"] } });
  expect(indexFiles(".index")).toHaveLength(1);
  expect(await client.call("citewell/prepare")).toEqual({ result: { resources: [] } });
});

test("where nothing can be stored, a project is not indexed before a question, which is answered", async () => {
  const data = await temporaryFolder("//- data\na file where a folder is needed\n");
  await using _ = data;
  await using client = await startLsp({
    folder: place("work/app"),
    env: { ...env(), CITEWELL_HOME: data.path },
    workspaceFolders: [place("work/app")],
  });
  await client.call("citewell/prepare");
  const asked = client.call("citewell/search", { query: "retryDelay", mode: "ranked" });
  expect(await asked).toMatchObject({ result: { results: [{ path: "src/retry.ts" }] } });
});

/** Starts it with an input that stays open. */
function startAgent(): AsyncDisposable & { output(): string } {
  const child = spawn(process.execPath, [citewellFile, "mcp"], {
    cwd: place("work/app"),
    env: cliEnvironment(place("work/app"), env()),
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += String(text)));
  const ended = once(child, "close");
  return {
    output: () => output,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
