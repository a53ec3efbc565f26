import { createServer } from "node:http";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { version } from "../../package.json";
import { silentLog } from "../../server/lib/log.ts";
import { serveHttp } from "../../server/transports/http/http.ts";
import { runHere } from "../support/cli-here.ts";
import { localApp } from "../support/connect.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";

/** A server over one folder, and a command line that is at home in another. */
let there: Folder;
let here: Folder;
let url: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  there = await temporaryFolder("//- demo/a.ts\nexport const delayMs = 100;\n");
  here = await temporaryFolder("//- other/b.ts\nexport const widthPx = 20;\n");
  const resources = [{ type: "local", name: "demo", path: path.join(there.path, "demo") }];
  await there.write(`//- .home/citewell.config.jsonc\n${JSON.stringify({ resources })}`);
  const app = localApp(there.path);
  const server = await serveHttp({ app, version, port: 0, log: silentLog });
  url = `http://127.0.0.1:${server.port}`;
  stop = async () => {
    await server.close();
    await app[Symbol.asyncDispose]();
  };
});
afterAll(async () => {
  await stop();
  await there[Symbol.asyncDispose]();
  await here[Symbol.asyncDispose]();
});

const run = (...args: string[]) => runHere(args, { cwd: here.path });

test.each([["before"], ["after"]])("resources lists the server's, with --server %s the command", async (place) => {
  const flags = ["--server", url];
  const { code, stdout } = await run(...(place === "before" ? [...flags, "resources"] : ["resources", ...flags]));
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^demo {2}local/) });
});

test("ask streams the server's answer, and its citations", async () => {
  const { code, stdout } = await run("ask", "-q", "What is delayMs?", "--server", url, "--json");
  expect(code).toBe(0);
  const answer = JSON.parse(stdout);
  expect(answer.resources).toEqual(["demo"]);
  expect(answer.citations[0]).toMatchObject({ resource: "demo", path: "a.ts", state: "verified" });
});

test("a relative path is one of the command line's, not of the server's", async () => {
  const { stdout } = await run("search", "widthPx", "-r", "./other", "--server", url, "--json");
  expect(JSON.parse(stdout).results[0]).toMatchObject({ resource: path.join(here.path, "other"), path: "b.ts" });
});

describe("a question that names nothing is about the project that one is in", () => {
  const inProject = async (folder: string, ...args: string[]) => {
    const env = { HOME: here.path, CITEWELL_HOME: path.join(here.path, ".home") };
    const { code, stdout } = await runHere([...args, "--server", url, "--json"], { cwd: folder, env });
    return { code, ...JSON.parse(stdout) };
  };
  const source = "//- app/package.json\n{}\n//- app/src/c.ts\nexport const heightPx = 30;\n";

  test.each([
    ["ask", ["ask", "-q", "Where is heightPx?"]],
    ["search", ["search", "heightPx"]],
  ])("and what the server's files list: %s", async (_command, args) => {
    await here.write(source);
    const project = path.join(here.path, "app");
    const { code, resources, results, citations } = await inProject(path.join(project, "src"), ...args);
    expect({ code, first: (results ?? citations)[0] }).toMatchObject({
      code: 0,
      first: { resource: project, path: "src/c.ts" },
    });
    if (resources !== undefined) expect(resources).toEqual([project, "demo"]);
  });

  test("but in a conversation, about that one's, under any folder", async () => {
    await here.write(source);
    await here.write("//- lib/package.json\n{}\n//- lib/d.ts\nexport const depthPx = 40;\n");
    const [app, lib] = [path.join(here.path, "app"), path.join(here.path, "lib")];
    const begun = await inProject(app, "ask", "-q", "Where is heightPx?", "--thread", "new");
    const continued = await inProject(lib, "ask", "-q", "Where is heightPx used?", "--thread", begun.thread);
    expect(continued).toMatchObject({ code: 0, thread: begun.thread, resources: [app, "demo"] });
    const named = await inProject(lib, "ask", "-q", "Where is depthPx?", "--thread", begun.thread, "-r", ".");
    expect(named).toMatchObject({ code: 0, resources: [lib] });
  });

  test("and in a conversation of the server's project, about that one", async () => {
    await there.write(source);
    const project = path.join(there.path, "app");
    const app = localApp(there.path, {}, { projects: async () => [project] });
    const server = await serveHttp({ app, version, port: 0, log: silentLog });
    const ask = async (folder: string, ...args: string[]) => {
      const options = { cwd: folder, env: { HOME: there.path } };
      const { stdout } = await runHere(
        ["ask", "--json", "--server", `http://127.0.0.1:${server.port}`, ...args],
        options,
      );
      return JSON.parse(stdout);
    };
    await here.write(source);
    const elsewhere = path.join(here.path, "app");
    const begun = await ask(project, "-q", "Where is heightPx?", "--thread", "new");
    const continued = await ask(elsewhere, "-q", "Where is heightPx used?", "--thread", begun.thread);
    expect(continued.resources).toEqual(begun.resources);
    const unknown = await ask(elsewhere, "-q", "Where is heightPx used?", "--thread", "0123456789ab");
    expect(unknown).toMatchObject({ tag: "ThreadNotFound" });
    await server.close();
    await app[Symbol.asyncDispose]();
  });

  test("under its name, where the server is open in the same project", async () => {
    await there.write(source);
    const app = localApp(there.path, {}, { projects: async () => [path.join(there.path, "app")] });
    const server = await serveHttp({ app, version, port: 0, log: silentLog });
    const { stdout } = await runHere(
      ["ask", "-q", "Where is heightPx?", "--json", "--server", `http://localhost:${server.port}`],
      { cwd: path.join(there.path, "app"), env: { HOME: there.path } },
    );
    expect(JSON.parse(stdout).resources).toContain("app");
    await server.close();
    await app[Symbol.asyncDispose]();
  });
});

test("add and remove change the server's configuration, not the command line's", async () => {
  const added = await run("add", "npm:left-pad", "--server", url, "--json");
  expect(JSON.parse(added.stdout)).toMatchObject({ resource: { name: "left-pad" }, savedTo: url });
  const file = path.join(there.path, ".home/citewell.config.jsonc");
  expect(await readFile(file, "utf8")).toContain("left-pad");
  expect(await run("remove", "left-pad", "--server", url)).toMatchObject({
    code: 0,
    stdout: `removed left-pad from ${url}\n`,
  });
  expect(await readFile(file, "utf8")).not.toContain("left-pad");
});

test("status and clear are the server's", async () => {
  const { stdout } = await run("status", "--server", url, "--json");
  expect(JSON.parse(stdout)).toMatchObject({ server: url, provider: "builtin", resources: ["demo"] });
  expect(await run("clear", "--yes", "--server", url)).toMatchObject({
    code: 0,
    stdout: "deleted the downloaded copies of 0 resources\n",
  });
});

test("an error of the server's keeps its tag, its hint and its exit code", async () => {
  const { code, stdout } = await run("remove", "dem", "--server", url, "--json");
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ tag: "ResourceNotFound", hint: expect.stringContaining("demo") });
  const asked = await run("ask", "-q", "x", "-r", "nothing", "--server", url, "--json");
  expect({ code: asked.code, tag: JSON.parse(asked.stdout).tag }).toEqual({ code: 3, tag: "ResourceNotFound" });
});

describe("a server that cannot be used is refused", () => {
  const check = async (server: string, code: number, message: string | RegExp) => {
    const result = await run("resources", "--server", server);
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: "" });
    expect(result.stderr).toMatch(message);
  };
  const serving = async (body: string) => {
    const server = createServer((_request, response) => response.end(body));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => server.close() };
  };

  test("no URL", () => check("localhost:8080", 2, /--server: "localhost:8080" is not an http or https URL/));

  test("no server", () => check("http://127.0.0.1:1", 6, /http:\/\/127\.0\.0\.1:1 does not answer[^]*citewell serve/));

  test("another service", async () => {
    using other = await serving("<html>");
    await check(other.url, 6, /is not a Citewell server/);
  });

  test("another version", async () => {
    using other = await serving(JSON.stringify({ ok: true, service: "citewell", version: "99.0.0" }));
    await check(other.url, 6, /is Citewell 99\.0\.0/);
  });

  test("a model of the command line's", async () => {
    const { code, stderr } = await run("ask", "-q", "x", "--model", "m", "--server", url);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("the server uses its own model") });
  });
});
