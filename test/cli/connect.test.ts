import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../support/cli.ts";
import { runHere } from "../support/cli-here.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { oauthServer } from "../support/oauth-server.ts";
import { startInTerminal } from "../support/pty.ts";
import { type ScriptedModel, scriptedModel } from "../support/scripted-model.ts";

let model: ScriptedModel;
beforeAll(async () => {
  model = await scriptedModel([], { models: ["small", "large"] });
});
afterAll(() => model[Symbol.asyncDispose]());

const run = (folder: Folder, args: string[], stdin?: string) =>
  stdin === undefined
    ? runHere(["connect", ...args], { cwd: folder.path })
    : runCli(["connect", ...args], { cwd: folder.path, stdin });
const status = async (folder: Folder) => JSON.parse((await runHere(["status", "--json"], { cwd: folder.path })).stdout);
const authFile = (folder: Folder) => path.join(folder.path, ".local/share/opencode/auth.json");
const server = () => ["-p", "openai-compat", "--base-url", model.baseURL, "--name", "test"];

describe("with provider and model nothing is asked", () => {
  test("the global file is written where there is no project", async () => {
    await using folder = await temporaryFolder();
    const { code, stdout, stderr } = await run(folder, ["-p", "builtin", "-m", "extractive"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^using builtin\/extractive, saved in .*\.home\/citewell\.config\.jsonc\n$/);
    expect(await status(folder)).toMatchObject({ sources: { provider: "global", model: "global" } });
  });

  test("else the project's; --global writes the global one, and says which counts", async () => {
    await using folder = await temporaryFolder('//- citewell.config.jsonc\n{ "provider": "builtin" } // ours\n');
    await run(folder, [...server(), "-m", "small"]);
    expect(await readFile(path.join(folder.path, "citewell.config.jsonc"), "utf8")).toMatch(/"small"[^]*\/\/ ours/);
    const { stderr } = await run(folder, ["-p", "builtin", "-m", "extractive", "--global"]);
    expect(stderr).toContain("has precedence");
    expect(await status(folder)).toMatchObject({ provider: "openai-compat", model: "small", isConnected: true });
  });

  test("in a terminal, too", async () => {
    await using folder = await temporaryFolder();
    const session = startInTerminal(["connect", ...server(), "-m", "large"], { cwd: folder.path });
    expect(await session.exit).toBe(0);
    expect(session.output()).not.toContain("Its key");
    expect(await status(folder)).toMatchObject({ model: "large", isConnected: true });
  });
});

describe("what can be chosen", () => {
  test("--list names the providers, and with -p the models", async () => {
    await using folder = await temporaryFolder();
    const { code, stdout } = await run(folder, ["--list"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^builtin +.*  connected$/m) });
    expect(stdout).not.toContain("vscode");
    expect(await run(folder, ["--list", "-p", "builtin"])).toMatchObject({ code: 0, stdout: "extractive\n" });
  });

  test("without a terminal the error names the providers", async () => {
    await using folder = await temporaryFolder();
    const { code, stderr } = await run(folder, []);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/hint: one of .*builtin.*openrouter/) });
  });

  test("an address for a provider that has none is refused", async () => {
    await using folder = await temporaryFolder();
    const { code, stderr } = await run(folder, [
      "-p",
      "builtin",
      "-m",
      "extractive",
      "--base-url",
      "http://127.0.0.1:1",
    ]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("not for builtin") });
  });
});

describe("a key", () => {
  test("comes from standard input, and is stored readable only by the user", async () => {
    await using folder = await temporaryFolder();
    const { code, stdout } = await run(folder, [...server(), "-m", "small", "--key-stdin", "--json"], "sk-secret\n");
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, isConnected: true });
    expect(stdout).not.toContain("sk-secret");
    expect(JSON.parse(await readFile(authFile(folder), "utf8"))).toEqual({
      "openai-compat": { type: "api", key: "sk-secret" },
    });
    expect((await stat(authFile(folder))).mode & 0o777).toBe(0o600);
  });

  test("or from a file", async () => {
    await using folder = await temporaryFolder("//- key.txt\nsk-file\n");
    expect(await run(folder, [...server(), "-m", "small", "--key-file", "key.txt"])).toMatchObject({ code: 0 });
    expect(await readFile(authFile(folder), "utf8")).toContain("sk-file");
  });

  test("that is empty, or whose file is not there, is refused", async () => {
    await using folder = await temporaryFolder();
    expect(await run(folder, [...server(), "-m", "small", "--key-stdin"])).toMatchObject({ code: 2 });
    expect(await run(folder, [...server(), "-m", "small", "--key-file", "none"])).toMatchObject({ code: 2 });
    await expect(stat(authFile(folder))).rejects.toThrow("ENOENT");
  });

  test("that is missing is reported, and the choice is kept", async () => {
    await using folder = await temporaryFolder();
    const { code, stderr } = await run(folder, ["-p", "minimax", "-m", "some-model"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("minimax cannot be asked yet") });
    expect(await status(folder)).toMatchObject({ provider: "minimax", isConnected: false });
  });
});

describe("it is refused, and nothing is written", () => {
  const check = (args: () => string[], code: number, message: RegExp) =>
    test(String(message), async () => {
      await using folder = await temporaryFolder();
      const result = await run(folder, args());
      expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: "" });
      expect(result.stderr).toMatch(message);
      await expect(stat(path.join(folder.path, ".home/citewell.config.jsonc"))).rejects.toThrow("ENOENT");
    });

  check(() => [], 2, /--provider and --model are required/);
  check(() => ["-p", "builtin"], 2, /--model is required/);
  check(() => ["-p", "nobody", "-m", "x"], 2, /no provider "nobody"/);
  check(() => ["-p", "openai-compat", "-m", "x"], 2, /needs --base-url and --name/);
  check(
    () => ["-p", "openai-compat", "-m", "x", "--base-url", "ftp://x", "--name", "y"],
    2,
    /must be an http or https URL/,
  );
  check(() => [...server(), "-m", "smal"], 2, /has no model "smal"[^]*did you mean small/);
});

test("in a terminal it asks for what was not said", async () => {
  await using folder = await temporaryFolder();
  const session = startInTerminal(["connect", "-p", "openai-compat"], { cwd: folder.path });
  await session.sees("Its base URL");
  session.type("http://127.0.0.1:1/v1http://127.0.0.1:2/v1\r");
  await session.sees("it contains a second http://");
  session.type(`\u0015${model.baseURL}\r`);
  await session.sees("A name for it");
  session.type("\r");
  await session.sees("Its key (may be empty)");
  session.type("sk-typed\r");
  await session.sees("Which model?");
  session.type("lar\r");
  expect(await session.exit).toBe(0);
  expect(session.output()).not.toContain("sk-typed");
  expect(await readFile(authFile(folder), "utf8")).toContain("sk-typed");
  expect(await status(folder)).toMatchObject({ provider: "openai-compat", model: "large", isConnected: true });
});

test("in a terminal the providers are offered", async () => {
  await using folder = await temporaryFolder();
  const session = startInTerminal(["connect"], { cwd: folder.path });
  await session.sees("Which provider should answer?");
  await session.sees("OpenRouter");
  expect(session.output()).not.toContain("The editor's models");
  session.type("\u0003");
  expect(await session.exit).toBe(130);
});

describe("an OAuth client of the user's own", () => {
  /** A user whose Google is a sign-in server on loopback. */
  async function setUp() {
    const oauth = await oauthServer();
    const { issuer } = oauth;
    const options = { google: { oauth: { issuer, scopes: ["openid", "offline_access"] } } };
    const folder = await temporaryFolder(
      `//- .home/citewell.config.jsonc\n${JSON.stringify({ providerOptions: options })}\n`,
    );
    const connections = async () =>
      JSON.parse(await readFile(path.join(folder.path, ".home/data/connections.json"), "utf8"));
    return {
      oauth,
      folder,
      connections,
      async [Symbol.asyncDispose]() {
        await folder[Symbol.asyncDispose]();
        await oauth[Symbol.asyncDispose]();
      },
    };
  }
  const google = ["-p", "google", "-m", "gemini-2.5-pro"];

  test("is kept beside the keys, and not in a configuration file", async () => {
    await using user = await setUp();
    await user.folder.write("//- secret.txt\ns3cret\n");
    const given = [...google, "--client-id", "mine", "--client-secret-file", "secret.txt"];
    const { code, stdout, stderr } = await run(user.folder, given);
    expect({ code, output: stdout + stderr }).toEqual({ code: 0, output: expect.not.stringContaining("s3cret") });
    expect(await user.connections()).toEqual({
      "oauth-clients": { google: { clientId: "mine", clientSecret: "s3cret" } },
    });
    const config = await readFile(path.join(user.folder.path, ".home/citewell.config.jsonc"), "utf8");
    expect(config).not.toContain("mine");
    expect(await run(user.folder, [...google, "--client-id", ""])).toMatchObject({ code: 0 });
    expect(await user.connections()).toEqual({});
  });

  test("is asked for in a terminal, and signs in", async () => {
    await using user = await setUp();
    const session = startInTerminal(["connect", ...google], { cwd: user.folder.path });
    await session.sees("How do they know you?");
    session.type("\u001b[B\r");
    await session.sees("The client id");
    session.type(`${user.oauth.clientId}\r`);
    await session.sees("Its secret");
    session.type("\r");
    await session.sees("code_challenge_method=S256");
    const url = /sign in at (\S+)/.exec(session.output())?.[1] ?? "";
    expect(await user.oauth.browse(url)).toContain("You can close this page");
    expect(await session.exit).toBe(0);
    expect(await status(user.folder)).toMatchObject({ provider: "google", isConnected: true });
    expect(await user.connections()).toMatchObject({ "oauth-clients": { google: { clientId: user.oauth.clientId } } });
  });

  test("needs a provider that has a sign-in, and a secret needs a client", async () => {
    await using user = await setUp();
    const check = async (args: string[], expected: { code: number; stderr: RegExp }) => {
      const { code, stderr } = await run(user.folder, args);
      expect({ code, stderr }).toEqual({ code: expected.code, stderr: expect.stringMatching(expected.stderr) });
    };
    await check(["-p", "anthropic", "-m", "m", "--client-id", "mine"], { code: 2, stderr: /has no sign-in/ });
    await check([...google, "--client-secret-file", "none"], { code: 2, stderr: /requires --client-id/ });
  });
});
