import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { listFiles, PackageManager } from "@vscode/vsce";
import { expect, test } from "vitest";
import { packagedExtension } from "../support/editor/packaged-extension.ts";

const root = path.resolve(import.meta.dirname, "../..");
const files = (await listFiles({ cwd: root, packageManager: PackageManager.None })).sort();
const sizeOf = (names: readonly string[]) =>
  names.map((name) => statSync(path.join(root, name)).size).reduce((sum, size) => sum + size, 0);
const kilobytes = 1024;

test("the package holds what runs and what is read, and nothing else", () => {
  const named = files.map((file) => file.replace(/^dist\/.*(?=\.\w+$)/, "dist/*"));
  expect([...new Set(named)]).toMatchInlineSnapshot(`
    [
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "SUPPORT.md",
      "dist/*.txt",
      "dist/*.cjs",
      "dist/*.mjs",
      "dist/*.js",
      "dist/*.svg",
      "dist/*.css",
      "l10n/bundle.l10n.json",
      "media/citewell.svg",
      "media/icon.png",
      "media/language/citewell-config.tmLanguage.json",
      "media/language/dark.svg",
      "media/language/language-configuration.json",
      "media/language/light.svg",
      "media/walkthrough/ask.svg",
      "media/walkthrough/citation.svg",
      "media/walkthrough/model.svg",
      "media/walkthrough/resources.svg",
      "media/walkthrough/verify.svg",
      "package.json",
      "package.nls.json",
      "schema/citewell.config.schema.json",
    ]
  `);
});

test("of the hosted service's pages, it holds what browsers load, and little of it", () => {
  const pages = files.filter((file) => file.startsWith("dist/chunks/pages/"));
  expect(pages.map((file) => path.basename(file))).toEqual([
    "ask.js",
    "icon.svg",
    "list.js",
    "resources.js",
    "style.css",
  ]);
  expect(sizeOf(pages)).toBeLessThan(28 * kilobytes);
});

test("no source map is in it", () => {
  expect(files.filter((file) => file.endsWith(".map"))).toEqual([]);
});

test("the licences of what is bundled go with it", () => {
  const notices = readFileSync(path.join(root, "dist/THIRD-PARTY-NOTICES.txt"), "utf8");
  expect(notices).toMatch(/^express \d[\d.]+ \(MIT\)$/m);
  expect(notices).toMatch(/^preact \d[\d.]+ \(MIT\)$/m);
  expect(notices).toMatch(/^vscode-languageclient \d[\d.]+ \(MIT\)$/m);
});

test("it stays small: package, activation, language client, chat, server", async () => {
  const bundles = files.filter((file) => file.startsWith("dist/"));
  const server = bundles.filter((file) => file.endsWith(".mjs"));
  expect(statSync(await packagedExtension()).size).toBeLessThan(2.35 * kilobytes * kilobytes);
  expect(sizeOf(["dist/extension.cjs"])).toBeLessThan(60 * kilobytes);
  expect(sizeOf(["dist/language-client.cjs"])).toBeLessThan(650 * kilobytes);
  expect(sizeOf(bundles.filter((file) => /^dist\/webview.*\.(js|css)$/.test(file)))).toBeLessThan(500 * kilobytes);
  expect(sizeOf(eagerChunks("dist/citewell.mjs"))).toBeLessThan(150 * kilobytes);
  expect(sizeOf(server)).toBeLessThan(5.85 * kilobytes * kilobytes);
});

/** An entry, and what it imports before it runs. */
function eagerChunks(entry: string, seen = new Set([entry])): string[] {
  const text = readFileSync(path.join(root, entry), "utf8");
  for (const [, specifier = ""] of text.matchAll(/\b(?:from|import)\s*"(\.[^"]+)"/g)) {
    const chunk = path.posix.join(path.posix.dirname(entry), specifier);
    if (seen.has(chunk)) continue;
    seen.add(chunk);
    eagerChunks(chunk, seen);
  }
  return [...seen];
}
