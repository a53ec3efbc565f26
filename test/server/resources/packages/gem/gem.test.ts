import { expect, test } from "vitest";
import { toErrorBody } from "../../../../../server/errors.ts";
import { dependenciesNamedIn, dependenciesOf } from "../../../../../server/resources/packages/dependencies.ts";
import { gemEcosystem } from "../../../../../server/resources/packages/gem/gem.ts";
import { npmWorkspace, type NpmWorkspaceOptions } from "../../../../support/npm-workspace.ts";

const lock = `//- project/Gemfile.lock
GIT
  remote: https://me:secret@git.example/o/forked.git
  revision: 0123456789abcdef0123456789abcdef01234567
  specs:
    forked (0.1.0)

PATH
  remote: engines/billing
  specs:
    billing (0.2.0)
      rack (>= 2)

GEM
  remote: https://rubygems.org/
  specs:
    rack (2.2.9)
      webrick (~> 1.8)
    nokogiri (1.16.0-x86_64-linux)
    webrick (1.8.1)

PLATFORMS
  x86_64-linux

DEPENDENCIES
  billing!
  forked!
  nokogiri
  rack (~> 2.2)

BUNDLED WITH
   2.5.0
`;
const gem = (folder: string, name: string, version: string) =>
  `//- ${folder}/gems/${name}-${version}/lib/${name}.rb\n# ${name} ${version}\n`;
const bundle = "project/vendor/bundle/ruby/3.3.0";

/** The label and the files, or the error. */
async function outcome(options: Omit<NpmWorkspaceOptions, "ecosystem">, name: string, version?: string) {
  await using workspace = await npmWorkspace({ ...options, ecosystem: gemEcosystem });
  const plain = (line: string) => line.replaceAll(workspace.folder.path, "<root>");
  try {
    await using snapshot = await workspace.open({ name: "it", package: name, version });
    return [snapshot.info.label, ...snapshot.files.map((file) => file.path)].map(plain);
  } catch (error) {
    return [plain(`${toErrorBody(error).tag}: ${toErrorBody(error).error}`)];
  }
}

const files = `${lock}${gem(bundle, "rack", "2.2.9")}${gem(bundle, "rack", "3.1.0")}${gem(bundle, "nokogiri", "1.16.0-x86_64-linux")}`;

test("the version of Gemfile.lock is read where Bundler installed it", async () => {
  const label = "rack 2.2.9 (from Gemfile.lock, installed in vendor/bundle)";
  expect(await outcome({ files }, "rack")).toEqual([label, "lib/rack.rb"]);
  expect(await outcome({ files: `${files}//- project/app/x.rb\n`, cwd: "project/app" }, "rack")).toEqual([
    label,
    "lib/rack.rb",
  ]);
  expect((await outcome({ files }, "nokogiri"))[0]).toBe(
    "nokogiri 1.16.0-x86_64-linux (from Gemfile.lock, installed in vendor/bundle)",
  );
});

test("a gem that is locked for several platforms is the installed one of its version", async () => {
  const locked = lock.replace(
    "    nokogiri (1.16.0-x86_64-linux)\n",
    ["aarch64-linux-musl", "arm64-darwin", "java"].map((on) => `    nokogiri (1.16.0-${on})\n`).join(""),
  );
  for (const installed of ["1.16.0-java", "1.16.0-x86_64-linux-gnu", "1.16.0"]) {
    const here = `${locked}${gem(bundle, "nokogiri", installed)}${gem(bundle, "nokogiri", "1.17.0-java")}`;
    expect((await outcome({ files: here }, "nokogiri"))[0]).toBe(
      `nokogiri ${installed} (from Gemfile.lock, installed in vendor/bundle)`,
    );
  }
  expect(await outcome({ files: locked }, "nokogiri")).toEqual(["PackageNotFound: nokogiri 1.16.0 is not installed"]);
});

test("a version that is asked for is another installed one", async () => {
  expect((await outcome({ files }, "rack", "3.1.0"))[0]).toBe("rack 3.1.0 (installed in vendor/bundle)");
  expect(await outcome({ files }, "rack", "9.9.9")).toEqual(["PackageNotFound: rack 9.9.9 is not installed"]);
});

test("in the folder that Bundler's settings name, and in the user's", async () => {
  const settings = '//- project/.bundle/config\n---\nBUNDLE_PATH: "gems here"\n';
  const named = `${lock}${settings}${gem("project/gems here/ruby/3.3.0", "rack", "2.2.9")}`;
  expect((await outcome({ files: named }, "rack"))[0]).toContain("installed in gems here");
  const env = (root: string) => ({ GEM_HOME: `${root}/home/.gem` });
  const own = `${gem("home/.gem", "rack", "2.9.0")}${gem("home/.gem", "rack", "2.10.0")}`;
  expect((await outcome({ files: own, env }, "rack"))[0]).toBe("rack 2.10.0 (installed in <root>/home/.gem/gems)");
});

test("a gem from a folder is read in place; one from a repository is not replaced", async () => {
  const local = `${lock}//- project/engines/billing/lib/billing.rb\n# here\n`;
  expect(await outcome({ files: local }, "billing")).toEqual(["billing 0.2.0 (read in place)", "lib/billing.rb"]);
  expect(await outcome({ files: lock }, "forked")).toEqual([
    "PackageNotFound: Gemfile.lock takes forked from https://git.example/o/forked.git, not from a registry",
  ]);
});

test("what the Gemfile names is listed, and offered where a question names it", async () => {
  await using workspace = await npmWorkspace({ files, ecosystem: gemEcosystem });
  const found = await dependenciesOf(gemEcosystem, workspace.location);
  expect(found?.usable.map(({ name, version }) => [name, version])).toEqual([
    ["nokogiri", "1.16.0-x86_64-linux"],
    ["rack", "2.2.9"],
  ]);
  expect(found?.skipped.map(({ name }) => name)).toEqual(["billing", "forked"]);
  const named = (text: string) => dependenciesNamedIn(text, gemEcosystem, workspace.location);
  expect(await named("How does rack parse cookies?")).toEqual([{ type: "gem", name: "rack", version: "2.2.9" }]);
  expect(await named("What is a racket?")).toEqual([]);
});

test("a hosted project reads nothing of the computer", async () => {
  const env = (root: string) => ({ GEM_HOME: `${root}/home/.gem` });
  const own = gem("home/.gem", "rack", "2.9.0");
  expect(await outcome({ files: `${files}${own}`, env, isAnonymous: true }, "rack")).toEqual([
    "PackageNotFound: rack is not installed",
  ]);
});
