import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { text as readText } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { version } from "../../package.json";
import { type Checkout, checkout } from "../support/checkout.ts";
import { cliEnvironment } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

// Each run builds, packs and installs both packages.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

/** A checkout that is ready for a release: the names are held, and the changelog has the version. */
let ready: Checkout;
let places: Awaited<ReturnType<typeof startPlaces>>;

beforeAll(async () => {
  places = await startPlaces();
  ready = await checkout({
    async edit(folder) {
      await replace(path.join(folder, "package.json"), [
        [/"private": \w+/, '"private": false'],
        [/"access": "public"/, `"access": "public", "registry": "${places.url}/"`],
      ]);
      await replace(path.join(folder, "CHANGELOG.md"), [
        ["## [Unreleased]", `## [Unreleased]\n\n## [${version}] - 2026-01-02`],
      ]);
    },
  });
});
afterAll(async () => {
  await ready[Symbol.asyncDispose]();
  places.close();
});

async function release(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ["scripts/release.mjs", ...args], {
    cwd: ready.path,
    env: { PATH: process.env["PATH"], HOME: ready.path, npm_config_cache: path.join(ready.path, ".git/npm"), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    readText(child.stdout),
    readText(child.stderr),
    once(child, "close"),
  ]);
  return { code, stdout, stderr, failed: stdout.split("\n").filter((line) => line.includes("FAIL")) };
}

test("a dry run checks the checkout and both packages, and publishes nothing", async () => {
  const { code, stdout, failed } = await release(["--dry-run"]);
  expect({ code, failed }).toEqual({ code: 0, failed: [] });
  expect(stdout).toContain("ready; this was a dry run, so nothing was published");
  expect(stdout).toMatch(/ok {4}citewell-[\d.]+\.tgz has the files that are expected/);
  expect(stdout).toMatch(/ok {4}citewell-[\d.]+\.vsix has no path, host or secret of this machine/);
  expect(places.requests).toEqual([]);
  expect(ready.git("tag")).toBe("");
});

test("a released program reports a newer version, and how to get it", async () => {
  const known = JSON.stringify({ version: "999.0.0", checkedAt: Date.now() });
  await using user = await temporaryFolder(`//- .home/data/latest-version.json\n${known}\n`);
  const program = path.join(ready.path, "dist/citewell.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, [program, "status"], {
    cwd: user.path,
    env: cliEnvironment(user.path, { CI: "1" }),
  });
  expect(stdout).toContain(`${version}, latest 999.0.0`);
  expect(stdout).toMatch(/^A newer version is out: npm install --global citewell@latest$/m);
});

test("without a token it says which there are", async () => {
  const { code, stdout } = await release([]);
  expect(code).toBe(1);
  expect(stdout).toContain("error: set NPM_TOKEN, VSCE_PAT or OVSX_PAT to publish");
});

test("publishes where a token is given, tags the commit, and skips later what is published already", async () => {
  const env = { NPM_TOKEN: "our-token", OVSX_PAT: "other-token", OVSX_REGISTRY_URL: places.url };
  const first = await release([], env);
  expect({ code: first.code, failed: first.failed }).toEqual({ code: 0, failed: [] });
  expect(places.requests).toEqual([
    "PUT /citewell Bearer our-token",
    "POST /api/-/publish?token=other-token undefined",
  ]);
  expect(first.stdout).toContain("skip  the Marketplace: VSCE_PAT is not set");
  expect(first.stdout + first.stderr).not.toMatch(/our-token|other-token/);
  expect(ready.git("tag", "--points-at", "HEAD")).toBe(`v${version}\n`);
  const second = await release([], env);
  expect(second).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`${version} is already in the npm registry`),
  });
  expect(second.stdout).toContain(`${version} is already in Open VSX`);
});

test("names what is not ready", async () => {
  ready.git("tag", "--force", `v${version}`, ready.git("commit-tree", "HEAD^{tree}", "-m", "Other").trim());
  await replace(path.join(ready.path, "package.json"), [['"private": false', '"private": true']]);
  await replace(path.join(ready.path, "CHANGELOG.md"), [[/ - 2026-01-02/, ""]]);
  await writeFile(path.join(ready.path, "schema/citewell.notes.txt"), "notes");
  await replace(path.join(ready.path, "SUPPORT.md"), [[/$/, ready.path]]);
  const { code, failed } = await release(["--dry-run"]);
  expect(code).toBe(1);
  expect(failed).toEqual([
    expect.stringContaining("package.json is not private"),
    expect.stringContaining(`no heading "## [${version}] - YYYY-MM-DD"`),
    expect.stringContaining("git status lists 4 changed files"),
    expect.stringContaining(`the tag v${version} is free, or this commit's: it is at`),
    expect.stringContaining("not expected: schema/citewell.notes.txt"),
    expect.stringContaining("SUPPORT.md has the checkout's path"),
    expect.stringContaining("not expected: schema/citewell.notes.txt"),
    expect.stringContaining("SUPPORT.md has the checkout's path"),
  ]);
});

test("refuses an option that it does not know", async () => {
  expect(await release(["--publish"])).toMatchObject({ code: 2, stderr: expect.stringContaining("--publish") });
});

async function replace(file: string, edits: readonly (readonly [string | RegExp, string])[]): Promise<void> {
  const text = await readFile(file, "utf8");
  await writeFile(
    file,
    edits.reduce((edited, [from, to]) => edited.replace(from, to), text),
  );
}

/** An npm registry and an Open VSX that take each upload once, as the real ones do. */
async function startPlaces() {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      const isUpload = request.method === "PUT" || request.method === "POST";
      if (!isUpload) return response.writeHead(404).end("{}");
      const line = `${request.method} ${request.url} ${request.headers.authorization}`;
      const isKnown = requests.includes(line);
      if (!isKnown) requests.push(line);
      response.setHeader("content-type", "application/json");
      if (!isKnown) return response.writeHead(201).end("{}");
      const said = "You cannot publish over the previously published versions; it is already published.";
      return response.writeHead(403).end(JSON.stringify({ error: said }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, requests, close: () => server.close() };
}
