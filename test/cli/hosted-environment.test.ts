import { readFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { validate } from "dockerfile-utils";
import { describe, expect, test } from "vitest";
import { createProgram } from "../../cli/program.ts";
import { peerDependencies } from "../../package.json";
import { runCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { parse } from "yaml";
import * as z from "zod";

const root = path.resolve(import.meta.dirname, "../..");
const textOf = (file: string) => readFileSync(path.join(root, file), "utf8");

function citewell(): Command {
  const { stdin, stdout, stderr, platform } = process;
  const place = { env: {}, cwd: "/", homeDirectory: "/", platform, program: { runtime: "", file: "" } };
  const { signal } = new AbortController();
  return createProgram({ stdin, stdout, stderr, signal, ...place }, () => {});
}

/** Options of the service, without those that every command has. */
function serviceOptions(): { option: string; variable: string | undefined }[] {
  const hosted = citewell().commands.find((command) => command.name() === "hosted");
  return (hosted?.options ?? [])
    .filter(({ hidden, helpGroupHeading }) => !hidden && helpGroupHeading === undefined)
    .map(({ long, envVar }) => ({ option: long ?? "", variable: envVar }));
}

describe("the variables of the hosted service", () => {
  test("the table of docs/hosted.md has every option with its variable", () => {
    const rows = [...textOf("docs/hosted.md").matchAll(/^\| `(--[a-z-]+)` \| `(CITEWELL_[A-Z_]+)` \|/gm)];
    const documented = rows.map(([, option = "", variable]) => ({ option, variable }));
    const sorted = (list: { option: string }[]) => list.toSorted((a, b) => a.option.localeCompare(b.option));
    expect(sorted(documented)).toEqual(sorted(serviceOptions()));
  });

  test.each([
    "deploy/Dockerfile",
    "deploy/compose.yaml",
    "deploy/compose.tls.yaml",
    "deploy/citewell@.service",
    "docs/trial-to-team.md",
    "docs/upgrading.md",
  ])("%s sets known ones", (file) => {
    const known = new Set([
      ...serviceOptions().map(({ variable }) => variable),
      "CITEWELL_HOME",
      "CITEWELL_SECRETS_KEY",
    ]);
    const set = [...textOf(file).matchAll(/CITEWELL_[A-Z_]+/g)].map(([name]) => name);
    expect(set.filter((name) => !known.has(name))).toEqual([]);
    expect(set).not.toEqual([]);
  });

  test.each(["deploy/Dockerfile", "docs/trial-to-team.md", "docs/upgrading.md", "docs/hosted.md", "README.md"])(
    "%s installs the versions of packages that the service asks for",
    (file) => {
      const installed = textOf(file).matchAll(/ ((?:@electric-sql\/)?(?:pg|pglite|nodemailer))@([\d.]+\d)/g);
      const found = [...installed].map(([, name = "", version]) => [name, version]);
      expect(found).not.toEqual([]);
      expect(Object.entries(peerDependencies)).toEqual(expect.arrayContaining(found));
    },
  );

  test.each(["docs/trial-to-team.md", "docs/hosted.md", "deploy/Caddyfile", "deploy/nginx.conf"])(
    "%s has commands and options that exist",
    (file) => {
      const commands = [
        ...textOf(file)
          .replaceAll("\\\n", " ")
          .matchAll(/\bcitewell (hosted [^\n`#<|]*)/g),
      ];
      const unknown = commands.flatMap(([line, words = ""]) => {
        let command = citewell();
        for (const word of words.split(" "))
          command = command.commands.find((child) => child.name() === word) ?? command;
        const names = command.options.map(({ long }) => long);
        const used = [...words.matchAll(/(?<= )--[a-z][a-z-]*/g)].map(([name]) => name);
        return used.filter((name) => !names.includes(name)).map((name) => `${name} of ${line}`);
      });
      expect(commands).not.toEqual([]);
      expect(unknown).toEqual([]);
    },
  );

  test("the Dockerfile has nothing that a linter finds", () => {
    expect(validate(textOf("deploy/Dockerfile"))).toEqual([]);
    expect(validate("FROM node\nCOPY a\n")).not.toEqual([]);
  });

  test("compose.tls.yaml gives Caddy the address that the service trusts, and the variables of the Caddyfile", () => {
    const Overlay = z.object({
      services: z.object({
        web: z.object({ environment: z.object({ CITEWELL_HOSTED_TRUSTED_PROXY: z.string() }) }),
        proxy: z.object({
          environment: z.record(z.string(), z.string()),
          networks: z.object({ default: z.object({ ipv4_address: z.string() }) }),
        }),
      }),
    });
    const { web, proxy } = Overlay.parse(parse(textOf("deploy/compose.tls.yaml"))).services;
    expect(web.environment.CITEWELL_HOSTED_TRUSTED_PROXY).toBe(proxy.networks.default.ipv4_address);
    const used = [...textOf("deploy/Caddyfile").matchAll(/\{\$([A-Z]+):/g)].map(([, name]) => name);
    expect(new Set(used)).toEqual(new Set(Object.keys(proxy.environment)));
  });

  // Each was tried with the proxies themselves (docs/trial-to-team.md); the tests have none.
  test("the file for nginx passes on what the service reads, unbuffered, with its own address for a client's", () => {
    const directives = [...textOf("deploy/nginx.conf").matchAll(/^ *([a-z_]+) ([^{;]+);$/gm)].map(
      ([, name = "", value = ""]) => `${name} ${value}`,
    );
    expect(directives).toEqual(
      expect.arrayContaining([
        "proxy_set_header X-Forwarded-For $remote_addr",
        "proxy_set_header X-Forwarded-Proto $scheme",
        "proxy_set_header X-Forwarded-Host $host",
        "proxy_buffering off",
        "client_max_body_size 3m",
      ]),
    );
    const [, seconds] = /proxy_read_timeout (\d+)s/.exec(textOf("deploy/nginx.conf")) ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(60);
  });

  const githubApp = {
    CITEWELL_GITHUB_APP: "team",
    CITEWELL_GITHUB_CLIENT_ID: "Iv23",
    CITEWELL_GITHUB_KEY: "missing.pem",
    CITEWELL_GITHUB_CLIENT_SECRET: "secret",
  };
  const refusals: [env: Record<string, string>, args: string[], message: string][] = [
    [{ CITEWELL_HOSTED_PORT: "x" }, [], "value 'x' from env 'CITEWELL_HOSTED_PORT' is invalid"],
    [{ CITEWELL_HOSTED_ROLE: "web" }, [], "--role web needs PostgreSQL"],
    [{ CITEWELL_HOSTED_SHARED: "packs" }, [], "--shared needs PostgreSQL"],
    [{ CITEWELL_HOSTED_ROLE: "web" }, ["--role", "worker"], "--role worker needs PostgreSQL"],
    [{ CITEWELL_HOSTED_TRUSTED_PROXY: "10.0.0.0/8,proxy" }, [], "It must be an IP address or a network"],
    [
      { CITEWELL_HOSTED_REGISTRY: "pypi=https://a.example/,gem=https://b.example/" },
      [],
      "It must be a type (npm, pypi,",
    ],
    [{ CITEWELL_HOSTED_REGISTRY: "https://a.example/" }, [], "It must be a type"],
    [{ CITEWELL_HOSTED_REGISTRY: "go=file:///srv/modules" }, [], "It must be a type"],
    [{}, ["--registry", "pypi=https://ada:secret@a.example/"], "The address must have no user name and password"],
    [{ CITEWELL_MAIL_URL: "smtps://a:secret@host" }, [], "--mail-url needs --mail-from"],
    [{ CITEWELL_MAIL_FROM: "a@example.com" }, [], "--mail-from needs --mail-url"],
    [
      { CITEWELL_MAIL_URL: "https://a:b@host", CITEWELL_MAIL_FROM: "a@b.c" },
      [],
      "--mail-url is not an smtps:// or smtp://",
    ],
    [
      { CITEWELL_MAIL_URL: "smtps://host", CITEWELL_MAIL_FROM: "Citewell" },
      [],
      '--mail-from "Citewell" is not an e-mail',
    ],
    [{ CITEWELL_MAIL_URL: "smtps://host", CITEWELL_MAIL_FROM: "a@b.c" }, [], "--mail-url needs --public-url"],
    [{ CITEWELL_GITHUB_APP: "team" }, [], "--github-app needs --github-client-id"],
    [{ CITEWELL_GITHUB_CLIENT_SECRET: "x" }, [], "CITEWELL_GITHUB_CLIENT_SECRET needs --github-app"],
    [githubApp, [], "--github-app needs --public-url"],
    [githubApp, ["--public-url", "https://a.example"], "cannot be read as a private key"],
    [githubApp, ["--public-url", "https://a.example", "--github-api", "http://a"], "is not an https address"],
    [{ CITEWELL_DATABASE_URL: "postgres://localhost:1/none" }, [], "the database cannot be reached"],
    [{ CITEWELL_DATABASE_URL: "", CITEWELL_HOSTED_ROLE: "web" }, [], "--role web needs PostgreSQL"],
  ];
  test.each(refusals)("%j applies, after the command line: %j", async (env, args, message) => {
    await using folder = await temporaryFolder();
    const { code, stderr } = await runCli(["hosted", ...args], { cwd: folder.path, env });
    expect({ isFailure: code !== 0, stderr }).toEqual({ isFailure: true, stderr: expect.stringContaining(message) });
  });
});
