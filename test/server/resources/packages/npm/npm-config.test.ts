import path from "node:path";
import { describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../../server/errors.ts";
import { defaultRegistry, replacedHost } from "../../../../../server/resources/packages/npm/default-registry.ts";
import { type NpmConfig, readNpmConfig } from "../../../../../server/resources/packages/npm/npm-config.ts";
import { temporaryFolder } from "../../../../support/folder.ts";
import { runNpm } from "../../../../support/run-npm.ts";

interface Setup {
  /** A fixture string: `project/.npmrc`, `home/.npmrc`, `home/global-npmrc`. */
  files?: string;
  env?: Record<string, string>;
  cwd?: string;
}

/** What `look` finds in the configuration of a user in `project`. */
async function configured<Value>(setup: Setup, look: (config: NpmConfig) => Value): Promise<Value> {
  await using folder = await temporaryFolder(`//- project/package.json\n{}\n//- home/.keep\n${setup.files ?? ""}`);
  const homeDirectory = path.join(folder.path, "home");
  const config = await readNpmConfig({
    cwd: path.join(folder.path, setup.cwd ?? "project"),
    homeDirectory,
    env: { npm_config_globalconfig: path.join(homeDirectory, "global-npmrc"), ...setup.env },
    platform: process.platform,
  });
  return look(config);
}

const registryOf = (name: string) => (config: NpmConfig) => {
  try {
    return config.registryOf(name);
  } catch (error) {
    return toErrorBody(error).error;
  }
};
const authorizationFor = (url: string) => (config: NpmConfig) => config.authorizationFor(new URL(url));

describe("the registry of a package, as in the real npm", () => {
  test.each<[string, Setup, string]>([
    ["npm's own, where nothing is configured", {}, "pkg"],
    ["the user's", { files: "//- home/.npmrc\nregistry=https://user.example/\n" }, "pkg"],
    ["without its slash", { files: "//- home/.npmrc\nregistry = https://user.example/npm\n" }, "pkg"],
    ["the global one", { files: "//- home/global-npmrc\nregistry=https://global.example/\n" }, "pkg"],
    [
      "the project's before the user's",
      {
        files:
          "//- home/.npmrc\nregistry=https://user.example/\n//- project/.npmrc\nregistry=https://project.example/\n",
      },
      "pkg",
    ],
    [
      "the environment's before all",
      {
        files: "//- project/.npmrc\nregistry=https://project.example/\n",
        env: { npm_config_registry: "https://env.example/" },
      },
      "pkg",
    ],
    ["in capitals", { env: { NPM_CONFIG_REGISTRY: "https://env.example/" } }, "pkg"],
    ["a scope's", { files: "//- home/.npmrc\n@corp:registry=https://corp.example/npm/\n" }, "@corp/pkg"],
    ["another scope's", { files: "//- home/.npmrc\n@corp:registry=https://corp.example/npm/\n" }, "@other/pkg"],
    ["a scope's from the environment", { env: { "npm_config_@corp:registry": "https://corp.example/" } }, "@corp/pkg"],
    [
      "a variable in the user's file",
      { files: "//- home/.npmrc\nregistry=https://${NAME}.example/${REST?}\n", env: { NAME: "filled" } },
      "pkg",
    ],
    [
      "a comment, a quoted value, a section",
      { files: '//- home/.npmrc\n; no\n# no\nregistry="https://q.example/"\n[x]\nregistry=no\n' },
      "pkg",
    ],
    [
      "the nearest project's, in a folder that is no workspace of it",
      {
        files:
          '//- project/package.json\n{"workspaces":["packages/*"]}\n//- project/other/package.json\n{}\n' +
          "//- project/.npmrc\nregistry=https://root.example/\n//- project/other/.npmrc\nregistry=https://other.example/\n",
        cwd: "project/other",
      },
      "pkg",
    ],
    [
      "the project's, from a folder below it",
      { files: "//- project/.npmrc\nregistry=https://project.example/\n//- project/src/a.ts\n", cwd: "project/src" },
      "pkg",
    ],
    [
      "in another user file",
      { files: "//- home/other\nregistry=https://other.example/\n", env: { npm_config_userconfig: "~/other" } },
      "pkg",
    ],
    [
      "below another prefix",
      {
        files: "//- home/prefix/etc/npmrc\nregistry=https://prefix.example/\n//- home/.npmrc\nprefix=~/prefix\n",
        env: { npm_config_globalconfig: "" },
      },
      "pkg",
    ],
  ])("%s", async (_title, { files = "", env = {}, cwd = "project" }, name) => {
    await using folder = await temporaryFolder(`//- project/package.json\n{}\n//- home/.keep\n${files}`);
    const home = path.join(folder.path, "home");
    const at = path.join(folder.path, cwd);
    const scope = name.startsWith("@") ? name.slice(0, name.indexOf("/")) : undefined;
    const expected = async (key: string) => (await runNpm(["config", "get", key], { cwd: at, home, env })).trim();
    const scoped = scope === undefined ? "undefined" : await expected(`${scope}:registry`);
    const real = scoped === "undefined" ? await expected("registry") : scoped;
    const config = await readNpmConfig({
      cwd: at,
      homeDirectory: home,
      env: { npm_config_globalconfig: path.join(home, "global-npmrc"), ...env },
      platform: process.platform,
    });
    expect(config.registryOf(name)).toBe(real.endsWith("/") ? real : `${real}/`);
  });
});

// "npm warn config ignoring workspace config", and then it does not tell: ENOWORKSPACES.
test("in a workspace, the root's file applies", async () => {
  const files =
    '//- project/package.json\n{"workspaces":{"packages":["./packages/*"]}}\n//- project/packages/a/package.json\n{}\n' +
    "//- project/.npmrc\nregistry=https://root.example/\n//- project/packages/a/.npmrc\nregistry=https://a.example/\n";
  expect(await configured({ files, cwd: "project/packages/a" }, registryOf("pkg"))).toBe("https://root.example/");
});

describe("a registry that is not contacted", () => {
  test.each<[string, string, string]>([
    ["no URL", "home/.npmrc", "registry=nonsense"],
    ["a variable that is not set", "home/.npmrc", "registry=https://${UNSET}.example/"],
    ["a variable in the project's file", "project/.npmrc", "registry=https://evil.example/${SECRET}/"],
    ["a password in the address", "home/.npmrc", "registry=https://user:hidden@host.example/"],
    ["plain HTTP in the project's file", "project/.npmrc", "registry=http://plain.example/"],
    ["another scheme", "home/.npmrc", "registry=file:///etc/"],
  ])("%s", async (_title, file, line) => {
    const message = await configured({ files: `//- ${file}\n${line}\n`, env: { SECRET: "s3cret" } }, registryOf("pkg"));
    expect(message).toMatch(/^the npm registry/);
    expect(message).not.toMatch(/s3cret|hidden/);
  });

  test("plain HTTP is allowed on loopback and if the user's own file has it", async () => {
    const project = "//- project/.npmrc\nregistry=http://127.0.0.1:4873/\n@corp:registry=http://plain.example/\n";
    const user = "//- home/.npmrc\n@any:registry=http://plain.example/npm/\n";
    expect(await configured({ files: project }, registryOf("pkg"))).toBe("http://127.0.0.1:4873/");
    expect(await configured({ files: project + user }, registryOf("@corp/pkg"))).toBe("http://plain.example/");
  });
});

describe("tokens", () => {
  const user = `//- home/.npmrc
//host.example/:_authToken=root
//host.example/team/:_authToken=team
//host.example/bare:_authToken=bare
//basic.example/:_auth=dXNlcjpwYXNz
//pair.example/:username=user
//pair.example/:_password=cGFzcw==
//port.example:8443/:_authToken=port
//variable.example/:_authToken=\${TOKEN}
//unset.example/:_authToken=\${UNSET}
_authToken=nobody's
`;
  test.each([
    ["its host", "https://host.example/pkg", "Bearer root"],
    ["the longest path", "https://host.example/team/pkg/-/pkg-1.0.0.tgz", "Bearer team"],
    ["a path without its slash", "https://host.example/bare/pkg", "Bearer bare"],
    ["not a path that only starts alike", "https://host.example/team2/pkg", "Bearer root"],
    ["basic authorization", "https://basic.example/pkg", "Basic dXNlcjpwYXNz"],
    ["a name and a password", "https://pair.example/pkg", "Basic dXNlcjpwYXNz"],
    ["the port", "https://port.example:8443/pkg", "Bearer port"],
    ["not another port", "https://port.example/pkg", undefined],
    ["a variable", "https://variable.example/pkg", "Bearer t0ken"],
    ["not one that is not set", "https://unset.example/pkg", undefined],
    ["not another host", "https://host.example.evil.example/pkg", undefined],
    ["not a host below it", "https://sub.host.example/pkg", undefined],
    ["not a host in a path", "https://evil.example/host.example/pkg", undefined],
  ])("%s", async (_title, url, expected) => {
    expect(await configured({ files: user, env: { TOKEN: "t0ken" } }, authorizationFor(url))).toBe(expected);
  });

  test("keys from the environment keep their case", async () => {
    const env = { "npm_config_//host.example/:_authToken": "fromEnv" };
    expect(await configured({ env }, authorizationFor("https://host.example/pkg"))).toBe("Bearer fromEnv");
  });
});

describe("an untrusted project's file", () => {
  const env = { NPM_TOKEN: "s3cret", KEY: "//evil.example/" };

  test("cannot send a variable to a host of its choice", async () => {
    const files = "//- project/.npmrc\nregistry=https://evil.example/\n//evil.example/:_authToken=${NPM_TOKEN}\n";
    expect(await configured({ files, env }, authorizationFor("https://evil.example/pkg"))).toBeUndefined();
  });

  test("can send a variable to the user's own registry, as in continuous integration", async () => {
    const corp = "//- project/.npmrc\n//corp.example/npm/:_authToken=${NPM_TOKEN}\n";
    const user = "//- home/.npmrc\n@corp:registry=https://corp.example/npm/\n";
    const files = corp + user;
    expect(await configured({ files, env }, authorizationFor("https://corp.example/npm/x"))).toBe("Bearer s3cret");
    const npm = `//- project/.npmrc\n//${replacedHost}/:_authToken=\${NPM_TOKEN}\n`;
    expect(await configured({ files: npm, env }, authorizationFor(`${defaultRegistry}x`))).toBe("Bearer s3cret");
  });

  test("can have tokens, and an unset one does not hide the user's", async () => {
    const user = "//- home/.npmrc\n//own.example/:_authToken=user\n";
    const url = "https://own.example/pkg";
    expect(
      await configured(
        { files: `//- project/.npmrc\n//own.example/:_authToken=literal\n${user}` },
        authorizationFor(url),
      ),
    ).toBe("Bearer literal");
    const unfilled = `//- project/.npmrc\n//own.example/:_authToken=\${NPM_TOKEN}\n${user}`;
    expect(await configured({ files: unfilled, env }, authorizationFor(url))).toBe("Bearer user");
  });

  test("cannot set proxies, certificates, their checks, or the other files", async () => {
    const files = `//- project/.npmrc
proxy=http://evil.example/
https-proxy=http://evil.example/
noproxy=host.example
ca=-----BEGIN CERTIFICATE-----
cafile=evil.pem
strict-ssl=false
fetch-timeout=1
userconfig=evil
globalconfig=evil
//- project/evil.pem
-----BEGIN CERTIFICATE-----
//- project/evil
//host.example/:_authToken=evil
strict-ssl=false
`;
    expect(await configured({ files }, (config) => config.network)).toEqual({ idleTimeoutMs: 30_000 });
    expect(await configured({ files }, authorizationFor("https://host.example/x"))).toBeUndefined();
  });
});

describe("the network", () => {
  test.each<[string, Setup, object]>([
    ["nothing", {}, {}],
    [
      "proxies",
      {
        files:
          "//- home/.npmrc\nproxy=http://p.example:1\nhttps-proxy=http://p.example:2\nnoproxy[]=a.example\nnoproxy[]=b.example\n",
      },
      { httpProxy: "http://p.example:1", httpsProxy: "http://p.example:2", noProxy: "a.example,b.example" },
    ],
    [
      "no proxy, on purpose",
      { files: "//- home/.npmrc\nproxy=null\nhttps-proxy=false\n" },
      { httpProxy: "", httpsProxy: "" },
    ],
    ["an unchecked certificate", { files: "//- home/.npmrc\nstrict-ssl=false\n" }, { trustsAnyCertificate: true }],
    [
      "certificates in the file, and in a file of their own",
      {
        files:
          '//- home/.npmrc\nca[]="-----BEGIN CERTIFICATE-----\\nA"\nca[]="-----BEGIN CERTIFICATE-----\\nB"\ncafile=~/ca.pem\n' +
          "//- home/ca.pem\n-----BEGIN CERTIFICATE-----\nC\n",
      },
      {
        ca: ["-----BEGIN CERTIFICATE-----\nA", "-----BEGIN CERTIFICATE-----\nB", "-----BEGIN CERTIFICATE-----\nC\n"],
      },
    ],
    ["a file of certificates that is not there", { files: "//- home/.npmrc\ncafile=~/ca.pem\nca=null\n" }, {}],
    ["a time limit", { files: "//- home/.npmrc\nfetch-timeout=1234\n" }, { idleTimeoutMs: 1234 }],
    ["a time limit that is none", { env: { npm_config_fetch_timeout: "soon" } }, {}],
  ])("%s", async (_title, setup, expected) => {
    expect(await configured(setup, (config) => config.network)).toEqual({ idleTimeoutMs: 30_000, ...expected });
  });
});
