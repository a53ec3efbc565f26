import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { editorHint } from "../../extension/editor-hint.ts";

test.each([
  [
    "run: citewell connect -p openrouter, or set OPENROUTER_API_KEY",
    "run: “Citewell: Connect Provider…”, or set OPENROUTER_API_KEY",
  ],
  [
    "sign in again: citewell connect -p openai (or opencode auth login, where you signed in with it)",
    "sign in again: “Citewell: Connect Provider…” (or opencode auth login, where you signed in with it)",
  ],
  [
    "name one with the question (a repository URL, npm:<package> or a path), or run: citewell add",
    "name one with the question (a repository URL, npm:<package> or a path), or run: “Citewell: Add Resource…”",
  ],
  [
    "add it as a named resource: citewell add https://host.test/a.git --branch NAME, where NAME is one of a, b",
    "add it as a named resource: “Citewell: Add Resource…”, where NAME is one of a, b",
  ],
  [
    "run: citewell resources — or name a package as npm:a, a folder as ./a",
    "look into the view Resources — or name a package as npm:a, a folder as ./a",
  ],
  [
    "free some space (citewell clear), or set dataDirectory to another folder",
    "free some space (“Citewell: Delete Downloaded Copies of Resources”), or set dataDirectory to another folder",
  ],
  [
    "connect again: citewell connect -p openrouter; to ask without a model: citewell ask --provider builtin",
    "connect again: “Citewell: Connect Provider…”; to ask without a model, choose the built-in provider by “Citewell: Choose Model…”",
  ],
  ["ask again, or raise providerTimeoutMs in citewell.config.jsonc", undefined],
])("%s", (hint, expected) => expect(editorHint(hint)).toBe(expected ?? hint));

const root = path.resolve(import.meta.dirname, "../..");
const commands = readdirSync(path.join(root, "cli/commands")).map((file) => path.basename(file, ".ts"));
const naming = new RegExp(`["\`].*\\bcitewell (?:${commands.join("|")})\\b.*["\`]`);
/** The hints that name a command in the modules that an editor's question reaches. */
const written = ["operations", "config/config.ts", "providers", "resources", "threads"]
  .flatMap((module) => sourcesIn(path.join(root, "server", module)))
  .flatMap((file) => readFileSync(file, "utf8").split("\n"))
  .flatMap((line) => naming.exec(line)?.[0] ?? []);

test("no hint of the server's names a command of the terminal here", () => {
  expect(written.length).toBeGreaterThan(10);
  expect(written.map(editorHint).filter((hint) => naming.test(hint))).toEqual([]);
});

function sourcesIn(place: string): string[] {
  if (place.endsWith(".ts")) return [place];
  const files = readdirSync(place, { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(".ts")).map((file) => path.join(place, file));
}
