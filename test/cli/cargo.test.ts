import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { runHere } from "../support/cli-here.ts";
import { runCli } from "../support/cli.ts";
import { locked, packCrate, sha256, startCargoRegistry, unpackedCrate } from "../support/cargo-registry.ts";
import { replacingCratesIo } from "../support/cargo-workspace.ts";
import { temporaryFolder } from "../support/folder.ts";

const demo = {
  name: "demo-retry",
  version: "1.5.0",
  files: { "src/lib.rs": "pub fn retry_after(seconds: u64) -> u64 {\n    seconds * 2\n}\n" },
};
const parser = {
  name: "parser",
  version: "0.3.1",
  files: { "src/lib.rs": "pub fn parse_header(text: &str) -> usize {\n    text.len()\n}\n" },
};
const project = `//- Cargo.toml
[package]
name = "mine"
version = "0.1.0"
[dependencies]
demo-retry = "1"
parser = "0.3"
//- Cargo.lock
version = 4
${locked("mine", "0.1.0", { source: "", dependencies: ["demo-retry", "parser"] })}${locked("demo-retry", "1.5.0", { checksum: sha256(packCrate(demo)) })}${locked("parser", "0.3.1")}
//- citewell.config.jsonc
{ "resources": [] }
${unpackedCrate(parser, { home: "cargo" })}`;

test("the version that Cargo has unpacked is searched, and a citation of it is verified", async () => {
  await using folder = await temporaryFolder(project);
  const env = { CARGO_HOME: path.join(folder.path, "cargo") };
  const { stdout } = await runHere(["search", "parse header", "-r", "crate:parser", "--limit", "1"], {
    cwd: folder.path,
    env,
  });
  expect(stdout).toContain("cargo:parser:src/lib.rs:1-3");
  const citation = "`cargo:parser:src/lib.rs:1-2` has it.";
  const verified = await runCli(["verify", "-", "-r", "cargo:parser", "--json"], {
    cwd: folder.path,
    env,
    stdin: citation,
  });
  expect(JSON.parse(verified.stdout)).toMatchObject({ citations: [{ state: "verified" }] });
});

test("the locked version is fetched once, and answers without the registry", async () => {
  await using registry = await startCargoRegistry();
  registry.publish(demo);
  registry.publish({ name: "demo-retry", version: "2.0.0" });
  await using folder = await temporaryFolder(`${project}//- cargo/config.toml\n${replacingCratesIo(registry)}`);
  const env = { CARGO_HOME: path.join(folder.path, "cargo") };
  const search = () =>
    runHere(["search", "retry after", "-r", "pkg:cargo/demo_retry", "--limit", "1", "--json"], {
      cwd: folder.path,
      env,
    });
  expect(JSON.parse((await search()).stdout)).toMatchObject({
    results: [{ resource: "cargo:demo_retry", revision: expect.stringMatching(/^1\.5\.0\+/), path: "src/lib.rs" }],
  });
  await registry.stop();
  expect((await search()).stdout).toContain("src/lib.rs");
});

test("the dependencies of a project are added, each at the version that its name means", async () => {
  await using folder = await temporaryFolder(project);
  const env = { CARGO_HOME: path.join(folder.path, "cargo") };
  const { stdout } = await runHere(["deps", "--all"], { cwd: folder.path, env });
  expect(stdout).toMatch(/^added demo-retry 1\.5\.0\nadded parser 0\.3\.1\n/);
  const { resources } = JSON.parse(await readFile(path.join(folder.path, "citewell.config.jsonc"), "utf8"));
  expect(resources).toEqual([
    { type: "cargo", name: "demo-retry", package: "demo-retry" },
    { type: "cargo", name: "parser", package: "parser" },
  ]);
});

test("without the sources of the standard library, it says how to get them", async () => {
  await using folder = await temporaryFolder(
    '//- rustup/settings.toml\ndefault_toolchain = "stable"\n//- rustup/toolchains/stable-x/bin/rustc\n',
  );
  const env = { RUSTUP_HOME: path.join(folder.path, "rustup"), PATH: "" };
  const { stderr } = await runHere(["search", "grow", "-r", "rust:std"], { cwd: folder.path, env });
  expect(stderr).toContain("run: rustup component add rust-src --toolchain stable-x");
});

test.each([
  ["cargo add serde --features derive", { package: "serde" }],
  ["cargo add tokio@1.40.0", { package: "tokio", version: "1.40.0" }],
  ["cargo install ripgrep --version 14.1.0", { package: "ripgrep", version: "14.1.0" }],
  ["https://crates.io/crates/serde/1.0.219", { package: "serde", version: "1.0.219" }],
  ["https://docs.rs/tokio/latest/tokio/sync/index.html", { package: "tokio" }],
  ["https://docs.rs/crate/clap/4.5.0/source/", { package: "clap", version: "4.5.0" }],
  ["https://lib.rs/crates/regex", { package: "regex" }],
  ["https://doc.rust-lang.org/std/collections/struct.HashMap.html", { package: "std" }],
  ["pkg:cargo/rand@0.8.5", { package: "rand", version: "0.8.5" }],
  ["rust:anyhow", { package: "anyhow" }],
])("add takes what people have at hand: %s", async (text, expected) => {
  await using folder = await temporaryFolder('//- citewell.config.jsonc\n{ "resources": [] }\n');
  await runHere(["add", text], { cwd: folder.path });
  const { resources } = JSON.parse(await readFile(path.join(folder.path, "citewell.config.jsonc"), "utf8"));
  expect(resources).toEqual([{ type: "cargo", name: expected.package, ...expected }]);
});
