import { writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../../server/errors.ts";
import { dependenciesNamedIn } from "../../../../../server/resources/packages/dependencies.ts";
import { golangEcosystem } from "../../../../../server/resources/packages/golang/golang.ts";
import { checksumOf, downloaded, packModule, startGoProxy } from "../../../../support/go-proxy.ts";
import { goWorkspace, outcome } from "../../../../support/go-workspace.ts";

const demo = { module: "example.org/Demo", version: "v1.2.0" };
const pages = [".citewell-package/README.md", ".citewell-package/metadata.json", ".citewell-package/page.md"];
const own = ["go.mod", "it.go"];
const goMod = (rest: string, go = "1.22") => `//- project/go.mod\nmodule example.org/mine\n\ngo ${go}\n\n${rest}\n`;
const required = goMod("require example.org/Demo v1.2.0");

describe("the version of a project", () => {
  test("is read from the module cache, whose escapes are for disks without case", async () => {
    const files = `${required}${downloaded(demo)}`;
    const found = ["example.org/Demo v1.2.0 (from go.mod, in the module cache)", ...own];
    expect(await outcome({ files }, "example.org/Demo")).toEqual(found);
    expect(await outcome({ files }, "example.org/Demo", "1.2.0")).toEqual(found);
    const elsewhere = `${required}${downloaded(demo, "cache")}`;
    const env = (root: string) => ({ GOMODCACHE: `${root}/cache` });
    expect(await outcome({ files: elsewhere, env }, "example.org/Demo")).toEqual(found);
  });

  test("is that of go.mod, from the proxy with the checksum of go.sum", async () => {
    await using proxy = await startGoProxy();
    proxy.publish({ ...demo, checksum: null });
    proxy.publish({ ...demo, version: "v1.3.0" });
    const files = `${required}//- project/go.sum\nexample.org/Demo v1.2.0 ${checksumOf(demo)}\n`;
    expect(await outcome({ proxy, files }, "example.org/Demo")).toEqual([
      "example.org/Demo v1.2.0 (from go.mod)",
      ...pages,
      ...own,
    ]);
    expect(proxy.requests.some(({ path }) => path.includes("/sumdb/"))).toBe(false);
  });

  test("is not that of another major version, which is a module of its own", async () => {
    await using proxy = await startGoProxy();
    proxy.publish(demo);
    proxy.publish({ module: "example.org/Demo/v2", version: "v2.1.0" });
    const found = async (name: string) => (await outcome({ proxy, files: required }, name))[0];
    expect(await found("example.org/Demo/v2")).toBe("example.org/Demo/v2 v2.1.0 (latest in the registry)");
    expect(await found("example.org/Demo/v1")).toBe("example.org/Demo v1.2.0 (from go.mod)");
  });

  test("has the same revision in the cache and from the proxy", async () => {
    await using proxy = await startGoProxy();
    proxy.publish(demo);
    const revisionOf = async (files: string) => {
      await using workspace = await goWorkspace({ proxy, files });
      await using snapshot = await workspace.open({ package: "example.org/Demo", version: "v1.2.0" });
      return snapshot.info.revision;
    };
    expect(await revisionOf(downloaded(demo))).toBe(await revisionOf(""));
  });

  test("of a language before 1.17 may not be the built one, which the label says", async () => {
    const files = `${goMod("require (\n\texample.org/Demo v1.2.0 // indirect\n)", "1.16")}${downloaded(demo)}`;
    expect((await outcome({ files }, "example.org/Demo"))[0]).toBe(
      "example.org/Demo v1.2.0 (from go.mod of Go 1.16, where another module may require a higher version, in the module cache)",
    );
  });

  test("is replaced by a folder, or by another module", async () => {
    const local = `${goMod("require example.org/Demo v1.2.0\nreplace example.org/Demo => ../fork")}//- fork/go.mod\nmodule example.org/Demo\n//- fork/own.go\npackage it\n`;
    expect(await outcome({ files: local }, "example.org/Demo")).toEqual([
      "example.org/Demo v1.2.0 (replaced by ../fork in go.mod)",
      "go.mod",
      "own.go",
    ]);
    const gone = goMod("require example.org/Demo v1.2.0\nreplace example.org/Demo v1.2.0 => ./gone");
    expect(await outcome({ files: gone }, "example.org/Demo")).toEqual([
      "PackageNotFound: go.mod takes example.org/Demo from ./gone, which is not there",
    ]);
    const fork = { module: "example.org/fork", version: "v0.9.0" };
    const other = `${goMod("require example.org/Demo v1.2.0\nreplace (\n\texample.org/Demo => example.org/fork v0.9.0\n)")}${downloaded(fork)}${downloaded(demo)}`;
    expect((await outcome({ files: other }, "example.org/Demo"))[0]).toBe(
      "example.org/fork v0.9.0 (replaced by example.org/fork in go.mod, in the module cache)",
    );
  });

  test("is in the project's vendor folder, without the modules below it", async () => {
    const vendor =
      "//- project/vendor/modules.txt\n# example.org/Demo v1.2.0\nexample.org/Demo\n# example.org/Demo/sub v1.0.0\nexample.org/Demo/sub\n";
    const files = `${required}${vendor}//- project/vendor/example.org/Demo/it.go\npackage it\n//- project/vendor/example.org/Demo/sub/sub.go\npackage sub\n`;
    expect(await outcome({ files }, "example.org/Demo")).toEqual([
      "example.org/Demo v1.2.0 (in the project's vendor folder)",
      "it.go",
    ]);
  });

  test("is the highest of a workspace", async () => {
    const files = `//- project/go.work\ngo 1.22\nuse (\n\t./a\n\t./b\n)\n//- project/a/go.mod\nmodule example.org/a\ngo 1.22\nrequire example.org/Demo v1.1.0\n//- project/b/go.mod\nmodule example.org/b\ngo 1.22\nrequire example.org/Demo v1.2.0\n${downloaded(demo)}`;
    const label = "example.org/Demo v1.2.0 (from go.mod, in the module cache)";
    expect((await outcome({ files, cwd: "project/a" }, "example.org/Demo"))[0]).toBe(label);
    expect((await outcome({ files }, "example.org/Demo"))[0]).toBe(label);
  });

  test("a package is in the module with the longest path that has it", async () => {
    const files = `${goMod("require (\n\texample.org/Demo v1.2.0\n\texample.org/Demo/sub v0.1.0\n)")}${downloaded({ ...demo, files: { "go.mod": "module example.org/Demo\n", "binding/b.go": "package binding\n" } })}${downloaded({ module: "example.org/Demo/sub", version: "v0.1.0" })}`;
    expect((await outcome({ files }, "example.org/Demo/binding"))[0]).toMatch(/^example\.org\/Demo v1\.2\.0 /);
    expect((await outcome({ files }, "example.org/Demo/sub"))[0]).toMatch(/^example\.org\/Demo\/sub v0\.1\.0 /);
  });

  test("is not read from paths that lead out of the module cache", async () => {
    const files = `${goMod("require example.org/../../../../Demo v1.2.0")}${downloaded(demo)}`;
    expect(await outcome({ files }, "example.org/Demo")).toEqual([
      "RegistryFailed: GOPROXY=off: example.org/Demo is not fetched",
    ]);
  });
});

describe("the newest version", () => {
  test("is a release that was not withdrawn", async () => {
    await using proxy = await startGoProxy();
    const retracting = { "go.mod": "module example.org/Demo\n\nretract [v1.10.0, v1.11.0]\n", "it.go": "package it\n" };
    for (const version of ["v1.9.0", "v1.2.0", "v1.10.0", "v1.11.0", "v1.12.0-rc.1"]) {
      proxy.publish({ module: "example.org/Demo", version, files: retracting });
    }
    expect((await outcome({ proxy }, "example.org/Demo"))[0]).toBe("example.org/Demo v1.9.0 (latest in the registry)");
    expect((await outcome({ proxy }, "example.org/Demo", "v1.2"))[0]).toBe(
      "example.org/Demo v1.2.0 (v1.2 in the registry)",
    );
    expect((await outcome({ proxy }, "example.org/Demo/some/package", "v1.2.0"))[0]).toMatch(
      / v1\.2\.0 \(from the registry\)$/,
    );
    expect(await outcome({ proxy }, "example.org/Demo", "v7.0.0")).toEqual([
      'VersionNotFound: example.org/Demo has no version "v7.0.0"',
    ]);
    expect(await outcome({ proxy }, "example.org/other")).toEqual([
      'PackageNotFound: no package "example.org/other" on <host>',
    ]);
  });

  test("of a module without go.mod may be incompatible; without releases it is a commit", async () => {
    await using proxy = await startGoProxy();
    const files = { "it.go": "package it\n" };
    proxy.publish({ module: "example.org/old", version: "v1.0.0", files });
    proxy.publish({ module: "example.org/old", version: "v28.0.0+incompatible", files });
    proxy.publish({ module: "example.org/commits", version: "v0.0.0-20260102030405-0123456789ab" });
    expect((await outcome({ proxy }, "example.org/old"))[0]).toContain(" v28.0.0+incompatible ");
    expect((await outcome({ proxy }, "example.org/commits"))[0]).toContain(" v0.0.0-20260102030405-0123456789ab ");
  });
});

describe("a checksum", () => {
  const wrong = `h1:${"A".repeat(43)}=`;

  test("that differs is refused, and nothing is stored", async () => {
    await using proxy = await startGoProxy();
    proxy.publish({ ...demo, checksum: wrong });
    const refused = "IntegrityMismatch: <host>/example.org/!demo/@v/v1.2.0.zip does not match its checksum";
    expect(await outcome({ proxy }, "example.org/Demo")).toEqual([refused]);
    const files = `${required}//- project/go.sum\nexample.org/Demo v1.2.0 ${wrong}\n`;
    expect(await outcome({ proxy, files }, "example.org/Demo")).toEqual([refused]);
  });

  test("is required, unless the user turned the database off for the module", async () => {
    await using proxy = await startGoProxy();
    proxy.publish({ ...demo, checksum: null });
    const database = { GOSUMDB: `sum.golang.org ${proxy.url}/none` };
    expect(await outcome({ proxy, env: () => database }, "example.org/Demo")).toEqual([
      "RegistryFailed: the checksum database sum.golang.org has no checksum of example.org/Demo v1.2.0",
    ]);
    for (const env of [{ GOSUMDB: "off" }, { ...database, GONOSUMDB: "*.com,example.org" }]) {
      expect(await outcome({ proxy, env: () => env }, "example.org/Demo")).toEqual([
        "example.org/Demo v1.2.0 (latest in the registry)",
        ...pages,
        ...own,
      ]);
    }
  });

  test("of a hostile archive does not help it", async () => {
    await using proxy = await startGoProxy();
    proxy.publish({ ...demo, entries: [{ path: "example.org/Demo@v1.2.0/../../out.go", content: "x" }] });
    expect(await outcome({ proxy }, "example.org/Demo")).toEqual([
      expect.stringMatching(/^PackageUnreadable: .* leaves its folder/),
    ]);
  });
});

describe("GOPROXY", () => {
  test("is a list: a missing module is looked for in the next proxy, an error ends it, except before a bar", async () => {
    await using first = await startGoProxy();
    await using second = await startGoProxy();
    second.publish(demo);
    const at = (list: string) => outcome({ env: () => ({ GOPROXY: list }) }, "example.org/Demo", "v1.2.0");
    const label = "example.org/Demo v1.2.0 (from the registry)";
    expect((await at(`${first.url},${second.url}`))[0]).toBe(label);
    first.requireAuthorization("x");
    expect((await at(`${first.url},${second.url}`))[0]).toBe("RegistryFailed: <host> refuses example.org/Demo (401)");
    expect((await at(`${first.url}|${second.url}`))[0]).toBe(label);
  });

  test("is read from what go env -w wrote; GOPRIVATE is for repositories alone", async () => {
    await using proxy = await startGoProxy();
    proxy.publish(demo);
    const files = `//- home/.config/go/env\nGOPROXY=${proxy.url}\n`;
    const env = () => ({ GOPROXY: "" });
    expect((await outcome({ files, env, platform: "linux" }, "example.org/Demo"))[0]).toContain(" v1.2.0 ");
    expect(await outcome({ proxy, env: () => ({ GOPRIVATE: "example.org/D*" }) }, "example.org/Demo")).toEqual([
      "PackageNotFound: example.org/Demo comes from its repository only: it is private (go env GOPRIVATE GONOPROXY)",
    ]);
  });

  test("credentials of .netrc and of the address are for the proxy's own host", async () => {
    await using proxy = await startGoProxy();
    proxy.publish(demo);
    proxy.requireAuthorization(`Basic ${Buffer.from("me:pass").toString("base64")}`);
    const files = "//- home/.netrc\nmachine 127.0.0.1 login me password pass\n";
    expect((await outcome({ proxy, files }, "example.org/Demo"))[0]).toContain(" v1.2.0 ");
    const env = () => ({ GOPROXY: proxy.url.replace("//", "//me:pass@") });
    expect((await outcome({ env }, "example.org/Demo"))[0]).toContain(" v1.2.0 ");
    expect((await outcome({ proxy, files, isAnonymous: true }, "example.org/Demo"))[0]).toMatch(/^RegistryFailed/);
  });
});

describe("a folder as the proxy, file:///…,", () => {
  const at = (rest: string, text: string) => `//- proxy/example.org/!demo/@v/${rest}\n${text}\n`;
  const listed = `${at("list", "v1.2.0")}${at("v1.2.0.info", '{"Version":"v1.2.0"}')}${at("v1.2.0.mod", "module example.org/Demo")}`;

  async function fromFolder(sum: string, { isAnonymous = false, name = "example.org/Demo" } = {}): Promise<string[]> {
    const files = `${listed}${required}//- project/go.sum\nexample.org/Demo v1.2.0 ${sum}\n`;
    const env = (root: string) => ({ GOPROXY: `${pathToFileURL(path.join(root, "proxy")).href},off` });
    await using workspace = await goWorkspace({ files, env, isAnonymous });
    const zip = path.join(workspace.folder.path, "proxy/example.org/!demo/@v/v1.2.0.zip");
    await writeFile(zip, packModule(demo));
    try {
      await using snapshot = await workspace.open({ name: "it", package: name });
      return [snapshot.info.label, ...snapshot.files.map((file) => file.path)];
    } catch (error) {
      const { tag, error: message } = toErrorBody(error);
      return [`${tag}: ${message}`.replace(workspace.folder.path, "<root>")];
    }
  }

  test("gives versions and archives, whose checksums are checked", async () => {
    expect(await fromFolder(checksumOf(demo))).toEqual(["example.org/Demo v1.2.0 (from go.mod)", ...pages, ...own]);
    expect((await fromFolder(`h1:${"A".repeat(43)}=`))[0]).toMatch(
      /^IntegrityMismatch: .*v1\.2\.0\.zip does not match/,
    );
  });

  test("without the module does not have it", async () => {
    expect(await fromFolder(checksumOf(demo), { name: "example.org/other" })).toEqual([
      expect.stringMatching(/^PackageNotFound: no package "example.org\/other" in file:\/\/<root>\/proxy\//),
    ]);
  });

  test("is not read on the computer of a service", async () => {
    expect(await fromFolder(checksumOf(demo), { isAnonymous: true })).toEqual([
      "RegistryFailed: the module proxy file:// is not reached over https",
    ]);
  });
});

test("proxies with the same checksum database have the same modules; without one they differ", async () => {
  const idOf = async (env: Record<string, string>) => {
    await using workspace = await goWorkspace({ env: () => env });
    const reach = { location: workspace.location, network: {} };
    return (await golangEcosystem.openRegistry?.("example.org/Demo", reach))?.id;
  };
  const [one, other] = [{ GOPROXY: "https://one.example" }, { GOPROXY: "https://other.example" }];
  expect(await idOf(one)).toBe(await idOf({ ...other, GOPROXY: "off" }));
  expect(await idOf({ ...one, GOPRIVATE: "example.org" })).not.toBe(await idOf({ ...other, GOPRIVATE: "example.org" }));
});

test("a question without a Go project reads no setting of Go", async () => {
  const read: string[] = [];
  await using workspace = await goWorkspace({ files: "//- project/README.md\n# Other\n" });
  const env = new Proxy(workspace.location.env, {
    get: (target, name) => {
      read.push(String(name));
      return Reflect.get(target, name);
    },
  });
  expect(await dependenciesNamedIn("How does kit retry?", golangEcosystem, { ...workspace.location, env })).toEqual([]);
  expect(read.filter((name) => name !== "GOWORK")).toEqual([]);
});

describe("the standard library", () => {
  const goRoot =
    "//- go/VERSION\ngo1.22.1\ntime x\n//- go/src/net/http/server.go\npackage http\n//- go/src/net/net.go\npackage net\n";
  const env = (root: string) => ({ GOROOT: `${root}/go` });

  test("is that of the installation, a package or all of it", async () => {
    expect(await outcome({ files: goRoot, env }, "net/http")).toEqual([
      "net/http go1.22.1 (of <root>/go)",
      "net/http/server.go",
    ]);
    expect(await outcome({ files: goRoot, env }, "std")).toEqual([
      "std go1.22.1 (of <root>/go)",
      "net/http/server.go",
      "net/net.go",
    ]);
    expect((await outcome({ files: goRoot, env }, "net/nothing"))[0]).toMatch(
      /^PackageNotFound: the standard library of go1\.22\.1/,
    );
    expect((await outcome({ files: goRoot, env }, "net", "go1.21.0"))[0]).toBe(
      "VersionNotFound: the standard library here is of go1.22.1, not of go1.21.0",
    );
  });

  test("is not looked for on the computer of a service", async () => {
    expect(await outcome({ files: goRoot, env, isAnonymous: true }, "net/http")).toEqual([
      expect.stringMatching(/^ResourceNotOffered: .*Go's standard library/),
    ]);
  });
});

describe("a question names a dependency", () => {
  const modules = ["example.org/owner/kit/v2", "golang.org/x/net"].map((module) => ({ module, version: "v2.0.0" }));
  const files = `${goMod(modules.map(({ module, version }) => `require ${module} ${version}`).join("\n"))}${modules.map((module) => downloaded(module)).join("")}`;
  test.each([
    ["How does kit retry?", ["example.org/owner/kit/v2"]],
    ["What is in owner/kit?", ["example.org/owner/kit/v2"]],
    ["What does example.org/owner/kit/v2/retry do?", ["example.org/owner/kit/v2"]],
    ["Is the net closed?", []],
    ["Does x/net parse it?", ["golang.org/x/net"]],
    ["What is a toolkit?", []],
  ])("%s", async (text, expected) => {
    await using workspace = await goWorkspace({ files });
    const named = await dependenciesNamedIn(text, golangEcosystem, workspace.location);
    expect(named.map(({ name }) => name)).toEqual(expected);
  });
});
