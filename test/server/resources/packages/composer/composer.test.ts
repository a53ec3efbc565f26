import { mkdir, rm, symlink, truncate } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { toErrorBody } from "../../../../../server/errors.ts";
import { composerEcosystem } from "../../../../../server/resources/packages/composer/composer.ts";
import { dependenciesNamedIn, dependenciesOf } from "../../../../../server/resources/packages/dependencies.ts";
import { npmWorkspace, type NpmWorkspace, type NpmWorkspaceOptions } from "../../../../support/npm-workspace.ts";

const commit = "0123456789abcdef0123456789abcdef01234567";
const manifest = JSON.stringify({
  require: { php: ">=8.1", "ext-json": "*", "monolog/monolog": "^3", "symfony/console": "^7" },
  "require-dev": { "acme/tools": "@dev", "phpunit/phpunit": "^11" },
});
const lock = JSON.stringify({
  packages: [
    { name: "monolog/monolog", version: "3.5.0" },
    { name: "symfony/console", version: "v7.0.1" },
  ],
  "packages-dev": [
    { name: "acme/tools", version: "dev-main", dist: { type: "path", url: "../tools" } },
    {
      name: "phpunit/phpunit",
      version: "11.0.0",
      source: { type: "git", url: "https://github.com/sebastianbergmann/phpunit.git", reference: commit },
    },
  ],
});
const installed = [
  {
    name: "monolog/monolog",
    version: "3.5.0",
    "install-path": "../monolog/monolog",
    autoload: { "psr-4": { "Monolog\\": "src/Monolog" } },
  },
  {
    name: "symfony/console",
    version: "v7.0.2",
    "install-path": "../symfony/console",
    autoload: { "psr-4": { "Symfony\\Component\\Console\\": "" } },
    replace: { "symfony/terminal": "self.version" },
  },
  {
    name: "twig/twig",
    version: "1.0.0",
    "install-path": "../twig/twig",
    autoload: { "psr-0": { Twig_: "lib/" }, classmap: ["src/"] },
  },
  { name: "acme/tools", version: "dev-main", "install-path": "../acme/tools" },
];
const vendor = `//- project/vendor/monolog/monolog/src/Monolog/Logger.php
<?php
//- project/vendor/symfony/console/Application.php
<?php
//- project/vendor/twig/twig/lib/Twig/Environment.php
<?php
//- project/vendor/twig/twig/src/Mapped.php
<?php
`;
const classMap = String.raw`//- project/vendor/composer/autoload_classmap.php
<?php
return array(
    'Legacy\\Mapped' => $vendorDir . '/twig/twig/src/Mapped.php',
);
`;
const project = `//- project/composer.json\n${manifest}\n//- project/composer.lock\n${lock}\n${vendor}${classMap}`;
const withList = (list: unknown, at = "project/vendor") =>
  `//- ${at}/composer/installed.json\n${JSON.stringify(list)}\n`;
const files = `${project}${withList({ packages: installed, dev: true })}`;

type Options = Omit<NpmWorkspaceOptions, "ecosystem"> & { prepare?: (workspace: NpmWorkspace) => Promise<void> };

/** The label and the files, or the error. */
async function outcome({ prepare, ...options }: Options, name: string, version?: string) {
  await using workspace = await npmWorkspace({ ...options, ecosystem: composerEcosystem });
  await prepare?.(workspace);
  const plain = (line: string) => line.replaceAll(workspace.folder.path, "<root>");
  try {
    await using snapshot = await workspace.open({ name: "it", package: name, version });
    return [snapshot.info.label, ...snapshot.files.map((file) => file.path)].map(plain);
  } catch (error) {
    const { tag, error: message, hint = "" } = toErrorBody(error);
    return [plain(`${tag}: ${message}`), hint];
  }
}

const monolog = ["monolog/monolog 3.5.0 (from composer.lock, installed in vendor)", "src/Monolog/Logger.php"];

test("what Composer has installed is read in place, from any folder of the project", async () => {
  expect(await outcome({ files }, "monolog/monolog")).toEqual(monolog);
  expect(await outcome({ files: `${files}//- project/app/x.php\n`, cwd: "project/app" }, "Monolog/Monolog")).toEqual(
    monolog,
  );
  expect((await outcome({ files }, "symfony/console"))[0]).toBe(
    "symfony/console v7.0.2 (installed in vendor; composer.lock has v7.0.1)",
  );
});

test("the list of Composer 1 has no folders", async () => {
  const old = installed.map((entry) => ({ ...entry, "install-path": undefined }));
  expect(await outcome({ files: `${project}${withList(old)}` }, "monolog/monolog")).toEqual(monolog);
});

test("in the folder that composer.json names, and where an installer put it in the project", async () => {
  const named = `//- project/composer.json\n{"config": {"vendor-dir": "lib/php"}}
//- project/web/modules/token/token.php\n<?php
${withList([{ name: "drupal/token", version: "1.2.0", "install-path": "../../../web/modules/token" }], "project/lib/php")}`;
  expect(await outcome({ files: named }, "drupal/token")).toEqual([
    "drupal/token 1.2.0 (installed in lib/php)",
    "token.php",
  ]);
});

test("a version is the installed one or none", async () => {
  expect((await outcome({ files }, "monolog/monolog", "v3.5.0"))[0]).toBe(monolog[0]);
  expect(await outcome({ files }, "monolog/monolog", "2.0.0")).toEqual([
    "PackageNotFound: monolog/monolog 2.0.0 is not installed; 3.5.0 is",
    "run: composer install; or add its repository as a resource",
  ]);
});

test("what is not installed is refused, with the commit of composer.lock", async () => {
  expect(await outcome({ files }, "phpunit/phpunit")).toEqual([
    "PackageNotFound: phpunit/phpunit 11.0.0 is not installed",
    `run: composer install; or add its repository: citewell add https://github.com/sebastianbergmann/phpunit --branch ${commit}`,
  ]);
  expect(await outcome({ files }, "nobody/nothing")).toEqual([
    "PackageNotFound: nobody/nothing is not installed, and no registry is asked for it",
    "install them (composer install)",
  ]);
});

test.each([
  ["Monolog\\Logger", "monolog/monolog 3.5.0 (from composer.lock, installed in vendor as Monolog\\Logger)"],
  ["\\Monolog\\Logger", "monolog/monolog 3.5.0 (from composer.lock, installed in vendor as \\Monolog\\Logger)"],
  ["Symfony\\Component\\Console\\run", "symfony/console v7.0.2"],
  ["Twig_Environment", "twig/twig 1.0.0"],
  ["Legacy\\Mapped", "twig/twig 1.0.0"],
  ["symfony/terminal", "symfony/console v7.0.2"],
])("%s is of an installed package", async (name, label) => {
  expect((await outcome({ files }, name))[0]).toContain(label);
});

test("a namespace of several packages means the one with the file", async () => {
  const among = (name: string) => ({ name, version: "1.0", autoload: { "psr-4": { "Shared\\": ["src"] } } });
  const two = `//- project/composer.json\n{}\n//- project/vendor/a/one/src/One.php\n\n//- project/vendor/a/two/src/Two.php\n\n${withList([among("a/one"), among("a/two")])}`;
  expect((await outcome({ files: two }, "Shared\\Two"))[0]).toContain("a/two 1.0");
  expect((await outcome({ files: two }, "Shared\\Three"))[0]).toContain("PackageNotFound");
});

test("a package that the lock file takes from a folder is read there", async () => {
  const local = `${files}//- tools/Tool.php\n\n//- tools/composer.lock\n\n//- tools/vendor/x/y/Z.php\n\n`;
  const prepare = async ({ folder }: NpmWorkspace) => {
    await mkdir(path.join(folder.path, "project/vendor/acme"), { recursive: true });
    await symlink("../../../tools", path.join(folder.path, "project/vendor/acme/tools"));
  };
  expect(await outcome({ files: local, prepare }, "acme/tools")).toEqual([
    "acme/tools dev-main (from composer.lock, installed in vendor)",
    "Tool.php",
    "composer.lock",
  ]);
});

test("what composer.json names is listed, and offered where a question names it", async () => {
  await using workspace = await npmWorkspace({ files, ecosystem: composerEcosystem });
  const found = await dependenciesOf(composerEcosystem, workspace.location);
  expect(found?.usable.map(({ name, version }) => [name, version])).toEqual([
    ["monolog/monolog", "3.5.0"],
    ["symfony/console", "v7.0.2"],
  ]);
  expect(found?.skipped.map(({ name, reason }) => [name, reason])).toEqual([
    ["acme/tools", "acme/tools dev-main is not installed"],
    ["phpunit/phpunit", "phpunit/phpunit 11.0.0 is not installed"],
  ]);
  const named = async (text: string) =>
    (await dependenciesNamedIn(text, composerEcosystem, workspace.location)).map(({ name }) => name);
  expect(await named("How does Monolog format records?")).toEqual(["monolog/monolog"]);
  for (const text of ["symfony/console", "Symfony Console", "symfony's console", "`console`"])
    expect(await named(`How does ${text} parse arguments?`)).toEqual(["symfony/console"]);
  expect(await named("What does the console print, and who has the monologue?")).toEqual([]);
});

test("a hosted project reads nothing of the computer", async () => {
  expect((await outcome({ files, isAnonymous: true }, "monolog/monolog"))[0]).toBe(
    "PackageNotFound: monolog/monolog is not installed, and no registry is asked for it",
  );
});

const only = (entry: object) =>
  `//- project/composer.json\n{}\n${vendor}//- outside/secret.txt\nsecret\n//- project/outside/secret.txt\nsecret\n${withList([entry])}`;

test.each<[string, object]>([
  ["an absolute path", { name: "monolog/monolog", version: "1", "install-path": "/etc" }],
  ["a path out of the project", { name: "monolog/monolog", version: "1", "install-path": "../../../outside" }],
  ["the project itself", { name: "monolog/monolog", version: "1", "install-path": "../.." }],
  ["a name with dots", { name: "../outside", version: "1" }],
  ["a name that leaves vendor", { name: "monolog/../../../outside", version: "1" }],
])("%s names no package", async (_, entry) => {
  for (const name of ["monolog/monolog", "../outside", "monolog/../../../outside"]) {
    expect((await outcome({ files: only(entry) }, name))[0]).toMatch(/^PackageNotFound: /);
  }
});

test("links out of vendor and out of a package are not followed", async () => {
  const link =
    (from: string) =>
    async ({ folder }: NpmWorkspace) => {
      await rm(path.join(folder.path, from), { recursive: true, force: true });
      await symlink(path.join(folder.path, "outside"), path.join(folder.path, from));
    };
  const own = only({ name: "monolog/monolog", version: "1" });
  const at = "project/vendor/monolog/monolog";
  expect((await outcome({ files: own, prepare: link(at) }, "monolog/monolog"))[0]).toMatch(/^PackageNotFound: /);
  expect(await outcome({ files: own, prepare: link(`${at}/out`) }, "monolog/monolog")).toEqual([
    "monolog/monolog 1 (installed in vendor)",
    "src/Monolog/Logger.php",
  ]);
});

test.each([
  ["no JSON", "{"],
  ["null", "null"],
  ["a text", '"packages"'],
  ["numbers", '{"packages": [1, null, [], {"name": 3}]}'],
  ["another shape", '{"packages": {"a": 1}}'],
])("a list of installed packages that is %s lists none", async (_, text) => {
  const broken = `${project}//- project/vendor/composer/installed.json\n${text}\n`;
  expect((await outcome({ files: broken }, "monolog/monolog"))[0]).toBe(
    "PackageNotFound: monolog/monolog 3.5.0 is not installed",
  );
});

test("a list that is larger than any real one lists none", async () => {
  const prepare = ({ folder }: NpmWorkspace) =>
    truncate(path.join(folder.path, "project/vendor/composer/installed.json"), 65 * 1024 * 1024);
  expect((await outcome({ files, prepare }, "monolog/monolog"))[0]).toBe(
    "PackageNotFound: monolog/monolog 3.5.0 is not installed",
  );
});

test("wrong types in an entry cost only what they are about", async () => {
  const odd = {
    name: "monolog/monolog",
    version: 3,
    "install-path": ["x"],
    source: "git",
    dist: null,
    replace: [],
    autoload: { "psr-4": { "Monolog\\": { a: 1 } }, "psr-0": 7 },
  };
  expect((await outcome({ files: only(odd) }, "monolog/monolog"))[1]).toBe("src/Monolog/Logger.php");
});
