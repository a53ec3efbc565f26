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

describe("look-ups that fail", () => {
  test("take nothing from what the text tells by itself", async () => {
    const findings = await open().diagnose({ path: project, text: '{ "provider": "x", "modle": 1 }' }, { signal });
    expect(findings.map(({ code }) => code)).toEqual(["unknown-key"]);
    expect(await open().complete({ path: project, text: '{ "provider": "" }' }, 15, { signal })).toEqual([]);
  });
});

describe("what is asked of a host", () => {
  test("is asked once, and again after a failure", async () => {
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
  test("a resource whose branch is missing gets those that there are", async () => {
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
  ])("the schema's address goes into %j", async (text, expected) => {
    const fixes = await open().fixes({ path: project, text }, { start: 0, end: 0 }, { signal });
    expect(applied(text, fixes.at(-1)?.edits)?.replace(/https:[^"]*/, "…")).toBe(expected);
  });
});

describe("a key", () => {
  const text = '{ "providerOptions": { "openai": { "apiKey": " k-1 ", "name": "o" } } }';
  const place = { provider: "openai", path: ["providerOptions", "openai", "apiKey"] };

  test("goes to its provider and out of the text", async () => {
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

  test("that is not kept stays in the text", async () => {
    await expect(open().storeKey({ path: project, text }, place, { signal })).rejects.toThrow("nothing is known here");
  });

  test("that is gone meanwhile is not looked for elsewhere", async () => {
    await expect(open().storeKey({ path: project, text: "{}" }, place, { signal })).rejects.toThrow(
      "the key is no longer at that place",
    );
  });
});

describe("lenses", () => {
  const language = open({
    listResources: async () => ({ resources: [listing({ fetchedAt: new Date().toISOString() })] }),
  });

  test("stand above what is in force", async () => {
    const lenses = await language.lenses({ path: project, text: repository }, { signal });
    expect(lenses.map(({ title, askAbout, start }) => [title, askAbout, start])).toEqual([
      ["Ask about this resource", "repo", 16],
      [`ready · ${commit.slice(0, 7)} · just now`, undefined, 16],
    ]);
  });

  test("stand neither in another file nor above what is not saved yet", async () => {
    expect(await language.lenses({ path: "/work/below/citewell.config.jsonc", text: repository }, { signal })).toEqual(
      [],
    );
    const text = repository.replace('"repo"', '"new"');
    expect(await language.lenses({ path: project, text }, { signal })).toEqual([]);
  });
});

test("the outline names keys and resources, and shows no value that may be a secret", () => {
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

test("formatting keeps comments and the lines that a person has made", () => {
  const text = '{\n// why\n"resources":[{"type":"npm"},]}';
  const edits = open().format(text, { tabSize: 2, insertSpaces: true }).toReversed();
  const formatted = edits.reduce(
    (before, { start, end, text: added }) => before.slice(0, start) + added + before.slice(end),
    text,
  );
  expect(formatted).toBe('{\n  // why\n  "resources": [ { "type": "npm" }, ] }\n');
});
