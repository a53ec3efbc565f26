import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { runHere } from "../support/cli-here.ts";
import { temporaryFolder } from "../support/folder.ts";

const project = `//- composer.json
{ "require": { "php": ">=8", "monolog/monolog": "^3" } }
//- composer.lock
{
    "packages": [
        {
            "name": "monolog/monolog",
            "version": "3.5.0",
            "require": {
                "psr/log": "^3.0"
            }
        },
        {
            "name": "psr/log",
            "version": "3.0.0"
        }
    ]
}
//- vendor/composer/installed.json
{ "packages": [
  { "name": "monolog/monolog", "version": "3.5.0", "autoload": { "psr-4": { "Monolog\\\\": "src/Monolog" } } }
] }
//- vendor/monolog/monolog/src/Monolog/Logger.php
<?php
namespace Monolog;

class Logger
{
}
//- .gitignore
vendor/
//- src/App.php
<?php
use Monolog\\Logger;

$logger = new Logger("app");
//- citewell.config.jsonc
{ "resources": [] }
`;

const configured = async (folder: { path: string }) =>
  JSON.parse(await readFile(path.join(folder.path, "citewell.config.jsonc"), "utf8")).resources;

test("what Composer has installed is added, and doctor says where it is", async () => {
  await using folder = await temporaryFolder(project);
  expect(await runHere(["deps", "--all"], { cwd: folder.path })).toMatchObject({ code: 0, stderr: "" });
  expect(await configured(folder)).toEqual([{ type: "composer", name: "monolog/monolog", package: "monolog/monolog" }]);
  const { stdout } = await runHere(["doctor"], { cwd: folder.path });
  expect(stdout).toMatch(/PHP packages: \S+vendor\n/);
});

test("the class of an import is of a package", async () => {
  await using folder = await temporaryFolder(project);
  const { stdout } = await runHere(["search", "--definition", "Logger", "-r", ".", "--json"], { cwd: folder.path });
  expect(stdout).toContain(
    "imported from `Monolog` of monolog/monolog 3.5.0 (from composer.lock, installed in vendor)",
  );
});

test("the lock file says which version of a package is used, and who asks for it", async () => {
  await using folder = await temporaryFolder(project);
  const ask = ["ask", "-q", "What version of psr/log do we use, and who asks for it?", "-r", "."];
  const { stdout } = await runHere(ask, { cwd: folder.path });
  expect(stdout).toContain("`composer.lock` has `psr/log` `3.0.0`");
  expect(stdout).toMatch(/this depends on it: `monolog\/monolog` \[composer\.lock:7\]/);
});

test.each([
  ["composer require --dev 'monolog/monolog:^3'", { type: "composer", package: "monolog/monolog" }],
  ["composer require monolog/monolog", { type: "composer", package: "monolog/monolog" }],
  ["pkg:composer/monolog/monolog@3.5.0", { type: "composer", package: "monolog/monolog", version: "3.5.0" }],
  ["https://packagist.org/packages/monolog/monolog", { type: "composer", package: "monolog/monolog" }],
])("add takes what people have at hand: %s", async (text, expected) => {
  await using folder = await temporaryFolder(project);
  await runHere(["add", text], { cwd: folder.path });
  expect(await configured(folder)).toEqual([{ name: "monolog/monolog", ...expected }]);
});

test("a name that is none is refused with an example", async () => {
  await using folder = await temporaryFolder(project);
  const { code, stderr } = await runHere(["add", "composer:monolog"], { cwd: folder.path });
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("monolog/monolog") });
});
