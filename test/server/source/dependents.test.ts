import { expect, test } from "vitest";
import { dependentSearches, dependentsIn } from "../../../server/source/dependents.ts";

test.each([
  [
    "Cargo.lock",
    '[[package]]\nname = "serde_json"\nversion = "1.0.1"\ndependencies = [\n "itoa",\n "ryu",\n]\n',
    "itoa",
    "serde_json",
  ],
  ["Cargo.lock", '[[package]]\nname = "app"\ndependencies = [\n "syn 1.0.109",\n]\n', "syn", "app"],
  [
    "uv.lock",
    '[[package]]\nname = "flask"\ndependencies = [\n    { name = "typing-extensions", marker = "x" },\n]',
    "typing_extensions",
    "flask",
  ],
  ["pylock.toml", '[[packages]]\nname = "flask"\ndependencies = [\n  {name = "werkzeug"},\n]', "Werkzeug", "flask"],
  [
    "poetry.lock",
    '[[package]]\nname = "flask"\nfiles = []\n\n[package.dependencies]\nWerkzeug = ">=3.1"\n',
    "werkzeug",
    "flask",
  ],
  ["pdm.lock", '[[package]]\nname = "flask"\ndependencies = [\n    "Werkzeug>=3.1.0",\n]', "werkzeug", "flask"],
  [
    "package-lock.json",
    '    "node_modules/@x/debug": {\n      "version": "4.3.1",\n      "dependencies": {\n        "ms": "2.1.2"\n      }\n',
    "ms",
    "@x/debug",
  ],
  ["pnpm-lock.yaml", "snapshots:\n\n  debug@4.3.1:\n    dependencies:\n      ms: 2.1.2\n", "ms", "debug@4.3.1"],
  ["yarn.lock", 'debug@^4.0.0:\n  version "4.3.1"\n  dependencies:\n    ms "2.1.2"\n', "ms", "debug"],
  [
    "composer.lock",
    '            "name": "monolog/monolog",\n            "require": {\n                "psr/log": "^3"\n',
    "psr/log",
    "monolog/monolog",
  ],
  [
    "packages.lock.json",
    '      "Serilog.Sinks.Console": {\n        "type": "Direct",\n        "resolved": "6.0.0",\n        "dependencies": {\n          "Serilog": "4.0.0"\n',
    "serilog",
    "Serilog.Sinks.Console",
  ],
  ["Gemfile.lock", "    sinatra (4.0.0)\n      rack (>= 3.0)\n", "rack", "sinatra"],
])("reads what depends on a package in %s", (path, text, name, owner) => {
  const lines = text.split("\n");
  const search = dependentSearches(name).find(({ glob }) => glob.includes(path.replace(".toml", "")));
  const matching = lines.findIndex((line) => new RegExp(search?.pattern ?? "^$", "i").test(line));
  expect(dependentsIn({ path: `a/${path}`, startLine: 11, lines }, name)).toEqual([{ owner, line: 11 + matching }]);
});

test.each([
  [
    "composer.lock",
    '            "name": "a/b",\n            "require-dev": {\n                "psr/log": "^3"\n',
    "psr/log",
  ],
  [
    "composer.lock",
    '            "name": "a/b",\n            "suggest": {\n                "psr/log": "to log"\n',
    "psr/log",
  ],
  ["package-lock.json", '    "node_modules/acorn": {\n      "bin": {\n        "acorn": "bin/acorn"\n', "acorn"],
  ["yarn.lock", '"acorn@npm:^8":\n  version: 8.0.0\n  bin:\n    acorn: bin/acorn\n', "acorn"],
  ["poetry.lock", '[[package]]\nname = "celery"\n\n[package.extras]\nredis = ["redis (>=4)"]\n', "redis"],
])("what %s lists otherwise is no dependency: %s", (path, text, name) => {
  expect(dependentsIn({ path, startLine: 1, lines: text.split("\n") }, name)).toEqual([]);
});

test("an entry that begins above the lines has no owner, and other files have no dependents", () => {
  const lines = [' "itoa",', "]", "", "[[package]]", 'name = "itoa"'];
  expect(dependentsIn({ path: "Cargo.lock", startLine: 5, lines }, "itoa")).toEqual([{ owner: undefined, line: 5 }]);
  expect(dependentsIn({ path: "Cargo.lock", startLine: 5, lines }, "ito")).toEqual([]);
  expect(dependentsIn({ path: "main.rs", startLine: 5, lines }, "itoa")).toEqual([]);
});
