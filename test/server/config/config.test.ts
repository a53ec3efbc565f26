import { mkdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  addResource,
  type ConfigLocation,
  loadConfig,
  removeResource,
  updateResource,
} from "../../../server/config/config.ts";
import { CitewellError } from "../../../server/errors.ts";
import type { PackageResource } from "../../../server/protocol/kinds/package.ts";
import { temporaryFolder } from "../../support/folder.ts";

/** A home and a project, each with a configuration file where one is given. */
async function setUp(files: { global?: string; project?: string } = {}) {
  const root = await temporaryFolder();
  const location: ConfigLocation = {
    cwd: path.join(root.path, "project"),
    homeDirectory: path.join(root.path, "home"),
    env: {},
    platform: "linux",
  };
  const paths = {
    global: path.join(root.path, "home/.config/citewell/citewell.config.jsonc"),
    project: path.join(root.path, "project/citewell.config.jsonc"),
  };
  await mkdir(location.cwd);
  if (files.global !== undefined) {
    await mkdir(path.dirname(paths.global), { recursive: true });
    await writeFile(paths.global, files.global);
  }
  if (files.project !== undefined) await writeFile(paths.project, files.project);
  return { location, paths, root, [Symbol.asyncDispose]: () => root[Symbol.asyncDispose]() };
}

function npm(name: string): PackageResource<"npm"> {
  return { type: "npm", name, package: name };
}

function listOf(...names: string[]): string {
  return JSON.stringify({ resources: names.map(npm) });
}

function local(name: string, folder: string) {
  return { type: "local", name, path: folder };
}

function optionsFor(host: string): string {
  return `"providerOptions": { "openai-compat": { "baseURL": "https://${host}", "name": "n" } }`;
}

async function errorOf(promise: Promise<unknown>): Promise<CitewellError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof CitewellError) return error;
  throw new Error("no CitewellError was thrown", { cause: error });
}

async function namesIn(location: ConfigLocation): Promise<string[]> {
  return (await loadConfig(location)).resources.map(({ name }) => name);
}

describe("the effective configuration", () => {
  test("without a file: the defaults and the three default resources", async () => {
    await using home = await setUp();
    const { globalFile, projectFile, ...config } = await loadConfig(home.location);
    const data = path.join(home.root.path, "home/.local/share/citewell");
    expect(config).toMatchObject({
      provider: "builtin",
      model: "extractive",
      providerTimeoutMs: 300_000,
      maxSteps: 40,
      refresh: "daily",
      dataDirectory: data,
      resourcesDirectory: path.join(data, "resources"),
      allowHosts: [],
      sources: { provider: "default", model: "default" },
      warnings: [],
    });
    expect(config).not.toHaveProperty("maxTokens");
    expect(config).not.toHaveProperty("maxCostUsd");
    expect(globalFile).toEqual({ path: home.paths.global, exists: false, resources: ["express", "zod", "typescript"] });
    expect(projectFile).toEqual({ path: home.paths.project, exists: false, resources: [] });
  });

  test("the project's values override the global ones, key by key", async () => {
    await using home = await setUp({
      global: '{ "provider": "openai", "model": "a", "maxSteps": 5, "refresh": "always" }',
      project: '{ "model": "b", "maxTokens": 9, "maxCostUsd": 0.5 }',
    });
    expect(await loadConfig(home.location)).toMatchObject({
      provider: "openai",
      model: "b",
      maxSteps: 5,
      maxTokens: 9,
      maxCostUsd: 0.5,
      refresh: "always",
      sources: {
        provider: "global",
        model: "project",
        maxSteps: "global",
        maxTokens: "project",
        refresh: "global",
        dataDirectory: "default",
      },
    });
  });

  test("resources of both files merge by name, the project's take precedence", async () => {
    await using home = await setUp({
      global: listOf("a", "b"),
      project:
        '{ "resources": [{ "type": "npm", "name": "b", "package": "other" }, { "type": "npm", "name": "c", "package": "c" }] }',
    });
    const { resources, globalFile, projectFile } = await loadConfig(home.location);
    expect(resources).toEqual([npm("a"), { ...npm("b"), package: "other" }, npm("c")]);
    expect([globalFile.resources, projectFile.resources]).toEqual([
      ["a", "b"],
      ["b", "c"],
    ]);
  });

  test("with a project file, the default resources remain unless there is a global file", async () => {
    await using home = await setUp({ project: listOf("a") });
    expect(await namesIn(home.location)).toEqual(["express", "zod", "typescript", "a"]);
  });

  test("a global file without resources has the default ones, one with an empty list has none", async () => {
    await using silent = await setUp({ global: '{ "model": "m" }' });
    await using empty = await setUp({ global: '{ "resources": [] }' });
    expect(await namesIn(silent.location)).toEqual(["express", "zod", "typescript"]);
    expect(await namesIn(empty.location)).toEqual([]);
  });

  test("an untrusted project's allowHosts are ignored, and its provider options are kept separate", async () => {
    await using home = await setUp({
      global: `{ "allowHosts": ["git.example"], ${optionsFor("own.example")} }`,
      project: `{ "allowHosts": ["evil.example"], ${optionsFor("evil.example")} }`,
    });
    const config = await loadConfig(home.location);
    expect(config.allowHosts).toEqual(["git.example"]);
    expect(config.providerOptions["openai-compat"]?.baseURL).toBe("https://evil.example");
    expect(config.globalProviderOptions["openai-compat"]?.baseURL).toBe("https://own.example");
    expect(config.warnings).toEqual([`${home.paths.project}: "allowHosts" applies in the global file only`]);
  });

  test("a project's OAuth endpoints are ignored with a warning", async () => {
    await using home = await setUp({
      project: '{ "providerOptions": { "openai": { "oauth": { "clientId": "x" } } } }',
    });
    const { warnings } = await loadConfig(home.location);
    expect(warnings).toEqual([`${home.paths.project}: "providerOptions.openai.oauth" applies in the global file only`]);
  });

  test.each([
    ['"tokenEndpoint": "http://login.example.com/token"', "must be an https URL (http is for loopback only)"],
    ['"redirectUri": "http://evil.example.com/callback"', "must be http on 127.0.0.1 or localhost"],
    ['"clientSecretVariable": "a secret!"', "must be the name of an environment variable"],
  ])("an OAuth client that would reveal secrets is refused: %s", async (setting, fault) => {
    await using home = await setUp({ global: `{ "providerOptions": { "openai": { "oauth": { ${setting} } } } }` });
    await expect(loadConfig(home.location)).rejects.toMatchObject({
      tag: "ConfigInvalid",
      message: expect.stringContaining(fault),
    });
  });

  test("relative paths are relative to their file's folder, ~ is the home directory", async () => {
    await using home = await setUp({
      global: JSON.stringify({ resources: [local("g", "../lib"), local("h", "~/code")] }),
      project: JSON.stringify({ resources: [local("p", "."), local("q", "/abs")] }),
    });
    const { resources } = await loadConfig(home.location);
    const { path: root } = home.root;
    expect(resources.map((spec) => spec.type === "local" && spec.path)).toEqual([
      path.join(root, "home/.config/lib"),
      path.join(root, "home/code"),
      path.join(root, "project"),
      "/abs",
    ]);
  });

  test("only the working directory is searched, not the folders above it", async () => {
    await using home = await setUp({ project: '{ "model": "m" }' });
    await mkdir(path.join(home.location.cwd, "sub"));
    const below = await loadConfig({ ...home.location, cwd: path.join(home.location.cwd, "sub") });
    expect(below.model).toBe("extractive");
  });

  test("the folder of the global file is not a project", async () => {
    await using home = await setUp({ global: '{ "model": "m" }' });
    const config = await loadConfig({ ...home.location, cwd: path.dirname(home.paths.global) });
    expect(config.sources.model).toBe("global");
    expect(config.projectFile.exists).toBe(false);
  });
});

describe("the data directory", () => {
  test("is the project's if set, else the global one", async () => {
    await using both = await setUp({
      global: '{ "dataDirectory": "shared" }',
      project: '{ "dataDirectory": "./own" }',
    });
    expect((await loadConfig(both.location)).dataDirectory).toBe(path.join(both.location.cwd, "own"));
    await using one = await setUp({ global: '{ "dataDirectory": "shared" }', project: "{}" });
    expect((await loadConfig(one.location)).resourcesDirectory).toBe(
      path.join(path.dirname(one.paths.global), "shared/resources"),
    );
  });

  test("is recorded in a project with a legacy .citewell folder, and comments are kept", async () => {
    await using home = await setUp({ project: '{\n  // the team\'s choice\n  "model": "m" // fast\n}\n' });
    await mkdir(path.join(home.location.cwd, ".citewell"));
    expect((await loadConfig(home.location)).dataDirectory).toBe(path.join(home.location.cwd, ".citewell"));
    expect(await readFile(home.paths.project, "utf8")).toBe(
      '{\n  // the team\'s choice\n  "model": "m", // fast\n  "dataDirectory": ".citewell"\n}\n',
    );
  });

  test("is that folder for a read-only command, which writes nothing", async () => {
    await using home = await setUp({ project: "{}" });
    await mkdir(path.join(home.location.cwd, ".citewell"));
    const config = await loadConfig(home.location, { isReadOnly: true });
    expect(config.dataDirectory).toBe(path.join(home.location.cwd, ".citewell"));
    expect(config.warnings).toEqual([]);
    expect(await readFile(home.paths.project, "utf8")).toBe("{}");
  });

  test("is not migrated without a project file, or if the file sets another one", async () => {
    await using named = await setUp({ project: '{ "dataDirectory": "own" }' });
    await mkdir(path.join(named.location.cwd, ".citewell"));
    await loadConfig(named.location);
    expect(await readFile(named.paths.project, "utf8")).toBe('{ "dataDirectory": "own" }');
    await using none = await setUp();
    await mkdir(path.join(none.location.cwd, ".citewell"));
    expect((await loadConfig(none.location)).dataDirectory).toContain("home/.local/share");
  });

  test("is that folder if the project file cannot be written, with a warning", async () => {
    await using home = await setUp({ project: "{}" });
    await mkdir(path.join(home.location.cwd, ".citewell"));
    // An old file where the lock goes: the one obstacle that a superuser meets, too.
    await writeFile(`${home.paths.project}.lock`, "");
    await utimes(`${home.paths.project}.lock`, 0, 0);
    const config = await loadConfig(home.location);
    expect(config.dataDirectory).toBe(path.join(home.location.cwd, ".citewell"));
    expect(config.warnings[0]).toContain(`${home.paths.project}: "dataDirectory": ".citewell" belongs into it`);
    expect(await readFile(home.paths.project, "utf8")).toBe("{}");
  });
});

describe("an unusable file is an error that names it", () => {
  test.each([
    ["broken text", '{ "model": ', "a value was expected"],
    ["nothing", "", "a value was expected"],
    ["another encoding", Buffer.from("\uFEFF{}", "utf16le"), "the file is not UTF-8 text"],
    ["more than a configuration can be", `{}${" ".repeat(1024 * 1024)}`, "over the limit of 1048576"],
  ])("%s", async (_, content, reason) => {
    await using home = await setUp({ global: "{}" });
    await writeFile(home.paths.global, content);
    const error = await errorOf(loadConfig(home.location));
    expect(error.tag).toBe("ConfigInvalid");
    expect(error.message).toContain(home.paths.global);
    expect(error.message).toContain(reason);
  });

  test("a folder instead of the file", async () => {
    await using home = await setUp();
    await mkdir(home.paths.project);
    expect(await errorOf(loadConfig(home.location))).toMatchObject({
      tag: "ConfigInvalid",
      message: `${home.paths.project}: a file was expected here`,
    });
  });

  test("it is never overwritten", async () => {
    await using home = await setUp({ project: '{ "model": "m", ' });
    expect((await errorOf(addResource(home.location, npm("a")))).tag).toBe("ConfigInvalid");
    expect((await errorOf(removeResource(home.location, "express"))).tag).toBe("ConfigInvalid");
    expect(await readFile(home.paths.project, "utf8")).toBe('{ "model": "m", ');
  });
});

describe("an invalid resource", () => {
  const bad = '{ "type": "git", "name": "bad", "url": "http://h/r" }, // to be mended';
  const project = `{\n  "resources": [\n    ${bad}\n    { "type": "npm", "name": "a", "package": "a" }\n  ]\n}\n`;

  test("is ignored with a warning, and the others apply", async () => {
    await using home = await setUp({ global: listOf("b"), project });
    const config = await loadConfig(home.location);
    expect(config.resources.map(({ name }) => name)).toEqual(["b", "a"]);
    expect(config.warnings).toEqual([
      `${home.paths.project}:3:44: resources[0].url: "http://h/r": a git URL must use https — this resource is ignored; correct it, or run: citewell remove bad`,
    ]);
  });

  test("keeps its text when others are added, changed and removed", async () => {
    await using home = await setUp({ global: "{}", project });
    await addResource(home.location, npm("c"));
    await updateResource(home.location, { ...npm("a"), version: "2.0.0" });
    await removeResource(home.location, "a");
    const text = await readFile(home.paths.project, "utf8");
    expect(text).toContain(bad);
    expect(text).not.toContain('"name": "a"');
    expect((await loadConfig(home.location)).projectFile.resources).toEqual(["c"]);
  });

  test("is removed by its name, which is taken", async () => {
    await using home = await setUp({ global: listOf("bad"), project });
    expect(await errorOf(addResource(home.location, npm("bad")))).toMatchObject({ tag: "ResourceNameTaken" });
    expect(await removeResource(home.location, "bad")).toEqual({ path: home.paths.project });
    const config = await loadConfig(home.location);
    expect(config.warnings).toEqual([]);
    expect(config.resources.map(({ name }) => name)).toEqual(["bad", "a"]);
  });
});

describe("adding a resource", () => {
  test("creates the global file, with the new resource only", async () => {
    await using home = await setUp();
    expect(await addResource(home.location, npm("hono"))).toEqual({ path: home.paths.global });
    expect(await namesIn(home.location)).toEqual(["hono"]);
    expect((await stat(path.dirname(home.paths.global))).mode & 0o777).toBe(0o700);
  });

  test("writes to the project's file if it exists", async () => {
    await using home = await setUp({ global: listOf("a"), project: "{}" });
    expect(await addResource(home.location, npm("b"))).toEqual({ path: home.paths.project });
    expect(await readFile(home.paths.project, "utf8")).toBe(
      '{\n  "resources": [\n    {\n      "type": "npm",\n      "name": "b",\n      "package": "b"\n    }\n  ]\n}',
    );
    expect(await readFile(home.paths.global, "utf8")).toBe(listOf("a"));
  });

  test("writes to the file of the level that is given, and creates it", async () => {
    await using home = await setUp({ global: listOf("a") });
    expect(await addResource(home.location, npm("b"), { level: "project" })).toEqual({ path: home.paths.project });
    expect(await addResource(home.location, npm("c"), { level: "global" })).toEqual({ path: home.paths.global });
    expect(JSON.parse(await readFile(home.paths.project, "utf8"))).toEqual({ resources: [npm("b")] });
    expect(await namesIn(home.location)).toEqual(["a", "c", "b"]);
    expect((await errorOf(addResource(home.location, npm("b"), { level: "global" }))).tag).toBe("ResourceNameTaken");
  });

  test("keeps comments, byte order mark and CRLF, and writes no empty fields", async () => {
    await using home = await setUp({ global: '\uFEFF{\r\n  // mine\r\n  "resources": [], // none\r\n}\r\n' });
    await addResource(home.location, { ...npm("a"), version: null });
    expect(await readFile(home.paths.global, "utf8")).toBe(
      '\uFEFF{\r\n  // mine\r\n  "resources": [\r\n    {\r\n      "type": "npm",\r\n      "name": "a",\r\n      "package": "a"\r\n    }\r\n  ], // none\r\n}\r\n',
    );
  });

  test("a relative path is relative to the working directory", async () => {
    await using home = await setUp();
    await addResource(home.location, { type: "local", name: "here", path: "./src" });
    const { resources } = await loadConfig({ ...home.location, cwd: home.root.path });
    expect(resources.at(-1)).toMatchObject({ path: path.join(home.location.cwd, "src") });
  });

  test.each([
    ["in the file itself", { global: listOf("a") }, "a"],
    ["in the file itself, of the project", { global: listOf("b"), project: listOf("a") }, "a"],
  ])("refuses a name that is taken %s", async (_, files, name) => {
    await using home = await setUp(files);
    const error = await errorOf(addResource(home.location, npm(name)));
    expect(error).toMatchObject({ tag: "ResourceNameTaken", hint: expect.stringContaining(`remove ${name}`) });
    expect(await loadConfig(home.location)).toMatchObject({ globalFile: { exists: "global" in files } });
  });

  test("accepts a name of the global file for the project's, whose entry is then the one", async () => {
    await using home = await setUp({ global: listOf("a"), project: "{}" });
    const { path: savedTo } = await addResource(home.location, { ...npm("a"), version: "1.0.0" });
    expect(savedTo).toBe(home.paths.project);
    expect((await loadConfig(home.location)).resources).toMatchObject([{ name: "a", version: "1.0.0" }]);
  });

  test("accepts the name of a default resource, which no file lists", async () => {
    await using home = await setUp();
    await addResource(home.location, { type: "npm", name: "zod", package: "zod", version: "3" });
    const { resources } = await loadConfig(home.location);
    expect(resources).toEqual([{ type: "npm", name: "zod", package: "zod", version: "3" }]);
  });

  test.each([
    ["https://localhost/a/b", "localhost is this computer"],
    ["https://10.0.0.1/a/b", "10.0.0.1 is not a public address"],
    ["https://[::1]:8443/a/b", "::1 is not a public address"],
    ["https://[::ffff:127.0.0.1]/a/b", "::ffff:7f00:1 is not a public address"],
  ])("%s is refused, unless the global file allows the host", async (url, fault) => {
    const spec = { type: "git", name: "a", url, branch: "main" } as const;
    const allowing = JSON.stringify({ allowHosts: [new URL(url).hostname] });
    await using home = await setUp({ project: allowing });
    expect(await errorOf(addResource(home.location, spec))).toMatchObject({
      tag: "AddressNotAllowed",
      message: `url: ${fault}`,
    });
    expect(await readFile(home.paths.project, "utf8")).toBe(allowing);
    await using trusting = await setUp({ global: allowing });
    await addResource(trusting.location, spec);
    expect(await namesIn(trusting.location)).toContain("a");
  });

  test("changes the target of a link", async () => {
    await using home = await setUp();
    const real = path.join(home.root.path, "dotfiles.jsonc");
    await writeFile(real, '{ "resources": [] }');
    await mkdir(path.dirname(home.paths.global), { recursive: true });
    await symlink(real, home.paths.global);
    await addResource(home.location, npm("a"));
    expect(await readFile(real, "utf8")).toContain('"name": "a"');
    expect(await readFile(home.paths.global, "utf8")).toBe(await readFile(real, "utf8"));
  });

  test("fails with StorageFailed if the folder cannot be created", async () => {
    await using home = await setUp();
    await writeFile(path.join(home.root.path, "home"), "a file");
    expect(await errorOf(addResource(home.location, npm("a")))).toMatchObject({
      tag: "StorageFailed",
      message: expect.stringContaining(`cannot write ${home.paths.global}`),
    });
  });
});

describe("updating a resource", () => {
  test("edits the file that defines it, and keeps its comments", async () => {
    const project =
      '{\n  "resources": [\n    // ours\n    { "type": "npm", "name": "a", "package": "a" } // a\n  ]\n}\n';
    await using it = await setUp({ global: listOf("a", "b"), project });
    expect(await updateResource(it.location, { ...npm("a"), specialNotes: "short" })).toEqual({
      path: it.paths.project,
    });
    expect(await readFile(it.paths.project, "utf8")).toBe(
      project.replace('"package": "a" }', '"package": "a", "specialNotes": "short" }'),
    );
    expect(await updateResource(it.location, { ...npm("b"), version: "2.0.0" })).toEqual({ path: it.paths.global });
    expect((await loadConfig(it.location)).resources).toEqual([
      { ...npm("a"), specialNotes: "short" },
      { ...npm("b"), version: "2.0.0" },
    ]);
  });

  test("keeps an equivalent relative path, and an unwritten branch", async () => {
    const docs = { type: "local", name: "docs", path: "./docs" } as const;
    const git = { type: "git", name: "lib", url: "https://github.com/a/b" } as const;
    await using it = await setUp({ project: JSON.stringify({ resources: [docs, git] }) });
    const written = async () => JSON.parse(await readFile(it.paths.project, "utf8")).resources;
    const absolute = path.join(it.location.cwd, "docs");
    await updateResource(it.location, { ...docs, path: absolute, specialNotes: "x" });
    await updateResource(it.location, { ...git, branch: "main", searchPaths: ["src"] });
    expect(await written()).toEqual([
      { ...docs, specialNotes: "x" },
      { ...git, searchPaths: ["src"] },
    ]);
    await updateResource(it.location, { ...docs, path: path.join(it.location.cwd, "other") });
    expect((await written())[0]).toEqual({ ...docs, path: path.join(it.location.cwd, "other") });
  });

  test("writes all default resources, which apply without a file", async () => {
    await using it = await setUp();
    await updateResource(it.location, { ...npm("zod"), version: "4.0.0" });
    expect(await namesIn(it.location)).toEqual(["express", "zod", "typescript"]);
    expect((await loadConfig(it.location)).resources[1]).toMatchObject({ version: "4.0.0" });
  });

  test("refuses an unknown name and a private address, and writes nothing", async () => {
    await using it = await setUp({ project: listOf("zod") });
    expect(await errorOf(updateResource(it.location, npm("zodd")))).toMatchObject({
      tag: "ResourceNotFound",
      hint: "did you mean zod?",
    });
    const git = { type: "git", name: "zod", url: "https://10.0.0.1/a/b", branch: "main" } as const;
    expect(await errorOf(updateResource(it.location, git))).toMatchObject({ tag: "AddressNotAllowed" });
    expect(await readFile(it.paths.project, "utf8")).toBe(listOf("zod"));
  });
});

describe("removing a resource", () => {
  test("writes the other default resources to the global file", async () => {
    await using home = await setUp({ project: listOf("a") });
    expect(await removeResource(home.location, "zod")).toEqual({ path: home.paths.global });
    expect(await namesIn(home.location)).toEqual(["express", "typescript", "a"]);
    expect(await readFile(home.paths.project, "utf8")).toBe(listOf("a"));
  });

  test("edits the file that contains the name", async () => {
    await using home = await setUp({ global: listOf("a", "b"), project: listOf("c") });
    expect(await removeResource(home.location, "a")).toEqual({ path: home.paths.global });
    expect(await removeResource(home.location, "c")).toEqual({ path: home.paths.project });
    expect(await namesIn(home.location)).toEqual(["b"]);
  });

  test("removes the project's if both files contain it, and the global one applies again", async () => {
    await using home = await setUp({ global: listOf("a"), project: listOf("a") });
    expect(await removeResource(home.location, "a")).toEqual({ path: home.paths.project });
    expect(await removeResource(home.location, "a")).toEqual({ path: home.paths.global });
    expect(await namesIn(home.location)).toEqual([]);
  });

  test("fails for an unknown name, with similar names", async () => {
    await using home = await setUp({ global: listOf("svelte", "a") });
    expect(await errorOf(removeResource(home.location, "svelt"))).toMatchObject({
      tag: "ResourceNotFound",
      message: 'no resource named "svelt"',
      hint: "did you mean svelte?",
    });
    expect(await errorOf(removeResource(home.location, "qqqqqq"))).toMatchObject({
      hint: "citewell resources lists them all",
    });
  });
});
