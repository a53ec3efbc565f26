import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { startInTerminal } from "../support/pty.ts";
import { scriptedModel, type ScriptedStep } from "../support/scripted-model.ts";

const escape = "\u001B";

test("in a terminal Markdown is laid out, and the sources are listed with mark and word", async () => {
  await using world = await terminalWorld([
    { toolCalls: [{ name: "read", input: { path: "a.ts" } }] },
    "# Delay\n\nIt is **100** ms [[demo:a.ts#L1]], not [[demo:a.ts#L9]].\n",
  ]);
  const session = startInTerminal(["ask", "-q", "How long?"], { cwd: world.folder });
  expect(await session.exit).toBe(0);
  const text = stripVTControlCharacters(session.output());
  expect(session.output()).toContain(`${escape}[`);
  expect(text).toContain("It is 100 ms a.ts:1, not a.ts:9 (out of range: the file has 1 line).");
  expect(text).toMatch(/✓ verified +demo\/a\.ts:1/);
  expect(text).toMatch(/✗ out of range +demo\/a\.ts:9/);
  expect(text).toMatch(/not that the\s+claim is true/);
});

test("NO_COLOR leaves colours out, and the marks of emphasis in their place", async () => {
  await using world = await terminalWorld(["It is **100** ms."]);
  const session = startInTerminal(["ask", "-q", "How long?"], { cwd: world.folder, env: { NO_COLOR: "1" } });
  await session.exit;
  expect(session.output()).not.toMatch(new RegExp(`${escape}\\[[0-9;]*m`));
  expect(session.output()).toContain("It is **100** ms.");
});

test("a retry is shown on the status line until the model answers", async () => {
  const busy = { status: 429, headers: { "retry-after": "1" } };
  await using world = await terminalWorld([busy, "Fine."]);
  const session = startInTerminal(["ask", "-q", "How long?"], { cwd: world.folder });
  await session.sees("retry 1 of 2 in 1 s");
  await session.exit;
  expect(session.output()).toContain("Fine.");
});

test("Ctrl+C cancels and keeps what had arrived", async () => {
  await using world = await terminalWorld([{ text: ["First part.\n\n", "Second "], hang: true }]);
  const session = startInTerminal(["ask", "-q", "How long?"], { cwd: world.folder });
  await session.sees("First part.");
  session.type("\u0003");
  expect(await session.exit).toBe(130);
  expect(session.output()).toContain("Second");
  expect(session.output()).toContain("The answer is partial;");
});

test("without a question in a terminal it does not wait for one", async () => {
  await using world = await terminalWorld([]);
  const session = startInTerminal(["ask"], { cwd: world.folder });
  expect(await session.exit).toBe(2);
  expect(session.output()).toContain("no question was given");
});

test("an error begins a line of its own, after the progress that it ends", async () => {
  await using folder = await temporaryFolder('//- .home/citewell.config.jsonc\n{ "allowHosts": ["localhost"] }\n');
  const session = startInTerminal(["ask", "-q", "How long?", "-r", "https://localhost:9/far"], { cwd: folder.path });
  expect(await session.exit).toBe(7);
  expect(session.output()).toContain("looking for the newest revision");
  expect(session.output()).toContain(`${escape}[2Kerror: `);
});

async function terminalWorld(script: readonly ScriptedStep[]) {
  const folder = await temporaryFolder("//- demo/a.ts\nexport const delayMs = 100;\n");
  const model = await scriptedModel(script);
  const resources = [{ type: "local", name: "demo", path: path.join(folder.path, "demo") }];
  await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify({ ...model.config, resources })}`);
  return {
    folder: folder.path,
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
