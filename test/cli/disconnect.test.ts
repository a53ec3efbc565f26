import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { runHere } from "../support/cli-here.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startInTerminal } from "../support/pty.ts";

/** A home with a key of OpenRouter's, and an entry of a provider that we do not know. */
async function signedIn() {
  const folder = await temporaryFolder();
  const file = path.join(folder.path, ".local/share/opencode/auth.json");
  await mkdir(path.dirname(file), { recursive: true });
  const other = { type: "wellknown", key: "a", token: "b" };
  await writeFile(file, JSON.stringify({ openrouter: { type: "api", key: "sk-1" }, other }), { mode: 0o600 });
  return {
    path: folder.path,
    run: (args: string[], env = {}) => runHere(["disconnect", ...args], { cwd: folder.path, env }),
    entries: async () => Object.keys(JSON.parse(await readFile(file, "utf8"))),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("the key goes, and entries of others stay", async () => {
  await using home = await signedIn();
  expect(await home.run(["-p", "openrouter"])).toEqual({ code: 0, stdout: "disconnected openrouter\n", stderr: "" });
  expect(await home.entries()).toEqual(["other"]);
  expect(JSON.parse((await home.run(["-p", "openrouter", "--json"])).stdout)).toMatchObject({ removed: false });
});

test("names a variable that keeps the provider connected", async () => {
  await using home = await signedIn();
  const { stderr } = await home.run(["-p", "openrouter"], { OPENROUTER_API_KEY: "sk-2" });
  expect(stderr).toBe("note: OPENROUTER_API_KEY is set, and still connects it\n");
});

test("without a provider and a terminal it ends with 2 and names the option; an unknown one is refused", async () => {
  await using home = await signedIn();
  expect(await home.run([])).toMatchObject({ code: 2, stderr: expect.stringContaining("(--provider)") });
  expect(await home.run(["-p", "nobody"])).toMatchObject({ code: 2, stderr: expect.stringContaining('"nobody"') });
  expect(await home.entries()).toEqual(["openrouter", "other"]);
});

test("in a terminal those that are connected are offered", async () => {
  await using home = await signedIn();
  const session = startInTerminal(["disconnect"], { cwd: home.path });
  await session.sees("Which provider should be disconnected?");
  session.type("\r");
  expect(await session.exit).toBe(0);
  expect(session.output()).toContain("disconnected openrouter");
  expect(await home.entries()).toEqual(["other"]);
});
