import { describe, expect, test } from "vitest";
import { complete } from "../../../../server/config/language/complete.ts";
import { createConfigSchema } from "../../../../server/config/language/schema.ts";
import { projectPlace, scriptedLookups } from "../../../support/lookups.ts";
import { marked } from "../../../support/marked.ts";

const schema = createConfigSchema();

async function completeAt(source: string) {
  const { text, offset } = marked(source);
  const items = await complete(text, offset, { schema, lookups: scriptedLookups(), place: projectPlace });
  return { text, items };
}

/** The labels that are offered at the `|`. */
async function check(source: string, expected: readonly string[]) {
  const { items } = await completeAt(source);
  expect(items.map(({ label }) => label)).toEqual(expected);
}

/** The text once the item of that label is taken. */
async function checkTaken(source: string, label: string, expected: string) {
  const { text, items } = await completeAt(source);
  const edit = items.find((item) => item.label === label)?.edit;
  expect(edit && text.slice(0, edit.start) + edit.text + text.slice(edit.end)).toBe(expected);
}

describe("keys", () => {
  test.each([
    [
      "that are there are left out",
      '{ "model": "a", "provider": "b", "refresh": "daily", "resources": [], | }',
      [
        "$schema",
        "maxSteps",
        "maxTokens",
        "maxCostUsd",
        "providerTimeoutMs",
        "dataDirectory",
        "allowHosts",
        "providerOptions",
      ],
    ],
    [
      "of a resource follow its kind, those it needs first",
      '{ "resources": [{ "type": "npm", | }] }',
      ["name", "package", "version", "specialNotes", "refresh"],
    ],
    [
      "of a resource of no kind yet begin with the kind",
      '{ "resources": [{ | }] }',
      [
        "type",
        "name",
        "url",
        "branch",
        "searchPath",
        "searchPaths",
        "specialNotes",
        "refresh",
        "path",
        "package",
        "version",
      ],
    ],
    ["of provider options are the providers", '{ "providerOptions": { | } }', ["openai", "builtin"]],
    ["of a provider's options", '{ "providerOptions": { "openai": { "|" } } }', ["baseURL", "name", "oauth"]],
    ["none in a comment", "{ // |\n }", []],
  ])("%s", (_, source, expected) => check(source, expected));

  test.each([
    [
      "a key brings the place for its value, and a comma where another follows",
      '{ "mod|"\n"provider": "a" }',
      "model",
      '{ "model": "$1",\n"provider": "a" }',
    ],
    ["a key before a value is only renamed", '{ "mod|": "a" }', "model", '{ "model": "a" }'],
    ["a number begins with the default", "{ | }", "maxSteps", '{ "maxSteps": ${1:40} }'],
    [
      "a branch begins with the default",
      '{ "resources": [{ "type": "git", | }] }',
      "branch",
      '{ "resources": [{ "type": "git", "branch": "${1:main}" }] }',
    ],
    ["$schema is no place to fill in", "{ | }", "$schema", '{ "\\$schema": "$1" }'],
  ])("%s", (_, source, label, expected) => checkTaken(source, label, expected));
});

describe("values", () => {
  test.each([
    [
      "kinds of resources",
      '{ "resources": [{ "type": "|" }] }',
      ["git", "local", "npm", "pypi", "cargo", "maven", "golang", "gem", "composer", "nuget"],
    ],
    ["when to refresh", '{ "refresh": | }', ["always", "daily", "manual"]],
    [
      "when to refresh a resource",
      '{ "resources": [{ "type": "git", "refresh": "|" }] }',
      ["always", "daily", "manual"],
    ],
    ["providers, the connected ones first", '{ "provider": "|" }', ["builtin", "openai"]],
    ["models of the chosen provider", '{ "provider": "openai", "model": "|" }', ["gpt-5", "gpt-5-mini"]],
    ["models of the default provider", '{ "model": "|" }', ["extractive"]],
    [
      "branches, the main one first, then tags, the last one first",
      '{ "resources": [{ "type": "git", "url": "https://git.example/o/r", "branch": "|" }] }',
      ["master", "dev", "v2", "v1"],
    ],
    ["no branches without a URL", '{ "resources": [{ "type": "git", "branch": "|" }] }', []],
    ["folders below that of the file", '{ "resources": [{ "type": "local", "path": "|" }] }', ["src", "docs"]],
    ["folders below what is written", '{ "dataDirectory": "./src/|" }', ["lib"]],
    ["hidden folders once the dot is there", '{ "dataDirectory": "./.|" }', [".git", "src", "docs"]],
    [
      "what a resource on disk holds",
      '{ "resources": [{ "type": "git", "name": "repo", "searchPaths": ["|"] }] }',
      ["docs", "a.ts"],
    ],
    [
      "what a folder of it holds",
      '{ "resources": [{ "type": "git", "name": "repo", "searchPath": "docs/|" }] }',
      ["guide"],
    ],
    ["packages of the workspace", '{ "resources": [{ "type": "npm", "package": "|" }] }', ["zod"]],
    [
      "versions of an installed package",
      '{ "resources": [{ "type": "npm", "package": "zod", "version": "|" }] }',
      ["4.1.0", "latest"],
    ],
    [
      "a name after the URL",
      '{ "resources": [{ "type": "git", "url": "https://git.example/o/r.git", "name": "|" }] }',
      ["r"],
    ],
    [
      "resources of each kind",
      '{ "resources": [|] }',
      ["git", "local", "npm", "pypi", "cargo", "maven", "golang", "gem", "composer", "nuget"],
    ],
    ["a whole file where there is none", "|", ["{ … }"]],
    ["nothing behind a value", '{ "provider": "a"| }', []],
  ])("%s", (_, source, expected) => check(source, expected));

  test.each([
    ["a value uses the existing quotes", '{ "provider": "op|" }', "openai", '{ "provider": "openai" }'],
    ["a value gets quotes where it has none", '{ "refresh": d|\n}', "daily", '{ "refresh": "daily"\n}'],
    [
      "a comma is set before the next key",
      '{ "refresh": |\n"model": "a" }',
      "daily",
      '{ "refresh": "daily",\n"model": "a" }',
    ],
    ["a folder leaves the cursor behind it", '{ "dataDirectory": "./s|" }', "src", '{ "dataDirectory": "./src$0" }'],
    [
      "a resource goes between others",
      '{ "resources": [{ "type": "npm" }, | { "type": "npm" }] }',
      "npm",
      '{ "resources": [{ "type": "npm" }, {\n\t"type": "npm",\n\t"name": "${2:name}",\n\t"package": "${1:package}"\n}, { "type": "npm" }] }',
    ],
  ])("%s", (_, source, label, expected) => checkTaken(source, label, expected));
});
