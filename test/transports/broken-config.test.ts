import path from "node:path";
import { expect, test } from "vitest";
import { createLog } from "../../server/lib/log.ts";
import { createLocalApp } from "../../server/local-app.ts";
import { serveHttp } from "../../server/transports/http/http.ts";
import { cliEnvironment } from "../support/cli.ts";
import { parseEvents } from "../support/connect.ts";
import { temporaryFolder } from "../support/folder.ts";

const valid = `{ "resources": [{ "type": "local", "name": "demo", "path": "./demo" }] }`;
/** The third line has no comma. */
const broken = `{\n  "maxSteps": 3\n  "resources": []\n}`;

/** A server over a folder whose project configuration a test can change. */
async function startServer() {
  const folder = await temporaryFolder(`//- citewell.config.jsonc\n${valid}\n//- demo/a.ts\nexport const a = 1;\n`);
  const file = path.join(folder.path, "citewell.config.jsonc");
  const warnings: string[] = [];
  const log = createLog("warn", (line) => warnings.push(line));
  const app = createLocalApp({
    location: {
      cwd: folder.path,
      env: cliEnvironment(folder.path),
      platform: process.platform,
      homeDirectory: folder.path,
    },
    log,
  });
  const server = await serveHttp({ app, version: "0.0.0", port: 0, log });
  return {
    warnings,
    fault: `${file}:3:3: a ',' was expected`,
    write: (text: string) => folder.write(`//- citewell.config.jsonc\n${text}\n`),
    async post(route: string, body: unknown = {}) {
      const response = await fetch(`http://127.0.0.1:${server.port}${route}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return { status: response.status, text: await response.text() };
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await app[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test("a running server answers with the last valid configuration, and says so once in the log", async () => {
  await using server = await startServer();
  expect((await server.post("/reload-config")).status).toBe(200);
  await server.write(broken);
  for (let round = 0; round < 2; round++) {
    const { status, text } = await server.post("/question/stream", { question: "What is a?", resources: ["demo"] });
    const meta = parseEvents(text).find((event) => event.type === "meta");
    expect([status, meta?.resources]).toEqual([200, ["demo"]]);
    expect(meta?.warnings).toEqual([`${server.fault} — until it is corrected, the last valid configuration applies`]);
  }
  expect(server.warnings).toHaveLength(1);
  expect(server.warnings[0]).toContain("citewell.config.jsonc:3:3: a ',' was expected");
});

test("reloading a broken configuration is refused with its place, until it is corrected", async () => {
  await using server = await startServer();
  await server.post("/reload-config");
  await server.write(broken);
  const refused = await server.post("/reload-config");
  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
    400,
    { tag: "ConfigInvalid", error: server.fault },
  ]);
  await server.write(valid.replace("demo", "other").replace("./other", "./demo"));
  const reloaded = await server.post("/reload-config");
  expect([reloaded.status, JSON.parse(reloaded.text)]).toMatchObject([200, { ok: true }]);
  const { text } = await server.post("/question/stream", { question: "What is a?", resources: ["other"] });
  expect(parseEvents(text).find((event) => event.type === "meta")).not.toHaveProperty("warnings");
});

test("a server that starts with a broken configuration fails with the same sentence", async () => {
  await using server = await startServer();
  await server.write(broken);
  const { status, text } = await server.post("/question", { question: "What is a?", resources: ["demo"] });
  expect([status, JSON.parse(text)]).toMatchObject([500, { tag: "ConfigInvalid", error: server.fault }]);
});
