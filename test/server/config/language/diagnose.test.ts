import { describe, expect, test } from "vitest";
import { diagnose } from "../../../../server/config/language/diagnose.ts";
import type { Lookups } from "../../../../server/config/language/lookups.ts";
import { parseConfig } from "../../../../server/config/parse.ts";
import { listing, projectPlace, scriptedLookups } from "../../../support/lookups.ts";

/** Each finding as `severity code "what is marked": message`. */
async function check(
  text: string,
  expected: readonly string[],
  { level = "project", lookups = {} }: { level?: "project" | "global"; lookups?: Partial<Lookups> } = {},
) {
  const found = await diagnose(text, { lookups: scriptedLookups(lookups), place: { ...projectPlace, level } });
  const shown = found.map(
    ({ severity, code, start, end, message }) => `${severity} ${code} ${text.slice(start, end)}: ${message}`,
  );
  expect(shown).toEqual(expected);
}

/** The text after the first fix of that title. */
async function checkFix(text: string, title: string, expected: string, lookups: Partial<Lookups> = {}) {
  const found = await diagnose(text, { lookups: scriptedLookups(lookups), place: projectPlace });
  const fixes = found.flatMap((finding) => finding.fixes);
  const [edit] = fixes.find((fix) => fix.title === title)?.edits ?? [];
  expect(edit ? text.slice(0, edit.start) + edit.text + text.slice(edit.end) : fixes.map((fix) => fix.title)).toBe(
    expected,
  );
}

const git = (fields: string) => `{ "resources": [{ "type": "git", "name": "repo", ${fields} }] }`;

describe("errors", () => {
  test.each([
    ['{ "model" "a" }', ["error syntax \"a\": a ':' was expected"]],
    ["", ["error syntax : a value was expected"]],
    ["[]", ["error syntax []: an object was expected: { … }"]],
    [
      '{ "maxSteps": 0, "refresh": "x" }',
      [
        "error invalid 0: maxSteps: 0: must be at least 1",
        'error invalid "x": refresh: "x": must be "always", "daily" or "manual"',
      ],
    ],
    ['{ "model": "gpt-5", "model": "b" }', ['error invalid "model": the key "model" is repeated']],
    [
      '{ "resources": [{ "type": "npm", "name": "a", "package": "a" }, { "type": "npm", "name": "a", "package": "b" }] }',
      ['error invalid "a": resources[1].name: "a": resources[0] has this name already'],
    ],
    [
      git('"url": "http://h/r"'),
      ['error invalid "http://h/r": resources[0].url: "http://h/r": a git URL must use https'],
    ],
  ])("%j", (text, expected) => check(text, expected));

  test("have the words of the command line", async () => {
    const text = '{\n  "maxSteps": "40"\n}';
    const [found] = await diagnose(text, { lookups: scriptedLookups(), place: projectPlace });
    const [warning] = parseConfig(text, "c.jsonc").warnings;
    expect(warning).toContain(`c.jsonc:2:15: ${found?.message}`);
  });
});

describe("warnings", () => {
  test.each([
    [
      "an unknown key",
      '{ "modle": "m", "maxSteps": 0 }',
      [
        "error invalid 0: maxSteps: 0: must be at least 1",
        'warning unknown-key "modle": unknown key "modle": did you mean "model"?',
      ],
    ],
    [
      "a key twice below the top",
      git('"url": "https://h/r", "branch": "a", "branch": "b"'),
      ['warning repeated-key "branch": the key "branch" is repeated'],
    ],
    [
      "a key of a provider",
      '{ "providerOptions": { "openai": { "apiKey": "abc" } } }',
      ['warning secret "abc": this looks like a key, which must not be in this file (citewell connect -p openai)'],
    ],
    [
      "a token anywhere",
      '{ "$schema": "ghp_abcdefghijklmnopqrstuvwxyz0123456789" }',
      [
        'warning secret "ghp_abcdefghijklmnopqrstuvwxyz0123456789": this looks like a key, which must not be in this file (citewell connect)',
      ],
    ],
    [
      "a page in place of a repository",
      git('"url": "https://github.com/o/r/tree/dev/docs"'),
      [
        'warning page-url "https://github.com/o/r/tree/dev/docs": this is a page of the repository https://github.com/o/r',
      ],
    ],
    ["no page: .git and a slash", git('"url": "https://github.com/o/r.git/"'), []],
    [
      "hosts in a project's file",
      '{ "allowHosts": ["h"] }',
      ['information ignored "allowHosts": "allowHosts" applies in the global file only'],
    ],
    [
      "a sign-in in a project's file",
      '{ "providerOptions": { "openai": { "oauth": { "clientId": "c" } } } }',
      ['information ignored "oauth": "providerOptions.openai.oauth" applies in the global file only'],
    ],
    [
      "a provider that there is not",
      '{ "provider": "opnai" }',
      ['warning unknown-provider "opnai": no provider "opnai": did you mean openai?'],
    ],
    [
      "a slip in a model",
      '{ "provider": "openai", "model": "gpt-5-mni" }',
      [
        'information unknown-model "gpt-5-mni": "gpt-5-mni" is not among the known models of openai: did you mean gpt-5-mini?',
      ],
    ],
    ["a model that may be new", '{ "provider": "openai", "model": "another-model" }', []],
    [
      "a folder that is not there",
      '{ "resources": [{ "type": "local", "name": "a", "path": "./gone" }] }',
      ['warning missing-folder "./gone": there is no folder /work/gone'],
    ],
    ["a folder that is there", '{ "resources": [{ "type": "local", "name": "a", "path": "./src" }] }', []],
  ])("%s", (_, text, expected) => check(text, expected));

  test("allowed hosts in the global file are no finding", () =>
    check('{ "allowHosts": ["h"] }', [], { level: "global" }));

  test("a stored key is not sent to an address from a project", () => {
    const { providers } = scriptedLookups();
    return check(
      '{ "providerOptions": { "openai": { "baseURL": "https://h/v1" } } }',
      [
        'information ignored "baseURL": the stored key of openai is not sent to an address from a project: the options of the global file apply',
      ],
      { lookups: { providers: async () => ({ ...(await providers()), connected: ["openai"] }) } },
    );
  });

  test("a resource that could not be fetched, while the file describes the same source", async () => {
    const failure = 'https://git.example/o/r has no branch or tag "main"';
    const lookups = { resources: async () => [listing({ state: "failed", failure })] };
    const message = `warning resource-failed "repo": ${failure}`;
    await check(git('"url": "https://git.example/o/r"'), [message], { lookups });
    await check(git('"url": "https://git.example/o/r", "branch": "dev"'), [], { lookups });
    await check(git('"url": "https://git.example/o/other"'), [], { lookups });
  });
});

describe("quick fixes", () => {
  test.each([
    ['{ "modle": "m" }', 'Rename to "model"', '{ "model": "m" }'],
    ['{ "modle": "m", "maxSteps": 1 }', "Remove the key", '{ "maxSteps": 1 }'],
    ['{ "model": "a", "model": "b" }', "Remove this one", '{ "model": "a" }'],
    [
      '{ "resources": [\n  { "type": "npm", "name": "a", "package": "a" },\n  { "type": "npm", "name": "a", "package": "b" }\n] }',
      "Remove this one",
      '{ "resources": [\n  { "type": "npm", "name": "a", "package": "a" }\n] }',
    ],
    [git('"url": "http://h/r"'), 'Replace by "https://h/r"', git('"url": "https://h/r"')],
    [
      git('"url": "git@github.com:o/r.git"'),
      'Replace by "https://github.com/o/r.git"',
      git('"url": "https://github.com/o/r.git"'),
    ],
    [
      git('"url": "https://github.com/o/r/tree/dev/docs"'),
      "Use the repository https://github.com/o/r",
      git('"url": "https://github.com/o/r", "branch": "dev", "searchPath": "docs"'),
    ],
    ['{ "provider": "opnai" }', 'Replace by "openai"', '{ "provider": "openai" }'],
  ])("%j: %s", (text, title, expected) => checkFix(text, title, expected));
});
