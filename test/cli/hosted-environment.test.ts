import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createProgram } from "../../cli/program.ts";
import { peerDependencies } from "../../package.json";
import { runCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

const root = path.resolve(import.meta.dirname, "../..");
const textOf = (file: string) => readFileSync(path.join(root, file), "utf8");

/** Options of the service, without those that every command has. */
function serviceOptions(): { option: string; variable: string | undefined }[] {
  const { stdin, stdout, stderr, platform } = process;
  const place = { env: {}, cwd: "/", homeDirectory: "/", platform, program: { runtime: "", file: "" } };
  const { signal } = new AbortController();
  const program = createProgram({ stdin, stdout, stderr, signal, ...place }, () => {});
  const hosted = program.commands.find((command) => command.name() === "hosted");
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

  test.each(["deploy/Dockerfile", "deploy/compose.yaml", "deploy/citewell@.service"])("%s sets known ones", (file) => {
    const known = new Set([
      ...serviceOptions().map(({ variable }) => variable),
      "CITEWELL_HOME",
      "CITEWELL_SECRETS_KEY",
    ]);
    const set = [...textOf(file).matchAll(/CITEWELL_[A-Z_]+/g)].map(([name]) => name);
    expect(set.filter((name) => !known.has(name))).toEqual([]);
    expect(set).not.toEqual([]);
  });

  test("the image has the versions of pg and nodemailer that the service asks for", () => {
    const { pg, nodemailer } = peerDependencies;
    expect(textOf("deploy/Dockerfile")).toContain(` pg@${pg} nodemailer@${nodemailer} `);
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
