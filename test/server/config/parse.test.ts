import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../server/config/parse.ts";
import { CitewellError } from "../../../server/errors.ts";

/** The message with which a text is refused. */
function check(text: string, expected: string) {
  expect(refusalOf(text)).toBe(expected);
}

function refusalOf(text: string): string {
  try {
    parseConfig(text, "c.jsonc");
  } catch (error) {
    if (error instanceof CitewellError && error.tag === "ConfigInvalid") return error.message;
    throw error;
  }
  return "accepted";
}

describe("a text that is not JSONC is refused with line and column", () => {
  test.each([
    ["", "c.jsonc:1:1: a value was expected"],
    ["// nothing\n", "c.jsonc:2:1: a value was expected"],
    ['{\n  "model": "a"\n  "provider": "b"\n}', "c.jsonc:3:3: a ',' was expected"],
    ['{\r\n  "model" "a"\r\n}', "c.jsonc:2:11: a ':' was expected"],
    ['{ model: "a" }', "c.jsonc:1:3: a value, or a key in double quotes, was expected"],
    ['{ "model": "a', 'c.jsonc:1:12: the string has no end (") on its line'],
    ['{ "resources": [', "c.jsonc:1:17: a ']' was expected"],
    ['{ "model": "a" ', "c.jsonc:1:16: a '}' was expected"],
    ["/* { }", "c.jsonc:1:1: the comment has no end (*/)"],
    ['{} "more"', "c.jsonc:1:4: nothing was expected after the object"],
    ["[]", "c.jsonc:1:1: an object was expected: { … }"],
    ['{\n  "model": "a",\n  "model": "b"\n}', 'c.jsonc:3:3: the key "model" is repeated'],
  ])("%j", check);

  test.each([1_000, 3_000, 4_000, 8_000, 400_000])("lists in lists, %i of them, are followed or refused", (depth) => {
    const refusal = refusalOf(`{ "x": ${"[".repeat(depth)}${"]".repeat(depth)} }`);
    expect(["accepted", "c.jsonc:1:1: lists and objects are nested too deeply"]).toContain(refusal);
  });
});

describe("an invalid value is ignored with key, value and rule", () => {
  test.each([
    ['{\n  "maxSteps": "40"\n}', 'c.jsonc:2:15: maxSteps: "40": must be a number'],
    ['{ "maxSteps": 0 }', "c.jsonc:1:15: maxSteps: 0: must be at least 1"],
    ['{ "maxSteps": 1.5 }', "c.jsonc:1:15: maxSteps: 1.5: must be a whole number"],
    ['{ "model": null }', "c.jsonc:1:12: model: null: must be a string"],
    ['{ "refresh": "weekly" }', 'c.jsonc:1:14: refresh: "weekly": must be "always", "daily" or "manual"'],
  ])("%j", (text, fault) => {
    const { value, warnings } = parseConfig(text.replace("}", ', "providerTimeoutMs": 9000 }'), "c.jsonc");
    expect(value).toEqual({ providerTimeoutMs: 9000 });
    expect(warnings).toEqual([`${fault} — it is ignored until it is corrected`]);
  });

  test("beside invalid resources", () => {
    const text = '{ "maxSteps": 0, "resources": [{ "type": "svn" }, { "type": "npm", "name": "a", "package": "a" }] }';
    const { value, warnings } = parseConfig(text, "c.jsonc");
    expect(value).toEqual({ resources: [{ type: "npm", name: "a", package: "a" }] });
    expect(warnings).toEqual([
      expect.stringContaining("maxSteps: 0: must be at least 1"),
      expect.stringContaining('resources[0].type: "svn"'),
    ]);
  });
});

describe("an invalid value that others depend on is refused with key, value and rule", () => {
  test.each([
    ['{ "resources": {} }', "c.jsonc:1:16: resources: an object: must be a list"],
    [
      '{ "providerOptions": { "openai": { "baseURL": "x" } } }',
      'c.jsonc:1:47: providerOptions.openai.baseURL: "x": must be an http or https URL',
    ],
  ])("%j", check);
});

describe("an invalid resource is ignored, with key, value, rule and what to do", () => {
  test.each([
    [
      '{ "type": "svn" }',
      '1:67: resources[1].type: "svn": must be "git", "local", "npm", "pypi", "cargo", "maven", "golang", "gem", "composer" or "nuget"',
      "correct it",
    ],
    ['"express"', '1:57: resources[1]: "express": must be an object', "correct it"],
    [
      '{ "type": "git", "name": "a", "url": "https://h/r", "branch": "-x" }',
      "1:119: resources[1].branch: \"-x\": a branch must not start with '-'",
      "correct it, or run: citewell remove a",
    ],
    [
      '{ "type": "npm", "name": "a b" }',
      "1:82: resources[1].name: \"a b\": a name starts with a letter or digit and holds letters, digits, '.', '_', '-' and single '/'; resources[1].package: missing: must be a string",
      'correct it, or run: citewell remove "a b"',
    ],
    [
      '{ "type": "npm", "name": "ok", "package": "b" }',
      '1:82: resources[1].name: "ok": resources[0] has this name already',
      "correct it",
    ],
    [
      '{ "type": "git", "name": "a", "url": "https://ann:hunter2@h/r" }',
      '1:94: resources[1].url: "https://…@h/r": a git URL must not contain credentials',
      "correct it, or run: citewell remove a",
    ],
  ])("%s", (bad, fault, advice) => {
    const good = ["ok", "too"].map((name) => `{"type":"npm","name":"${name}","package":"p"}`);
    const parsed = parseConfig(`{"resources":[${good[0]}, ${bad}, ${good[1]}]}`, "c.jsonc");
    expect(parsed.value.resources?.map(({ name }) => name)).toEqual(["ok", "too"]);
    expect(parsed.positions).toEqual([0, 2]);
    expect(parsed.warnings).toEqual([`c.jsonc:${fault} — this resource is ignored; ${advice}`]);
  });
});

describe("accepted files", () => {
  test("comments and trailing commas", () => {
    const text = '{\n  // why\n  "model": "m", /* x */\n  "resources": [\n  ],\n}\n';
    expect(parseConfig(text, "c.jsonc")).toMatchObject({ value: { model: "m", resources: [] }, warnings: [] });
  });

  test("a git resource without a branch has main", () => {
    const text = '{ "resources": [{ "type": "git", "name": "a", "url": "https://h/r" }] }';
    expect(parseConfig(text, "c.jsonc").value.resources).toMatchObject([{ branch: "main" }]);
  });

  test("unknown keys are kept with a warning, with their place and a similar key", () => {
    const text =
      '{\n  "modle": "m",\n  "resources": [\n    { "type": "npm", "name": "a", "package": "a", "colour": 1 }\n  ]\n}';
    const { value, warnings } = parseConfig(text, "c.jsonc");
    expect(value).toMatchObject({ modle: "m" });
    expect(warnings).toEqual([
      'c.jsonc:2:3: unknown key "modle": did you mean "model"?',
      'c.jsonc:4:51: unknown key "colour"',
    ]);
  });

  test("a provider may have unknown options", () => {
    const text = '{ "providerOptions": { "openai-compat": { "baseURL": "http://h:1", "name": "n", "seed": 1 } } }';
    expect(parseConfig(text, "c.jsonc").warnings).toEqual([]);
  });
});
