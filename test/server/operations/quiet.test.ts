import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createLog } from "../../../server/lib/log.ts";
import { createLocalApp } from "../../../server/local-app.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

/** What is logged of a question whose model is called again and whose turn cannot be kept. */
async function logged(quiet: boolean): Promise<string> {
  await using server = await scriptedModel([{ status: 429, headers: { "retry-after": "0" } }, { text: "It is 1." }]);
  await using folder = await temporaryFolder("//- demo/a.ts\nexport const a = 1;\n");
  await folder.write(
    `//- .home/citewell.config.jsonc\n${JSON.stringify({
      provider: "openai-compat",
      model: "scripted",
      providerOptions: { "openai-compat": { baseURL: server.baseURL, name: "scripted" } },
      resources: [{ type: "local", name: "demo", path: path.join(folder.path, "demo") }],
    })}`,
  );
  const data = path.join(folder.path, ".home", "data");
  await mkdir(data, { recursive: true });
  await rm(path.join(data, "threads"), { recursive: true, force: true });
  await writeFile(path.join(data, "threads"), "a file in the place of the folder");
  let lines = "";
  await using app = createLocalApp({
    location: {
      cwd: folder.path,
      env: { CITEWELL_HOME: path.join(folder.path, ".home") },
      platform: process.platform,
      homeDirectory: folder.path,
    },
    log: createLog("warn", (line) => (lines += line)),
  });
  await app.question({ question: "What is a?", resources: ["demo"], thread: "new", quiet });
  return lines;
}

test("a question that asks for quiet is not in the log, however it went", async () => {
  expect(await logged(true)).toBe("");
});

test("else its retries and a turn that was not kept are", async () => {
  const lines = await logged(false);
  expect(lines).toContain("provider-retry");
  expect(lines).toContain("thread-not-kept");
});
