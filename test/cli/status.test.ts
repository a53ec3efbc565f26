import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { version } from "../../package.json";
import { settingLabel, settingNames } from "../../server/protocol/settings.ts";
import { runHere } from "../support/cli-here.ts";
import { runCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startNpmRegistry } from "../support/npm-registry.ts";
import { settingSamples } from "../support/setting-samples.ts";

test("says who answers, which file says so, and what each file brings", async () => {
  await using folder = await temporaryFolder(`//- citewell.config.jsonc
{ "provider": "openai-compat", "model": "m", "resources": [{ "type": "npm", "name": "ours", "package": "ours" }] }
//- .home/citewell.config.jsonc
{ "model": "other", "resources": [{ "type": "npm", "name": "zod", "package": "zod" }] }
`);
  const { code, stdout } = await runHere(["status", "--json"], { cwd: folder.path });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    schemaVersion: 1,
    provider: "openai-compat",
    model: "m",
    sources: { provider: "project", model: "project" },
    isConnected: false,
    project: { path: path.join(folder.path, "citewell.config.jsonc"), exists: true, resources: ["ours"] },
    global: { path: path.join(folder.path, ".home/citewell.config.jsonc"), exists: true, resources: ["zod"] },
    version: { installed: version },
  });
});

test("without any configuration, the defaults and that nothing is on disk", async () => {
  await using folder = await temporaryFolder();
  const { code, stdout } = await runCli(["status"], { cwd: folder.path, env: { CI: "1" } });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^provider +builtin \(default\), connected$/m);
  expect(stdout).toMatch(/^model +extractive \(default\)$/m);
  expect(stdout).toMatch(/^global .*\(not there\): express, zod, typescript$/m);
  expect(stdout).toMatch(new RegExp(`^version +${version}, latest unknown \\(not published\\)$`, "m"));
});

test("says nothing of newer versions, and makes no request, while the package is not published", async () => {
  await using registry = await startNpmRegistry();
  registry.publish({ name: "citewell", version: "999.0.0" });
  const known = JSON.stringify({ version: "999.0.0", checkedAt: Date.now() });
  await using folder = await temporaryFolder(`//- .npmrc
registry=${registry.url}
//- .home/data/latest-version.json
${known}
`);
  const { code, stdout } = await runCli(["status"], { cwd: folder.path });
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^version +${version}, latest unknown \\(not published\\)$`, "m"));
  expect(stdout).not.toContain("newer version");
  expect(registry.requests).toEqual([]);
});

test("one invalid value is ignored with a warning, and commands go on", async () => {
  await using folder = await temporaryFolder(
    '//- citewell.config.jsonc\n{ "maxSteps": "x", "providr": "openai", "resources": [{ "type": "local", "name": "demo", "path": "." }] }\n//- a.ts\nexport const needle = 1;\n',
  );
  const warnings = [
    expect.stringMatching(/^warning: .*citewell\.config\.jsonc:1:15: maxSteps: "x": must be a number — it is ignored/),
    expect.stringMatching(/^warning: .*unknown key "providr": did you mean "provider"\?$/),
  ];
  for (const args of [["status"], ["resources"], ["search", "needle"], ["ask", "-q", "where is needle?"]]) {
    const { code, stderr } = await runHere(args, { cwd: folder.path });
    const said = stderr.split("\n").filter((line) => line.startsWith("warning:"));
    expect({ args, code, said }).toEqual({ args, code: 0, said: warnings });
  }
  expect(await runHere(["remove", "demo"], { cwd: folder.path })).toMatchObject({ code: 0 });
});

test("what a file says without being asked for is a warning on standard error", async () => {
  await using folder = await temporaryFolder(`//- citewell.config.jsonc
{ "allowHosts": ["git.corp"], "modle": "x" }
`);
  const { code, stderr } = await runHere(["status"], { cwd: folder.path, env: { CI: "1" } });
  expect(code).toBe(0);
  expect(stderr).toMatch(/^warning: .*"allowHosts" applies in the global file only$/m);
  expect(stderr).toMatch(/^warning: .*modle/m);
});

test("says where each limit comes from, and does not migrate an old project", async () => {
  await using folder = await temporaryFolder(`//- citewell.config.jsonc
{ "maxSteps": 7 }
//- .citewell/x
//- .home/citewell.config.jsonc
{ "maxTokens": 1000 }
`);
  const { stdout } = await runHere(["status"], { cwd: folder.path, env: { CI: "1" } });
  expect(stdout).toMatch(/^steps +7 \(project\)$/m);
  expect(stdout).toMatch(/^tokens +1000 \(global\)$/m);
  expect(stdout).toMatch(/^cost, US\$ +no limit \(default\)$/m);
  expect(stdout).toMatch(/^refresh +daily \(default\)$/m);
  expect(await readFile(path.join(folder.path, "citewell.config.jsonc"), "utf8")).toBe('{ "maxSteps": 7 }\n');
});

test("lists every setting with its value and its source", async () => {
  const [settings = {}] = settingSamples();
  await using folder = await temporaryFolder(`//- citewell.config.jsonc
${JSON.stringify(settings)}
`);
  const { stdout } = await runHere(["status"], { cwd: folder.path, env: { CI: "1" } });
  const { stdout: json } = await runHere(["status", "--json"], { cwd: folder.path, env: { CI: "1" } });
  for (const name of settingNames) {
    expect(stdout).toMatch(
      new RegExp(`^${settingLabel(name).replace("$", "\\$")} +${String(settings[name])} \\(project\\)`, "m"),
    );
  }
  expect(JSON.parse(json)).toMatchObject(settings);
});
