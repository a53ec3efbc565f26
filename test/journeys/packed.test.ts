import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { version } from "../../package.json";
import type { Answer } from "../../server/protocol/ask.ts";
import { type Checkout, checkout } from "../support/checkout.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { runNpm } from "../support/run-npm.ts";

/** What `npm pack` makes of a checkout that was never built, and a user who has nothing but npm, and no network. */
let source: Checkout;
let user: Folder;
let tarball: string;

beforeAll(async () => {
  source = await checkout();
  user = await temporaryFolder("//- project/src/retry.ts\nexport const delayMs = 100;\n");
  await runNpm(["pack", "--pack-destination", user.path], { cwd: source.path, home: user.path });
  tarball = path.join(user.path, `citewell-${version}.tgz`);
});
afterAll(async () => {
  await source[Symbol.asyncDispose]();
  await user[Symbol.asyncDispose]();
});

const offline = { npm_config_offline: "true" };

function citedLine(stdout: string) {
  const answer: Answer = JSON.parse(stdout);
  return answer.citations[0];
}

test("npx runs it from a project, and it answers about that project", async () => {
  const cwd = path.join(user.path, "project");
  const question = ["ask", "-q", "What is delayMs?", "-r", ".", "--json"];
  const spec = path.relative(cwd, tarball);
  const stdout = await runNpm(["exec", "--yes", "--", spec, ...question], { cwd, home: user.path, env: offline });
  expect(citedLine(stdout)).toMatchObject({ path: "src/retry.ts", state: "verified" });
  expect(await readdir(cwd)).toEqual(["src"]);
});

test("npm installs it into an empty folder, without other packages and without the extension", async () => {
  await using empty = await temporaryFolder();
  const options = { cwd: empty.path, home: user.path, env: offline };
  await runNpm(["install", tarball], options);
  expect((await readdir(path.join(empty.path, "node_modules"))).filter((name) => !name.startsWith("."))).toEqual([
    "citewell",
  ]);
  const dist = path.join(empty.path, "node_modules/citewell/dist");
  expect((await readdir(dist)).sort()).toEqual(["THIRD-PARTY-NOTICES.txt", "chunks", "citewell.mjs"]);
  const project = path.join(user.path, "project");
  const question = ["ask", "-q", "What is delayMs?", "-r", project, "--json"];
  const stdout = await runNpm(["exec", "--no", "--", "citewell", ...question], options);
  expect(citedLine(stdout)).toMatchObject({ path: "src/retry.ts", state: "verified" });
});
