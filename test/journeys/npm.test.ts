import path from "node:path";
import { expect, test } from "vitest";
import type { Answer } from "../../server/protocol/ask.ts";
import { runCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startNpmRegistry } from "../support/npm-registry.ts";

const files = `
//- index.js
/** Pads a text on its left. */
export function leftPad(text, width) {
  return text.padStart(width);
}
//- README.md
# pad-it
Pads texts.
`;

test("a package from the user's registry is asked without an install, at its latest version", async () => {
  await using registry = await startNpmRegistry();
  registry.publish({ name: "pad-it", version: "1.0.0", files });
  registry.publish({ name: "pad-it", version: "1.1.0", files });
  await using folder = await temporaryFolder(`//- .npmrc\nregistry=${registry.url}\n`);

  const { code, stdout } = await runCli(["ask", "-q", "What is leftPad?", "-r", "npm:pad-it", "--json"], {
    cwd: folder.path,
  });
  expect(code).toBe(0);
  const answer: Answer = JSON.parse(stdout);
  expect(answer.snapshots[0]?.label).toMatch(/^pad-it 1\.1\.0 \(latest/);
  expect(answer.citations[0]).toMatchObject({ resource: "npm:pad-it", path: "index.js", state: "verified" });
  expect(answer.citations[0]?.revision).toMatch(/^1\.1\.0/);
});

test("a package that is installed is read from disk, and the registry is not asked", async () => {
  await using registry = await startNpmRegistry();
  await using folder = await temporaryFolder(
    `//- .npmrc\nregistry=${registry.url}\n//- package.json\n{}\n//- node_modules/pad-it/package.json\n` +
      `{ "name": "pad-it", "version": "0.9.0" }\n//- node_modules/pad-it/index.js\nexport const leftPad = 1;\n`,
  );
  const { code, stdout } = await runCli(["ask", "-q", "What is leftPad?", "-r", "npm:pad-it", "--json"], {
    cwd: folder.path,
  });
  expect(code).toBe(0);
  const answer: Answer = JSON.parse(stdout);
  expect(answer.snapshots[0]?.label).toBe("pad-it 0.9.0 (installed in node_modules)");
  expect(registry.requests).toEqual([]);
});

test.each([
  { reference: "npm:nowhere", tag: "PackageNotFound" },
  { reference: "npm:pad-it@9.9.9", tag: "VersionNotFound" },
])("$reference is $tag, with a hint, and exit code 7", async ({ reference, tag }) => {
  await using registry = await startNpmRegistry();
  registry.publish({ name: "pad-it", version: "1.0.0", files });
  await using folder = await temporaryFolder(`//- .npmrc\nregistry=${registry.url}\n`);
  const { code, stdout } = await runCli(["ask", "-q", "What?", "-r", reference, "--json"], { cwd: folder.path });
  expect(code).toBe(7);
  expect(JSON.parse(stdout)).toMatchObject({ tag, hint: expect.any(String) });
});

test("a data directory that cannot be created is reported with its path", async () => {
  await using registry = await startNpmRegistry();
  registry.publish({ name: "pad-it", version: "1.0.0", files });
  await using folder = await temporaryFolder(`//- .npmrc\nregistry=${registry.url}\n//- file\n`);
  const env = { CITEWELL_HOME: path.join(folder.path, "file/home") };
  const ask = ["ask", "-q", "What is leftPad?", "-r", "npm:pad-it", "--json"];
  const { code, stdout } = await runCli(ask, { cwd: folder.path, env });
  expect(code).toBe(7);
  expect(JSON.parse(stdout)).toMatchObject({ tag: "StorageFailed", error: expect.stringContaining("file") });
});
