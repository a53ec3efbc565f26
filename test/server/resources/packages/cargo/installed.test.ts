import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../../server/errors.ts";
import { cargoEcosystem } from "../../../../../server/resources/packages/cargo/cargo.ts";
import { dependenciesNamedIn, dependenciesOf } from "../../../../../server/resources/packages/dependencies.ts";
import type { PackageLocation } from "../../../../../server/resources/packages/package-location.ts";
import { crateFiles, filesIn, locked, packCrate, sha256, unpackedCrate } from "../../../../support/cargo-registry.ts";
import { cargoWorkspace, outcome } from "../../../../support/cargo-workspace.ts";
import type { NpmWorkspace } from "../../../../support/npm-workspace.ts";

const manifest = (name: string, tables: string) => `[package]\nname = "${name}"\nversion = "0.1.0"\n${tables}\n`;
const local = (name: string, dependencies: readonly string[] = []) =>
  locked(name, "0.1.0", { source: "", dependencies });
const checksum = sha256(packCrate({ name: "demo", version: "1.2.0" }));
const source = { "src/lib.rs": "// in place\n" };

const choose = (location: PackageLocation) => cargoEcosystem.choose({ package: "demo" }, location);

/** The label and the files, or the error's tag. */
async function opened(workspace: NpmWorkspace, name: string): Promise<string[]> {
  try {
    await using snapshot = await workspace.open({ name: "it", package: name });
    return [snapshot.info.label, ...snapshot.files.map((file) => file.path)];
  } catch (error) {
    return [toErrorBody(error).tag];
  }
}

/** A project with one locked dependency, and files. */
function project(files: string, entry = locked("demo", "1.2.0", { checksum })): string {
  return `//- project/Cargo.toml\n${manifest("mine", '[dependencies]\ndemo = "1"')}//- project/Cargo.lock\nversion = 4\n${local("mine", ["demo"])}${entry}${files}`;
}

describe("a locked version is read where Cargo has it", () => {
  const demo = { name: "demo", version: "1.2.0" };
  const vendoring =
    '//- project/.cargo/config.toml\n[source.crates-io]\nreplace-with = "v"\n[source.v]\ndirectory = "third party"\n';
  const vendored = (folder: string, version = "1.2.0") =>
    filesIn(`project/third party/${folder}`, {
      ...crateFiles({ name: "demo", version }),
      ".cargo-checksum.json": JSON.stringify({ files: {}, package: checksum }),
    });

  test.each([
    ["unpacked", unpackedCrate(demo), "demo 1.2.0 (from Cargo.lock, unpacked by Cargo)"],
    [
      "unpacked by an older Cargo",
      unpackedCrate(demo, { index: "github.com-1ecc6299db9ec823" }),
      "demo 1.2.0 (from Cargo.lock, unpacked by Cargo)",
    ],
    ["vendored", `${vendoring}${vendored("demo")}`, "demo 1.2.0 (from Cargo.lock, vendored in third party)"],
    [
      "vendored at two versions",
      `${vendoring}${vendored("demo", "2.0.0")}${vendored("demo-1.2.0")}`,
      "demo 1.2.0 (from Cargo.lock, vendored in third party)",
    ],
  ])("%s", async (_, files, label) => {
    expect(await outcome({ files: project(files) })).toEqual([label, "Cargo.toml", "src/lib.rs"]);
  });

  test("in the home that CARGO_HOME names", async () => {
    const files = project(unpackedCrate(demo, { home: "other" }));
    const [label] = await outcome({ files, env: (root) => ({ CARGO_HOME: `${root}/other` }) });
    expect(label).toBe("demo 1.2.0 (from Cargo.lock, unpacked by Cargo)");
  });

  test("not where an unpacking is incomplete", async () => {
    const files = project(unpackedCrate(demo).replace(/\/\/- [^\n]*\.cargo-ok\n[^\n]*\n/, ""));
    await using workspace = await cargoWorkspace({ files });
    await mkdir(path.join(workspace.location.homeDirectory, ".cargo"), { recursive: true });
    const choice = await choose(workspace.location);
    expect(choice).toMatchObject({ type: "published", wanted: { name: "demo", version: "1.2.0" }, isLocked: true });
  });

  test.each([
    [
      "with the checksum of Cargo.lock",
      packCrate(demo),
      ["demo 1.2.0 (from Cargo.lock, archive in Cargo's cache)", "Cargo.toml", "src/lib.rs"],
    ],
    [
      "with another one, which is refused",
      packCrate({ ...demo, files: { "src/lib.rs": "evil" } }),
      ["IntegrityMismatch"],
    ],
    ["that is none, which is refused", Buffer.from("no tarball"), ["IntegrityMismatch"]],
  ])("as an archive %s", async (_, bytes, expected) => {
    await using workspace = await cargoWorkspace({ files: project("") });
    const cache = path.join(workspace.location.homeDirectory, ".cargo/registry/cache/index.crates.io-1949cf8c6b5b557f");
    await mkdir(cache, { recursive: true });
    await writeFile(path.join(cache, "demo-1.2.0.crate"), bytes);
    expect(await opened(workspace, "demo")).toEqual(expected);
    if (expected.length === 1) expect(await workspace.kept()).toEqual([]);
  });

  test("as an archive in a folder that replaces the registry", async () => {
    const config =
      '//- home/.cargo/config.toml\n[source.crates-io]\nreplace-with = "l"\n[source.l]\nlocal-registry = "archives"\n';
    await using workspace = await cargoWorkspace({ files: project(config) });
    const folder = path.join(workspace.location.homeDirectory, "archives");
    await mkdir(folder);
    await writeFile(path.join(folder, "demo-1.2.0.crate"), packCrate(demo));
    expect((await opened(workspace, "demo"))[0]).toBe("demo 1.2.0 (from Cargo.lock, archive in Cargo's cache)");
  });

  test("a vendored folder without the crate is named, and no registry replaces it", async () => {
    const [message] = await outcome({ files: project(vendoring) });
    expect(message).toBe(
      "RegistryFailed: demo is not in <root>/project/third party, which Cargo's configuration uses instead of a registry",
    );
  });
});

describe("a git dependency", () => {
  const commit = "0123456789abcdef0123456789abcdef01234567";
  const entry = locked("demo", "1.2.0", { source: `git+https://host.example/o/many.git?branch=main#${commit}` });
  const checkout = "home/.cargo/git/checkouts/many-0123456789abcdef/0123456";

  test("is read in Cargo's checkout of its commit, in the folder of the crate", async () => {
    const files = filesIn(checkout, {
      "Cargo.toml": '[workspace]\nmembers = ["crates/*"]',
      "crates/other/Cargo.toml": manifest("other", ""),
      "crates/demo/Cargo.toml": manifest("demo", ""),
      "crates/demo/src/lib.rs": "// in place",
    });
    expect(await outcome({ files: project(files, entry) })).toEqual([
      "demo 1.2.0 (from Cargo.lock, commit 0123456 of https://host.example/o/many.git)",
      "Cargo.toml",
      "src/lib.rs",
    ]);
  });

  test("that is not checked out is never replaced by the registry's crate", async () => {
    const files = filesIn(checkout.replace(/0123456$/, "fffffff"), { "Cargo.toml": manifest("demo", "") });
    expect(await outcome({ files: project(files, entry) })).toEqual([
      "PackageNotFound: Cargo.lock takes demo from https://host.example/o/many.git, not from a registry",
    ]);
  });

  test("without a lockfile is named without its credentials", async () => {
    const files = `//- project/Cargo.toml\n[dependencies]\ndemo = { git = "https://me:secret@host.example/o/many.git" }\n`;
    expect(await outcome({ files })).toEqual([
      "PackageNotFound: Cargo.toml takes demo from https://host.example/o/many.git, not from a registry",
    ]);
  });
});

describe("a folder is read in place", () => {
  const lib = filesIn("lib", { "Cargo.toml": manifest("demo-lib", ""), ...source, "target/debug/x": "built" });

  test.each([
    ["of a path dependency", 'demo-lib = { path = "../lib" }', "demo_lib", "demo-lib 0.1.0 (read in place, ../lib)"],
    [
      "by the name of the code",
      'd = { package = "demo-lib", path = "../lib" }',
      "d",
      "demo-lib 0.1.0 (read in place, ../lib as d)",
    ],
    [
      "of a patch",
      'demo-lib = "1"\n[patch.crates-io]\ndemo-lib = { path = "../lib" }',
      "demo-lib",
      "demo-lib 0.1.0 (read in place, ../lib)",
    ],
  ])("%s", async (_, table, name, label) => {
    const files = `//- project/Cargo.toml\n${manifest("mine", `[dependencies]\n${table}`)}//- project/Cargo.lock\nversion = 4\n${local("demo-lib")}${local("mine", ["demo-lib"])}${lib}`;
    expect(await outcome({ files }, name)).toEqual([label, "Cargo.toml", "src/lib.rs"]);
  });

  test("without a lockfile, too", async () => {
    const files = `//- project/Cargo.toml\n${manifest("mine", '[dependencies]\ndemo-lib = { path = "../lib" }')}${lib}`;
    expect((await outcome({ files }, "demo-lib"))[0]).toBe("demo-lib 0.1.0 (read in place, ../lib)");
  });

  test("a folder that is not there is named", async () => {
    const files = `//- project/Cargo.toml\n${manifest("mine", '[dependencies]\nlost = { path = "../lost" }')}`;
    expect(await outcome({ files }, "lost")).toEqual([
      "PackageNotFound: Cargo.toml takes lost from <root>/lost, not from a registry",
    ]);
  });
});

describe("a workspace", () => {
  const crates = [
    filesIn("project/crates/a", {
      "Cargo.toml": manifest(
        "a",
        '[dependencies]\ndemo = "1"\nb = { path = "../b" }\nold = { package = "demo", version = "0.9" }',
      ),
      ...source,
    }),
    filesIn("project/crates/b", {
      "Cargo.toml": manifest(
        "b",
        "[dependencies]\ndemo.workspace = true\n[target.'cfg(unix)'.dependencies]\nother = \"1\"",
      ),
      ...source,
    }),
    filesIn("project/crates/skipped", { "Cargo.toml": manifest("skipped", '[dependencies]\ndemo = "3"'), ...source }),
  ].join("");
  const versions = ["0.9.1", "1.2.0", "2.0.1"];
  const files = `//- project/Cargo.toml
[workspace]
members = ["crates/*"]
exclude = ["crates/skipped"]
[workspace.dependencies]
demo = "2"
//- project/Cargo.lock
version = 4
${local("a", ["b", "demo 0.9.1", "demo 1.2.0"])}${local("b", ["demo 2.0.1", "other"])}
${versions.map((version) => locked("demo", version)).join("")}${locked("other", "1.0.0", { dependencies: ["deep"] })}${locked("deep", "0.1.0")}
${crates}${versions.map((version) => unpackedCrate({ name: "demo", version })).join("")}${unpackedCrate({ name: "deep", version: "0.1.0" })}`;

  test.each([
    ["project/crates/a", "demo", "demo 1.2.0 (from Cargo.lock, unpacked by Cargo; other versions: 2.0.1, 0.9.1)"],
    [
      "project/crates/a/src",
      "old",
      "demo 0.9.1 (from Cargo.lock as old, unpacked by Cargo; other versions: 2.0.1, 1.2.0)",
    ],
    ["project/crates/b", "demo", "demo 2.0.1 (from Cargo.lock, unpacked by Cargo; other versions: 1.2.0, 0.9.1)"],
    ["project/crates/b", "old", "demo 0.9.1 (from Cargo.lock as old, unpacked by Cargo; other versions: 2.0.1, 1.2.0)"],
    ["project", "demo", "demo 2.0.1 (from Cargo.lock, unpacked by Cargo; other versions: 1.2.0, 0.9.1)"],
    ["project", "deep", "deep 0.1.0 (from Cargo.lock, unpacked by Cargo)"],
    ["project", "b", "b 0.1.0 (read in place, crates/b)"],
    ["project/crates/a", "b", "b 0.1.0 (read in place, ../b)"],
  ])("in %s, %s is %s", async (cwd, name, label) => {
    expect((await outcome({ files, cwd }, name))[0]).toBe(label);
  });

  test.each(["crates/**", "./crates/[ab]", "{crates,other}/*"])("its members may be %s", async (pattern) => {
    const nested = files
      .replace('["crates/*"]', JSON.stringify([pattern]))
      .replaceAll("project/crates/b/", pattern.endsWith("**") ? "project/crates/deep/b/" : "project/crates/b/");
    await using workspace = await cargoWorkspace({ files: nested, cwd: "project" });
    const found = await dependenciesOf(cargoEcosystem, workspace.location);
    expect(found?.usable.map(({ name, version }) => `${name} ${version}`)).toContain("other 1.0.0");
  });

  test("an excluded folder is none of its crates", async () => {
    await using workspace = await cargoWorkspace({ files, cwd: "project/crates/skipped" });
    expect(await choose(workspace.location)).toMatchObject({ type: "published", origin: "3 of Cargo.toml" });
  });

  test("a version that is asked for is read where it is locked", async () => {
    expect((await outcome({ files }, "demo", "0.9.1"))[0]).toBe("demo 0.9.1 (from Cargo.lock, unpacked by Cargo)");
  });

  test("on the hosted service, nothing of the computer is read", async () => {
    await using workspace = await cargoWorkspace({ files, isAnonymous: true });
    for (const version of [undefined, "1.2.0"]) {
      const choice = await cargoEcosystem.choose({ package: "demo", version }, workspace.location);
      expect(choice).toMatchObject({ type: "published", wanted: { name: "demo", version: version ?? "latest" } });
    }
    await expect(cargoEcosystem.choose({ package: "std" }, workspace.location)).rejects.toMatchObject({
      tag: "PackageNotFound",
    });
    const registry = await cargoEcosystem.openRegistry?.("demo", { location: workspace.location, network: {} });
    expect(registry?.id).toBe("https://index.crates.io/");
  });

  test("its dependencies are listed at each version, without its own crates", async () => {
    await using workspace = await cargoWorkspace({ files });
    const found = await dependenciesOf(cargoEcosystem, workspace.location);
    expect(found?.usable.map(({ name, package: real, version, isUsual }) => [name, real, version, isUsual])).toEqual([
      ["demo", "demo", "2.0.1", true],
      ["demo-1.2.0", "demo", "1.2.0", false],
      ["old", "demo", "0.9.1", true],
      ["other", "other", "1.0.0", true],
    ]);
    expect(found?.skipped).toEqual([{ name: "b", reason: "it is a crate of this workspace" }]);
  });

  test("a question names a dependency in any spelling", async () => {
    await using workspace = await cargoWorkspace({ files, cwd: "project/crates/a" });
    const named = (text: string) => dependenciesNamedIn(text, cargoEcosystem, workspace.location);
    expect(await named("How does demo parse?")).toEqual([{ type: "cargo", name: "demo", version: "1.2.0" }]);
    expect(await named("How does it parse?")).toEqual([]);
    const around = { ...workspace.location, cwd: path.join(workspace.folder.path, "project") };
    expect(await dependenciesNamedIn("How does Demo parse?", cargoEcosystem, around)).toEqual([
      { type: "cargo", name: "demo", version: "2.0.1" },
    ]);
    expect(await named("What is in my-demo-2?")).toEqual([]);
  });
});

test("a version on disk that no project has is read there, if it is asked for exactly", async () => {
  const files = unpackedCrate({ name: "demo", version: "1.2.0" });
  expect((await outcome({ files }, "demo", "1.2.0"))[0]).toBe("demo 1.2.0 (unpacked by Cargo)");
});

describe("the standard library", () => {
  const toolchain = (name: string, files: Record<string, string>) => filesIn(`home/.rustup/toolchains/${name}`, files);
  const manifestFile = "lib/rustlib/multirust-channel-manifest.toml";
  const library = "lib/rustlib/src/rust/library";
  const sources = {
    [`${library}/std/src/lib.rs`]: "// std",
    [`${library}/core/src/lib.rs`]: "// core",
    [`${library}/vendor/x/lib.rs`]: "// vendored",
  };
  const rustup = [
    '//- home/.rustup/settings.toml\ndefault_toolchain = "stable-x86_64-unknown-linux-gnu"\n',
    toolchain("stable-x86_64-unknown-linux-gnu", {
      [manifestFile]: '[pkg.rust]\nversion = "1.95.0 (abc)"',
      ...sources,
    }),
    toolchain("1.80.0-x86_64-unknown-linux-gnu", {
      [manifestFile]: '[pkg.rust]\nversion = "1.80.0 (abc)"',
      ...sources,
    }),
    toolchain("nightly-x86_64-unknown-linux-gnu", { "bin/rustc": "" }),
  ].join("");
  const stable = "std 1.95.0 (sources of the toolchain stable-x86_64-unknown-linux-gnu)";
  const old = "std 1.80.0 (sources of the toolchain 1.80.0-x86_64-unknown-linux-gnu)";

  test.each([
    ["of the default toolchain", "", "std", undefined, [stable, "core/src/lib.rs", "std/src/lib.rs"]],
    ["one crate of it", "", "core", undefined, [stable.replace("std", "core"), "src/lib.rs"]],
    ["of a version", "", "std", "1.80.0", [old]],
    [
      "of rust-toolchain.toml",
      '//- project/rust-toolchain.toml\n[toolchain]\nchannel = "1.80.0"\n',
      "std",
      undefined,
      [old],
    ],
    ["of rust-toolchain", "//- project/rust-toolchain\n1.80.0\n", "std", undefined, [old]],
    [
      "of a toolchain without the sources",
      "//- project/rust-toolchain\nnightly\n",
      "std",
      undefined,
      ["PackageNotFound: the toolchain nightly-x86_64-unknown-linux-gnu has no sources of the standard library"],
    ],
    [
      "of a toolchain that is not installed",
      "",
      "std",
      "1.70.0",
      ["PackageNotFound: no Rust toolchain 1.70.0 with std is here"],
    ],
  ])("%s", async (_, more, name, version, expected) => {
    const found = await outcome({ files: `${rustup}${more}` }, name, version);
    expect(found.slice(0, expected.length)).toEqual(expected);
  });

  test("of the rustc on the PATH, where there is no rustup", async () => {
    const files = filesIn("usr", { "bin/rustc": "", ...sources });
    const [label] = await outcome({ files, env: (root) => ({ PATH: `${root}/usr/bin` }) }, "std");
    expect(label).toMatch(/^std \S+\/usr \(sources of the toolchain \S+\/usr\)$/);
  });
});
