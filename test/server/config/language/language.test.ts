import { describe, expect, test } from "vitest";
import { type AppLookups } from "../../../../server/config/language/app-lookups.ts";
import { createConfigLanguage } from "../../../../server/config/language/language.ts";
import { CitewellError } from "../../../../server/errors.ts";
import { silentLog } from "../../../../server/lib/log.ts";
import { commit, listing } from "../../../support/lookups.ts";

const signal = new AbortController().signal;
const project = "/work/citewell.config.jsonc";

function open(given: Partial<AppLookups> = {}) {
  const refuse = async () => {
    throw new CitewellError("Internal", "nothing is known here");
  };
  return createConfigLanguage({
    app: {
      connectProvider: refuse,
      listBranches: refuse,
      listDependencies: refuse,
      listFiles: refuse,
      listModels: refuse,
      listProviders: refuse,
      listResources: refuse,
      ...given,
    },
    location: { cwd: "/work", env: {}, platform: "linux", homeDirectory: "/home/ann" },
    log: silentLog,
  });
}

const repository = '{ "resources": [{ "type": "git", "name": "repo", "url": "https://git.example/o/r" }] }';

/** The text after the only edit of a fix. */
function applied(text: string, edits: readonly { start: number; end: number; text: string }[] = []) {
  const [edit] = edits;
  return edit && text.slice(0, edit.start) + edit.text + text.slice(edit.end);
}

describe("failed look-ups", () => {
  test("do not affect findings from the text alone", async () => {
    const findings = await open().diagnose({ path: project, text: '{ "provider": "x", "modle": 1 }' }, { signal });
    expect(findings.map(({ code }) => code)).toEqual(["unknown-key"]);
    expect(await open().complete({ path: project, text: '{ "provider": "" }' }, 15, { signal })).toEqual([]);
  });
});

test("keys are offered within an object, also one that is not closed, and not behind it", async () => {
  const countAt = async (text: string, offset: number) =>
    (await open().complete({ path: project, text }, offset, { signal })).length;
  expect(await countAt('{ "maxSteps": 3, }', 17)).toBeGreaterThan(1);
  expect(await countAt('{ "maxSteps": 3, ', 17)).toBeGreaterThan(1);
  expect(await countAt('{ "maxSteps": 3 }', 17)).toBe(0);
  expect(await countAt('{ "maxSteps" }', 14)).toBe(0);
  expect(await countAt('{ "maxSteps": 3 }\n', 18)).toBe(0);
});

describe("a host's answer", () => {
  test("is requested once, and again after a failure", async () => {
    const asked: string[] = [];
    const language = open({
      async listBranches({ url }) {
        asked.push(url);
        if (asked.length === 1) throw new CitewellError("RepositoryFailed", "try again");
        return { main: "main", branches: ["main"], tags: [] };
      },
    });
    const text = repository.replace(" }] }", ', "branch": "" }] }');
    const labels = async () =>
      (await language.complete({ path: project, text }, text.indexOf('""') + 1, { signal })).map(({ label }) => label);
    expect([await labels(), await labels(), await labels()]).toEqual([[], ["main"], ["main"]]);
    expect(asked).toEqual(["https://git.example/o/r", "https://git.example/o/r"]);
  });
});

describe("fixes", () => {
  test("offer the existing branches for a resource whose branch is missing", async () => {
    const failure = 'https://git.example/o/r has no branch or tag "main"';
    const language = open({
      listResources: async () => ({ resources: [listing({ state: "failed", failure })] }),
      listBranches: async () => ({ main: "master", branches: ["dev", "master"], tags: [] }),
    });
    const fixes = await language.fixes({ path: project, text: repository }, { start: 40, end: 40 }, { signal });
    expect(fixes.map(({ title, isPreferred }) => [title, isPreferred])).toEqual([
      ['Read the branch "master"', true],
      ['Read the branch "dev"', false],
      ["Add the address of the schema", false],
    ]);
    expect(applied(repository, fixes[0]?.edits)).toBe(repository.replace(" }] }", ', "branch": "master" }] }'));
  });

  test.each([
    ["{}", '{\n  "$schema": "…"\n}'],
    ['{ "model": "a" }', '{ "$schema": "…", "model": "a" }'],
    ['{\n  // why\n  "model": "a"\n}', '{\n  "$schema": "…",\n  // why\n  "model": "a"\n}'],
    ["{\n}\n", '{\n  "$schema": "…"\n}\n'],
  ])("add the schema's address to %j", async (text, expected) => {
    const fixes = await open().fixes({ path: project, text }, { start: 0, end: 0 }, { signal });
    expect(applied(text, fixes.at(-1)?.edits)?.replace(/https:[^"]*/, "…")).toBe(expected);
  });
});

describe("a key", () => {
  const text = '{ "providerOptions": { "openai": { "apiKey": " k-1 ", "name": "o" } } }';
  const place = { provider: "openai", path: ["providerOptions", "openai", "apiKey"] };

  test("is stored for its provider and removed from the text", async () => {
    const stored: unknown[] = [];
    const language = open({
      async connectProvider(input) {
        stored.push(input);
        return { provider: input.provider, connected: true };
      },
    });
    expect(applied(text, await language.storeKey({ path: project, text }, place, { signal }))).toBe(
      '{ "providerOptions": { "openai": { "name": "o" } } }',
    );
    expect(stored).toEqual([{ provider: "openai", key: "k-1" }]);
  });

  test("stays in the text if it is not stored", async () => {
    await expect(open().storeKey({ path: project, text }, place, { signal })).rejects.toThrow("nothing is known here");
  });

  test("is not searched for elsewhere if it has disappeared", async () => {
    await expect(open().storeKey({ path: project, text: "{}" }, place, { signal })).rejects.toThrow(
      "the key is no longer at that place",
    );
  });
});

describe("lenses", () => {
  const language = open({
    listResources: async () => ({ resources: [listing({ fetchedAt: new Date().toISOString() })] }),
  });

  test("are above the resources in effect", async () => {
    const lenses = await language.lenses({ path: project, text: repository }, { signal });
    expect(lenses.map(({ title, askAbout, start }) => [title, askAbout, start])).toEqual([
      ["Ask about this resource", "repo", 16],
      [`ready · ${commit.slice(0, 7)} · just now`, undefined, 16],
    ]);
  });

  test("are neither in other files nor above unsaved resources", async () => {
    expect(await language.lenses({ path: "/work/below/citewell.config.jsonc", text: repository }, { signal })).toEqual(
      [],
    );
    const text = repository.replace('"repo"', '"new"');
    expect(await language.lenses({ path: project, text }, { signal })).toEqual([]);
  });
});

test("the outline lists keys and resources, and no value that may be a secret", () => {
  const symbols = open().outline('{ "model": "m", "apiKey": "k", "resources": [{ "type": "npm", "package": "zod" }] }');
  const shown = symbols.map(({ name, detail, children }) => [
    name,
    detail,
    children.map((child) => [child.name, child.detail]),
  ]);
  expect(shown).toEqual([
    ["model", "m", []],
    ["apiKey", undefined, []],
    ["resources", undefined, [["npm 1", "zod"]]],
  ]);
});

test("formatting keeps comments and line breaks", () => {
  const text = '{\n// why\n"resources":[{"type":"npm"},]}';
  const edits = open().format(text, { tabSize: 2, insertSpaces: true }).toReversed();
  const formatted = edits.reduce(
    (before, { start, end, text: added }) => before.slice(0, start) + added + before.slice(end),
    text,
  );
  expect(formatted).toBe('{\n  // why\n  "resources": [ { "type": "npm" }, ] }\n');
});
