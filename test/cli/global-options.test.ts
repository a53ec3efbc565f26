import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { startCli } from "../support/cli.ts";
import { runHere } from "../support/cli-here.ts";
import { temporaryFolder } from "../support/folder.ts";
import { scriptedModel, type ScriptedStep } from "../support/scripted-model.ts";

/** A project whose model answers with reasoning, and the command line over it. */
async function world(script: readonly ScriptedStep[] = [{ reasoning: ["because"], text: ["Fine."] }]) {
  const folder = await temporaryFolder("//- demo/a.ts\nexport const a = 1;\n");
  const model = await scriptedModel(script);
  const resources = [{ type: "local", name: "demo", path: `${folder.path}/demo` }];
  await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify({ ...model.config, resources })}`);
  return {
    folder: folder.path,
    model,
    run: (...args: string[]) => runHere(args, { cwd: folder.path }),
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test.each([["before"], ["after"]])("--no-thinking %s the command hides the reasoning", async (place) => {
  await using shown = await world();
  expect((await shown.run("ask", "-q", "Why?")).stderr).toContain("because");
  await using hidden = await world();
  const args = ["ask", "-q", "Why?"];
  const { stdout, stderr } = await hidden.run(
    ...(place === "before" ? ["--no-thinking", ...args] : [...args, "--no-thinking"]),
  );
  expect(stdout).toContain("Fine.");
  expect(stderr).not.toContain("because");
});

test.each([["before"], ["after"]])("--sub-agent %s the command leaves the answer alone", async (place) => {
  await using it = await world();
  const args = ["ask", "-q", "Why?"];
  const result = await it.run(...(place === "before" ? ["--sub-agent", ...args] : [...args, "--sub-agent"]));
  expect(result).toMatchObject({ stdout: "Fine.\n", stderr: "" });
});

test.each([
  ["before", ["--json", "resources"]],
  ["after", ["resources", "--json"]],
])("--json %s the command prints JSON", async (_place, args) => {
  await using it = await world();
  expect(JSON.parse((await it.run(...args)).stdout)).toMatchObject({ resources: [{ name: "demo" }] });
});

test("every global option is taken before and after any command", async () => {
  await using it = await world();
  for (const flag of [
    "--no-color",
    "--quiet",
    "--no-input",
    "--no-tui",
    "--no-thinking",
    "--no-tools",
    "--sub-agent",
  ]) {
    expect({ flag, code: (await it.run(flag, "resources")).code }).toEqual({ flag, code: 0 });
    expect({ flag, code: (await it.run("resources", flag)).code }).toEqual({ flag, code: 0 });
  }
});

test.each([
  { args: ["resources", "--strict"], error: "resources does not take --strict; it is an option of ask, compare" },
  { args: ["verify", "a.md", "--strict"], error: "verify does not take --strict; it is an option of ask, compare" },
])("an option of other commands is wrong usage that names them: $args", async ({ args, error }) => {
  await using it = await world();
  const { code, stderr } = await it.run(...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(new RegExp(`^error: ${error}\nhint: citewell help .* lists its options\n$`));
});

test("--port beside --server is wrong usage", async () => {
  await using it = await world();
  const { code, stderr } = await it.run("resources", "--server", "http://127.0.0.1:1", "--port", "4000");
  expect(code).toBe(2);
  expect(stderr).toContain("--port and --server cannot be used together");
});

test.each([
  ["before", ["--port", "0", "serve"]],
  ["after", ["serve", "--port", "0"]],
])("--port %s serve is its port", async (_place, args) => {
  await using it = await world();
  const child = startCli([...args, "--json"], { cwd: it.folder });
  const url = await new Promise<string>((resolve) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += String(chunk);
      const found = /"url": "([^"]+)"/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  expect(new URL(url).port).not.toBe("8080");
  expect(await (await fetch(url)).json()).toMatchObject({ service: "citewell" });
  child.kill("SIGTERM");
  await once(child, "close");
});

test.each([["before"], ["after"]])("--port %s ask serves HTTP as long as the question runs", async (place) => {
  await using it = await world([{ text: "It is", hang: true }]);
  const port = await freePort();
  const args = ["ask", "-q", "Why?"];
  const flags = ["--port", String(port)];
  const child = startCli(place === "before" ? [...flags, ...args] : [...args, ...flags], { cwd: it.folder });
  await it.model.request(0);
  expect(await (await fetch(`http://127.0.0.1:${port}`)).json()).toMatchObject({ service: "citewell" });
  child.kill("SIGINT");
  expect(await once(child, "close")).toEqual([130, null]);
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow("fetch failed");
});

test.each([
  ["after", ["verify", "a.md", "--port", "4000"]],
  ["before", ["--port", "4000", "doctor"]],
])("--port %s a command that serves nothing is wrong usage; 0 is not", async (_place, args) => {
  await using it = await world();
  const refused = await it.run(...args);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("does not take --port; it is an option of ask"),
  });
  const taken = await it.run(...args.map((arg) => (arg === "4000" ? "0" : arg)));
  expect(taken.stderr).not.toContain("does not take");
});

test("a port that is none is refused before and after the command", async () => {
  await using it = await world();
  for (const args of [
    ["--port", "x", "resources"],
    ["resources", "--port", "99999"],
  ]) {
    expect(await it.run(...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("A port is a whole number"),
    });
  }
});

test("a command that no server can do for it does not take --server", async () => {
  await using it = await world();
  const { code, stderr } = await it.run("--server", "http://127.0.0.1:1", "init");
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^error: init does not take --server; it is an option of ask, search,.*\nhint: citewell help init/,
  );
});

test("wrong usage is JSON where JSON is wanted", async () => {
  await using it = await world();
  const { code, stdout, stderr } = await it.run("frobnicate", "--json");
  expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ tag: "InvalidUsage", error: "unknown command 'frobnicate'" });
});

/** A free port below those that systems give out by themselves, to the other tests as well. */
async function freePort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 8000); ; port++) {
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}
