import { describe, expect, test } from "vitest";
import {
  type CargoRegistry,
  locked,
  packCrate,
  sha256,
  startCargoRegistry,
} from "../../../../support/cargo-registry.ts";
import { cargoWorkspace, outcome, replacingCratesIo } from "../../../../support/cargo-workspace.ts";
import { packEntries } from "../../../../support/npm-registry.ts";

const latest = "demo 1.0.0 (latest in the registry)";
const authorizations = (registry: CargoRegistry) => registry.requests.map(({ headers }) => headers.authorization);
const pages = [".citewell-package/README.md", ".citewell-package/metadata.json", ".citewell-package/page.md"];

test("the newest release that is neither withdrawn nor a pre-release is fetched, with a page", async () => {
  await using registry = await startCargoRegistry();
  for (const version of ["1.10.0", "1.0.0", "1.9.0", "3.0.0-beta.1"]) registry.publish({ name: "demo", version });
  registry.publish({ name: "demo", version: "2.0.0", yanked: true });
  expect(await outcome({ registry })).toEqual([
    "demo 1.10.0 (latest in the registry)",
    ...pages,
    "Cargo.toml",
    "src/lib.rs",
  ]);
  expect((await outcome({ registry }, "demo", "2.0.0"))[0]).toBe("demo 2.0.0 (from the registry)");
  expect((await outcome({ registry }, "demo", "1.0"))[0]).toBe("demo 1.10.0 (1.0 in the registry)");
  expect((await outcome({ registry }, "demo", "~1.9"))[0]).toBe("demo 1.9.0 (~1.9 in the registry)");
  expect(await outcome({ registry }, "demo", "2")).toEqual(['VersionNotFound: demo has no version "2"']);
  expect(await outcome({ registry }, "demo", "7.0.0")).toEqual(['VersionNotFound: demo has no version "7.0.0"']);
});

test("the page has what the index and the manifest say", async () => {
  await using registry = await startCargoRegistry();
  const deps = [{ name: "log", req: "^0.4", kind: "dev", optional: true }];
  registry.publish({
    name: "demo",
    version: "1.0.0",
    more: { deps, features: { full: ["log"] }, rust_version: "1.70" },
  });
  await using workspace = await cargoWorkspace({ registry });
  await using snapshot = await workspace.open({ name: "it", package: "demo" });
  expect((await snapshot.read(".citewell-package/page.md")).text).toBe(`# demo 1.0.0

About demo

\`\`\`sh
cargo add demo@1.0.0
\`\`\`

- Rust: 1.70
- Versions: 1

## Features

- full: log

## Dependencies

- log ^0.4 (dev, optional)
`);
});

test.each([
  ["a", "1/a"],
  ["ab", "2/ab"],
  ["abc", "3/a/abc"],
  ["Abcd", "ab/cd/abcd"],
])("the index of %s is at %s", async (name, path) => {
  await using registry = await startCargoRegistry();
  registry.publish({ name, version: "1.0.0" });
  await outcome({ registry }, name);
  expect(registry.requests[1]?.path).toBe(`/index/${path}`);
});

test.each([
  "/{crate}-{version}.crate",
  "/dl/{crate}/{version}/download",
  "/dl/",
  "/x/{prefix}/{lowerprefix}/{sha256-checksum}",
])("an archive is at the address of the index: %s", async (dl) => {
  await using registry = await startCargoRegistry();
  registry.publish({ name: "Demo", version: "1.0.0" });
  registry.downloadFrom(dl);
  await outcome({ registry }, "Demo");
  const hash = sha256(packCrate({ name: "Demo", version: "1.0.0" }));
  const filled = dl.replace("{crate}", "Demo").replace("{version}", "1.0.0").replace("{prefix}", "De/mo");
  const path = filled.replace("{lowerprefix}", "de/mo").replace("{sha256-checksum}", hash);
  expect(registry.requests.at(-1)?.path).toBe(dl === "/dl/" ? "/dl/Demo/1.0.0/download" : path);
});

test("dashes and underscores are one in a name", async () => {
  await using registry = await startCargoRegistry();
  registry.publish({ name: "demo_lib-x", version: "1.0.0" });
  registry.publish({ name: "demo-all", version: "1.0.0" });
  expect((await outcome({ registry }, "demo_all"))[0]).toBe("demo_all 1.0.0 (latest in the registry)");
  expect(await outcome({ registry }, "demo_lib_x")).toEqual(['PackageNotFound: no package "demo_lib_x" on <host>']);
});

test("what was fetched answers without the registry", async () => {
  await using registry = await startCargoRegistry();
  registry.publish({ name: "demo", version: "1.0.0" });
  await using workspace = await cargoWorkspace({ registry });
  await (await workspace.open({ name: "it", package: "demo", version: "1.0.0" }))[Symbol.asyncDispose]();
  await registry.stop();
  await using snapshot = await workspace.open({ name: "it", package: "demo", version: "1.0.0" });
  expect((await snapshot.read("src/lib.rs")).text).toBe('pub const VERSION: &str = "1.0.0";\n');
});

test("a crate that the registry does not have is not found; an index that is none is said to be so", async () => {
  await using registry = await startCargoRegistry();
  expect(await outcome({ registry })).toEqual(['PackageNotFound: no package "demo" on <host>']);
  registry.intercept((_, response) => {
    response.writeHead(200).end("<html>sign in</html>");
    return true;
  });
  const fault = "RegistryFailed: <host> did not answer with a sparse index's config.json";
  expect(await outcome({ registry })).toEqual([fault]);
  registry.intercept((_, response) => {
    response.writeHead(404).end();
    return true;
  });
  expect(await outcome({ registry })).toEqual([fault]);
});

describe("an archive is refused, and nothing of it is stored", () => {
  const publishing = async (bytes: Uint8Array, more = {}) => {
    await using registry = await startCargoRegistry();
    registry.publish({ name: "demo", version: "1.0.0", bytes, ...more });
    return await outcome({ registry });
  };

  test("whose checksum is not the one in the index", async () => {
    const bytes = packCrate({ name: "demo", version: "1.0.0" });
    expect(await publishing(bytes, { cksum: "0".repeat(64) })).toEqual([
      "IntegrityMismatch: <host>/dl/demo/1.0.0/download does not match its checksum",
    ]);
  });

  test("whose checksum is not the one in Cargo.lock, although it is the one in the index", async () => {
    await using registry = await startCargoRegistry();
    registry.publish({ name: "demo", version: "1.0.0" });
    const files = `//- project/Cargo.toml\n[package]\nname = "mine"\nversion = "0.1.0"\n[dependencies]\ndemo = "1"
//- project/Cargo.lock
version = 4
${locked("mine", "0.1.0", { source: "", dependencies: ["demo"] })}${locked("demo", "1.0.0", { checksum: "0".repeat(64) })}`;
    expect(await outcome({ registry, files })).toEqual([
      "IntegrityMismatch: <host>/dl/demo/1.0.0/download does not match its checksum",
    ]);
  });

  test("without a checksum", async () => {
    const bytes = packCrate({ name: "demo", version: "1.0.0" });
    expect(await publishing(bytes, { cksum: "" })).toEqual(["RegistryFailed: demo 1.0.0 has no checksum in the index"]);
  });

  test.each(["demo-1.0.0/../../out.rs", "/etc/out.rs"])("with %s", async (path) => {
    const bytes = packEntries([
      { path: "demo-1.0.0/Cargo.toml", content: "" },
      { path, content: "evil" },
    ]);
    expect(await publishing(bytes)).toEqual([
      `PackageUnreadable: the tarball of demo 1.0.0 has an entry that leaves its folder: ${JSON.stringify(path)}`,
    ]);
  });

  test("not because of links, which are skipped, nor of a build script: it is text", async () => {
    const bytes = packEntries([
      { path: "demo-1.0.0/build.rs", content: "fn main() { std::process::abort() }\n" },
      { path: "demo-1.0.0/link", type: "SymbolicLink", linkpath: "/etc/passwd" },
    ]);
    expect(await publishing(bytes)).toEqual([latest, ...pages, "build.rs"]);
  });
});

const corp = ({ index }: CargoRegistry) => `[registries.corp]\nindex = "${index}"\n`;
const ofCorp = '//- project/Cargo.toml\n[dependencies]\ndemo = { version = "1", registry = "corp" }\n';
const fromCorp = "demo 1.0.0 (1 of Cargo.toml)";

describe("a token", () => {
  test.each([
    ["of credentials.toml", { "credentials.toml": '[registries.corp]\ntoken = "Bearer x"\n' }, {}],
    ["of credentials", { credentials: '[registries.corp]\ntoken = "Bearer x"\n' }, {}],
    ["of the environment", {}, { CARGO_REGISTRIES_CORP_TOKEN: "Bearer x" }],
  ])("%s is sent with every request to its registry", async (_, files, env) => {
    await using registry = await startCargoRegistry();
    registry.publish({ name: "demo", version: "1.0.0" });
    registry.requireAuthorization("Bearer x");
    const home = Object.entries({ "config.toml": corp(registry), ...files });
    const written = home.map(([name, text]) => `//- home/.cargo/${name}\n${text}`).join("");
    expect((await outcome({ files: `${ofCorp}${written}`, env: () => ({ ...env }) }))[0]).toBe(fromCorp);
    expect(authorizations(registry)).toEqual(Array(5).fill("Bearer x"));
  });

  test("is for the registry that the environment names, too", async () => {
    await using registry = await startCargoRegistry();
    registry.publish({ name: "demo", version: "1.0.0" });
    registry.requireAuthorization("x");
    const env = () => ({ CARGO_REGISTRIES_CORP_INDEX: registry.index, CARGO_REGISTRIES_CORP_TOKEN: "x" });
    expect((await outcome({ files: ofCorp, env }))[0]).toBe(fromCorp);
  });

  test("does not go to the registry that a project's file has under the name", async () => {
    await using own = await startCargoRegistry();
    await using other = await startCargoRegistry();
    other.publish({ name: "demo", version: "1.0.0" });
    const credentials = '//- home/.cargo/credentials.toml\n[registries.corp]\ntoken = "secret"\n';
    const project = `//- project/.cargo/config.toml\n${corp(other)}`;
    for (const config of ["", `//- home/.cargo/config.toml\n${corp(own)}`]) {
      expect((await outcome({ files: `${ofCorp}${credentials}${project}${config}` }))[0]).toBe(fromCorp);
    }
    expect(authorizations(other)).toEqual(Array(10).fill(undefined));
    expect(own.requests).toEqual([]);
  });

  test("does not go to another host, which the index names for downloads", async () => {
    await using registry = await startCargoRegistry();
    await using elsewhere = await startCargoRegistry();
    registry.publish({ name: "demo", version: "1.0.0" });
    elsewhere.publish({ name: "demo", version: "1.0.0" });
    registry.downloadFrom(`http://${elsewhere.host}/dl`);
    const credentials = '//- home/.cargo/credentials.toml\n[registries.corp]\ntoken = "secret"\n';
    const files = `${ofCorp}${credentials}//- home/.cargo/config.toml\n${corp(registry)}`;
    expect((await outcome({ files }))[0]).toBe(fromCorp);
    expect(authorizations(elsewhere)).toEqual([undefined]);
  });

  test("missing: the answer says how to sign in", async () => {
    await using registry = await startCargoRegistry();
    registry.requireAuthorization("x");
    expect(await outcome({ registry })).toEqual(["RegistryFailed: <host> refuses demo (401)"]);
  });
});

test("plain HTTP is for hosts of the user's own configuration", async () => {
  const files =
    '//- project/.cargo/config.toml\n[source.crates-io]\nreplace-with = "x"\n[source.x]\nregistry = "sparse+http://me:pw@index.example/"\n';
  expect(await outcome({ files })).toEqual([
    "RegistryFailed: the crate registry http://index.example is not reached over https",
  ]);
});

test.each(["https://index.example/git", "ssh://git@index.example/index.git", "file:///srv/index"])(
  "a git index is refused plainly: %s",
  async (index) => {
    const files = `${ofCorp}//- home/.cargo/config.toml\n[registries.corp]\nindex = "${index}"\n`;
    const [message] = await outcome({ files });
    expect(message).toMatch(/^RegistryFailed: the registry \S+ has a git index, which is not read$/);
    expect(message).not.toContain("git@");
  },
);

test("a registry that no configuration has is named", async () => {
  expect(await outcome({ files: ofCorp })).toEqual([
    'RegistryFailed: the registry "corp" of Cargo.toml is not configured',
  ]);
});

test("the project's replacement is stronger than the user's", async () => {
  await using own = await startCargoRegistry();
  await using project = await startCargoRegistry();
  project.publish({ name: "demo", version: "1.0.0" });
  const files = `//- project/.cargo/config.toml\n${replacingCratesIo(project)}`;
  expect((await outcome({ registry: own, files }))[0]).toBe(latest);
  expect(own.requests).toEqual([]);
});
