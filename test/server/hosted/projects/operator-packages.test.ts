import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConfigLocation } from "../../../../server/config/config.ts";
import { type ServedPackageType, servedPackageTypes } from "../../../../server/protocol/kinds/names.ts";
import { unpackedCrate } from "../../../support/cargo-registry.ts";
import { cliEnvironment } from "../../../support/cli.ts";
import { type Folder, temporaryFolder } from "../../../support/folder.ts";
import { downloaded } from "../../../support/go-proxy.ts";
import { startService, type TestService, type ToolResult } from "../../../support/hosted.ts";
import { mirrorSettings, packSources } from "../../../support/maven-repository.ts";
import {
  type PackageRegistries,
  type PackageRegistry,
  startPackageRegistries,
} from "../../../support/package-registries.ts";
import { environment } from "../../../support/pypi-index.ts";
import { testEngines } from "../../../support/stores.ts";

const planted = "planted otters";
const otters = { query: "otters", mode: "exact" };

/** What of one ecosystem the operator's computer has. */
interface Plant {
  /** Fixture text below the home folder. */
  files: string;
  /** Further files. */
  bytes?: Readonly<Record<string, Uint8Array>>;
  env?: Readonly<Record<string, string>>;
}

/**
 * Packages that are installed or cached at the version of the registry, and the configuration of the package manager with
 * another registry and a login for it and for the service's own.
 */
const plants: {
  readonly [Type in ServedPackageType]: (decoy: PackageRegistry, own: PackageRegistry, home: string) => Plant;
} = {
  npm(decoy, own, home) {
    const place = (url: string) => url.replace("http:", "");
    const logins = [decoy, own].map(({ url }) => `${place(url)}:_authToken=of-the-operator\n`).join("");
    return {
      files:
        `//- .npmrc\nregistry=${decoy.url}\n${logins}//- project/.npmrc\nregistry=${decoy.url}\n${logins}` +
        `//- project/package.json\n{"dependencies":{"shelf":"1.2.0"}}\n` +
        `//- project/node_modules/shelf/package.json\n{"name":"shelf","version":"1.2.0"}\n` +
        `//- project/node_modules/shelf/a.js\n// ${planted}\n//- project/node_modules/shelf/own.js\n// ${planted}\n`,
      env: { npm_config_userconfig: path.join(home, ".npmrc"), NPM_TOKEN: "of-the-operator" },
    };
  },
  pypi(decoy, _own, home) {
    const withLogin = decoy.url.replace("//", "//operator:secret@");
    return {
      files:
        `//- .config/pip/pip.conf\n[global]\nindex-url = ${withLogin}\n` +
        `//- project/pyproject.toml\n[[tool.uv.index]]\nurl = "${decoy.url}"\ndefault = true\n` +
        environment("project/.venv", [
          { name: "shelf", version: "1.2.0", files: { "shelf/a.py": `# ${planted}\n`, "shelf/own.py": planted } },
        ]) +
        "//- .netrc\nmachine 127.0.0.1 login operator password secret\n",
      env: {
        PIP_INDEX_URL: withLogin,
        PIP_EXTRA_INDEX_URL: withLogin,
        UV_INDEX_URL: withLogin,
        UV_DEFAULT_INDEX: withLogin,
        VIRTUAL_ENV: path.join(home, "project", ".venv"),
        PIP_CONFIG_FILE: path.join(home, ".config", "pip", "pip.conf"),
      },
    };
  },
  cargo(decoy, own, home) {
    const crate = {
      name: "shelf",
      version: "1.2.0",
      files: { "src/lib.rs": `// ${planted}\n`, "src/own.rs": planted },
    };
    const config = `[source.crates-io]\nreplace-with = "corp"\n[registries.corp]\nindex = "sparse+${decoy.url}"\ntoken = "of-the-operator"\n[registries.own]\nindex = "sparse+${own.url}"\ntoken = "of-the-operator"\n`;
    return {
      files:
        `${unpackedCrate(crate, { home: ".cargo" })}//- .cargo/config.toml\n${config}//- project/.cargo/config.toml\n${config}` +
        `//- .cargo/credentials.toml\n[registries.own]\ntoken = "of-the-operator"\n` +
        '//- .rustup/settings.toml\ndefault_toolchain = "stable"\n' +
        `//- .rustup/toolchains/stable-x86_64/lib/rustlib/src/rust/library/std/src/lib.rs\n// ${planted}\n`,
      env: {
        CARGO_HOME: path.join(home, ".cargo"),
        RUSTUP_HOME: path.join(home, ".rustup"),
        CARGO_REGISTRIES_CORP_INDEX: `sparse+${decoy.url}`,
        CARGO_REGISTRIES_OWN_INDEX: `sparse+${own.url}`,
        CARGO_REGISTRIES_OWN_TOKEN: "of-the-operator",
      },
    };
  },
  maven(decoy, _own, home) {
    const folder = ".m2/repository/org/demo/shelf/1.2.0";
    const sources = packSources({
      name: "org.demo:shelf",
      version: "1.2.0",
      files: { "demo/A.java": planted, "demo/Own.java": planted },
    });
    const jdk = packSources({
      name: "jdk:jdk",
      version: "1",
      files: { "java.base/java/util/List.java": `// ${planted}\n` },
    });
    const login =
      "<servers><server><id>loopback</id><username>operator</username><password>secret</password></server></servers>";
    return {
      files: `//- .m2/settings.xml\n${mirrorSettings(decoy.url, login)}\n//- jdk/release\nJAVA_VERSION="21"\n`,
      bytes: {
        [`${folder}/shelf-1.2.0-sources.jar`]: sources,
        [`${folder}/shelf-1.2.0.jar`]: sources,
        "jdk/lib/src.zip": jdk,
      },
      env: { JAVA_HOME: path.join(home, "jdk"), M2_HOME: path.join(home, ".m2") },
    };
  },
  golang(decoy, _own, home) {
    const withLogin = decoy.url.replace("//", "//operator:secret@");
    const module = {
      module: "example.org/shelf",
      version: "v1.2.0",
      files: { "a.go": `// ${planted}\n`, "own.go": planted },
    };
    return {
      files:
        `${downloaded(module, "go/pkg/mod")}//- .config/go/env\nGOPROXY=${withLogin}\nGONOSUMDB=*\n` +
        `//- project/go.mod\nmodule example.org/own\n\nrequire example.org/shelf v1.2.0\n` +
        `//- goroot/VERSION\ngo1.22\n//- goroot/src/net/http/a.go\n// ${planted}\n//- goroot/bin/go\n#!/bin/sh\n`,
      env: {
        GOPROXY: `${withLogin},file:///${home}/go/pkg/mod/cache/download`,
        GONOSUMDB: "*",
        GOPATH: path.join(home, "go"),
        GOMODCACHE: path.join(home, "go", "pkg", "mod"),
        GOROOT: path.join(home, "goroot"),
        GOFLAGS: "-mod=mod",
        GOENV: path.join(home, ".config", "go", "env"),
      },
    };
  },
};

const standardLibraries = [
  ["cargo", "std", "https://github.com/rust-lang/rust"],
  ["cargo", "proc-macro", "https://github.com/rust-lang/rust"],
  ["maven", "jdk", "https://github.com/openjdk/jdk"],
  ["maven", "java.util.List", "https://github.com/openjdk/jdk"],
  ["golang", "net/http", "https://github.com/golang/go"],
  ["golang", "std", "https://github.com/golang/go"],
] as const;

describe.each(testEngines())("the operator's packages, registries and logins on $name", (engine) => {
  let decoys: PackageRegistries;
  let registries: PackageRegistries;
  let folder: Folder;
  let location: ConfigLocation;
  beforeAll(async () => {
    [decoys, registries] = await Promise.all([
      startPackageRegistries(planted),
      startPackageRegistries("published otters"),
    ]);
    folder = await temporaryFolder();
    const home = folder.path;
    const env: Record<string, string> = {};
    for (const type of servedPackageTypes) {
      const { files, bytes = {}, env: own = {} } = plants[type](decoys.of(type), registries.of(type), home);
      await folder.write(files);
      for (const [file, content] of Object.entries(bytes)) {
        await mkdir(path.dirname(path.join(home, file)), { recursive: true });
        await writeFile(path.join(home, file), content);
      }
      Object.assign(env, own);
    }
    const usual = cliEnvironment(home, env);
    const PATH = `${path.join(home, "goroot", "bin")}:${path.join(home, "jdk", "bin")}:${usual["PATH"]}`;
    location = {
      cwd: path.join(home, "project"),
      homeDirectory: home,
      platform: process.platform,
      env: { ...usual, PATH },
    };
  });
  afterAll(async () => {
    await Promise.all([decoys, registries, folder].map((one) => one[Symbol.asyncDispose]()));
  });

  const start = async (options: { registries?: PackageRegistries["urls"]; env?: Record<string, string> }) =>
    startService(await engine.createDatabase(), {
      config: { dataDirectory: path.join(folder.path, "project", `data-${crypto.randomUUID()}`) },
      registries: options.registries,
      location: { ...location, env: { ...location.env, ...options.env } },
    });

  async function addAll(service: TestService, version: (registry: PackageRegistry) => object): Promise<string> {
    const key = await service.key();
    for (const registry of registries.all) {
      const { type, package: name } = registry;
      await service.call(key, "addResource", { type, name: type, package: name, ...version(registry) });
    }
    await service.untilFetched();
    return key;
  }

  test.each([
    ["without a version", () => ({})],
    ["at the version that is installed and cached", ({ version }: PackageRegistry) => ({ version })],
  ])("a package %s is the registry's, fetched without a login", async (_name, version) => {
    await using service = await start({ registries: registries.urls });
    const key = await addAll(service, version);
    for (const type of servedPackageTypes) {
      const found = textOf(await service.call(key, "search", { ...otters, resources: [type] }));
      expect([type, found]).toEqual([type, expect.stringContaining("published otters")]);
      expect(found).not.toContain(planted);
    }
    const logins = registries.all.flatMap(({ requests }) => requests.flatMap(({ headers }) => headers.authorization));
    expect(logins.filter((login) => login !== undefined)).toEqual([]);
    expect(decoys.all.flatMap(({ requests }) => requests)).toEqual([]);
  });

  test("without registries in the service's settings, the public ones are asked, and no others", async () => {
    await using proxy = await refusingProxy();
    const env = { HTTPS_PROXY: proxy.url, https_proxy: proxy.url, HTTP_PROXY: "", http_proxy: "" };
    await using service = await start({ env });
    await addAll(service, () => ({}));
    const listed = await service.call(await service.key(), "listResources");
    expect(listed.structuredContent).toMatchObject({
      resources: registries.all.map(({ type }) => ({ type, revision: null, fetch: { state: "failed" } })),
    });
    expect(proxy.targets.size).toBe(servedPackageTypes.length);
    expect([...proxy.targets].filter((target) => target.includes("127.0.0.1"))).toEqual([]);
    expect(decoys.all.flatMap(({ requests }) => requests)).toEqual([]);
  });

  test.each(standardLibraries)("the standard library %s:%s is refused with its repository", async (type, name, url) => {
    await using service = await start({ registries: registries.urls });
    const key = await service.key();
    const added = await service.call(key, "addResource", { type, name: "std", package: name });
    expect([added.isError, textOf(added)]).toEqual([
      true,
      expect.stringMatching(
        new RegExp(
          `^ResourceNotOffered: this service does not offer .* \\(\\w+:${name}\\), which it would read from its own computer\n` +
            `What to do: add its repository instead: ${url}$`,
        ),
      ),
    ]);
    // As another version of the service may have stored it.
    await service.store.query("insert into resource (project, name, spec) values ($1, $2, $3::jsonb)", [
      service.project.id,
      "std",
      JSON.stringify({ type, name: "std", package: name }),
    ]);
    await service.call(key, "sync");
    await service.untilFetched();
    expect(textOf(await service.call(key, "listResources"))).toContain("which it would read from its own computer");
    expect(textOf(await service.call(key, "search", { ...otters, resources: ["std"] }))).not.toContain(planted);
  });

  test.each([
    "npm:shelf@1.2.0:own.js",
    "pypi:shelf@1.2.0:shelf/own.py",
    "cargo:shelf@1.2.0:src/own.rs",
    "cargo:std:std/src/lib.rs",
    "maven:org.demo:shelf@1.2.0:demo/Own.java",
    "java:jdk:java.base/java/util/List.java",
    "go:example.org/shelf@v1.2.0:own.go",
    "go:net/http:net/http/a.go",
  ])("a text to verify that cites %s opens nothing of the computer", async (cited) => {
    await using service = await start({ registries: registries.urls });
    const key = await addAll(service, () => ({}));
    const checked = await service.call(key, "verify", { text: `See ${cited}:1.` });
    expect(checked).toMatchObject({
      isError: false,
      structuredContent: { citations: [{ state: expect.stringMatching(/^(?:missing|not-read)$/) }] },
    });
  });
});

function textOf({ content }: ToolResult): string {
  return content.map(({ text }) => text).join("\n");
}

/** A proxy that notes where connections should go, and refuses them. */
async function refusingProxy(): Promise<AsyncDisposable & { url: string; targets: Set<string> }> {
  const targets = new Set<string>();
  const server = createServer().on("connect", (request, socket) => {
    targets.add(request.url ?? "");
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    targets,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
