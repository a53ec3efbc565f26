import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { version } from "../../../package.json";
import { runCli, startCli } from "../../support/cli.ts";
import { type Folder, temporaryFolder } from "../../support/folder.ts";

// Up to five processes of the built program, one after the other.
vi.setConfig({ testTimeout: 120_000 });

const project = "//- project/package.json\n{}\n//- project/src/retry.ts\nexport const delayMs = 100;\n";
const ask = ["ask", "-q", "What is delayMs?", "--json"];
const search = ["search", "delayMs", "--json"];

/** Works in the project of a user whose home is the folder: a home itself is no project. */
function inProject(folder: Folder, env: Record<string, string> = {}) {
  const home = { HOME: folder.path, CITEWELL_HOME: path.join(folder.path, ".home") };
  return { cwd: path.join(folder.path, "project"), env: { ...home, ...env } };
}

/** The built program's server over a folder, and what it has logged of requests. */
async function startServer(folder: Folder) {
  const server = startCli(["serve", "--port", "0"], inProject(folder));
  let log = "";
  server.stderr?.on("data", (chunk: Buffer) => (log += String(chunk)));
  if (server.stdout !== null) await once(server.stdout, "data");
  return {
    paths: () => [...log.matchAll(/ path=(\S+)/g)].map(([, found]) => found).filter((found) => found !== "/"),
    async [Symbol.asyncDispose]() {
      server.kill("SIGTERM");
      await once(server, "close");
    },
  };
}

describe("a server that runs in the same folder", () => {
  test("answers questions and searches, about what this folder would be asked", async () => {
    await using folder = await temporaryFolder(project);
    const [asked, searched] = [await runCli(ask, inProject(folder)), await runCli(search, inProject(folder))];
    await using server = await startServer(folder);
    const answer = await runCli(ask, inProject(folder));
    const found = await runCli(search, inProject(folder));
    await expect.poll(server.paths).toEqual(["/question/stream", "/search"]);
    expect(JSON.parse(answer.stdout)).toMatchObject(pick(asked.stdout, ["text", "resources", "citations"]));
    expect(JSON.parse(found.stdout)).toMatchObject(pick(searched.stdout, ["results"]));
  });

  test.each([
    ["a model of the command's", ["--provider", "builtin", "--model", "extractive"], {}],
    ["another key", [], { OPENAI_API_KEY: "mine" }],
  ])("is not used with %s", async (_what, options, env) => {
    await using folder = await temporaryFolder(project);
    await using server = await startServer(folder);
    const { code } = await runCli([...ask, ...options], inProject(folder, env));
    expect({ code, paths: server.paths() }).toEqual({ code: 0, paths: [] });
  });

  test("is not used from another folder", async () => {
    await using folder = await temporaryFolder(project);
    await using other = await temporaryFolder(project);
    await using server = await startServer(folder);
    const { code } = await runCli(ask, inProject(other, { CITEWELL_HOME: path.join(folder.path, ".home") }));
    expect({ code, paths: server.paths() }).toEqual({ code: 0, paths: [] });
  });
});

describe("the command goes on by itself where a server", () => {
  async function check(answer: (request: IncomingMessage, response: ServerResponse) => void, expected: object) {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      answer(request, response);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    await using folder = await temporaryFolder(project);
    const file = { pid: process.pid, port, version, folder: inProject(folder).cwd, environment: {} };
    await folder.write(`//- .home/data/servers/1.json\n${JSON.stringify(file)}\n`);
    const { code, stdout } = await runCli(ask, inProject(folder));
    server.closeAllConnections();
    server.close();
    expect({ code, asked, ...JSON.parse(stdout) }).toMatchObject(expected);
  }
  const health = JSON.stringify({ ok: true, service: "citewell", version });
  const answered = { code: 0, citations: [{ path: "src/retry.ts", state: "verified" }] };

  test("goes before its first event", () =>
    check((request, response) => (request.url === "/" ? response.end(health) : request.socket.destroy()), {
      ...answered,
      asked: ["/", "/question/stream"],
    }));

  test("ends its stream without an event", () =>
    check((request, response) => response.end(request.url === "/" ? health : ""), answered));

  test("does not say that it is there", () => check(() => {}, { ...answered, asked: ["/"] }));

  test("but not where it goes after it: half of the answer is shown already", () =>
    check(
      (request, response) => {
        if (request.url === "/") return void response.end(health);
        const event = JSON.stringify({ type: "text.delta", delta: "The delay" });
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(`event: text.delta\ndata: ${event}\n\n`, () => request.socket.destroy());
      },
      { code: 6, tag: "ServerUnreachable" },
    ));
});

function pick(json: string, names: readonly string[]): object {
  return Object.fromEntries(Object.entries<unknown>(JSON.parse(json)).filter(([name]) => names.includes(name)));
}
