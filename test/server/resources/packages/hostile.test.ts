import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../server/errors.ts";
import { type ServedPackageType, servedPackageTypes } from "../../../../server/protocol/kinds/names.ts";
import { startCargoRegistry } from "../../../support/cargo-registry.ts";
import { cargoWorkspace } from "../../../support/cargo-workspace.ts";
import { startGoProxy } from "../../../support/go-proxy.ts";
import { goWorkspace } from "../../../support/go-workspace.ts";
import { startMavenRepository } from "../../../support/maven-repository.ts";
import { mavenWorkspace } from "../../../support/maven-workspace.ts";
import { packEntries, startNpmRegistry } from "../../../support/npm-registry.ts";
import type { Intercept } from "../../../support/registry-server.ts";
import { type NpmWorkspace, npmWorkspace } from "../../../support/npm-workspace.ts";
import { startPypiIndex } from "../../../support/pypi-index.ts";
import { pypiWorkspace } from "../../../support/pypi-workspace.ts";
import { packZip } from "../../../support/zip.ts";

/** An entry of an archive of any format. */
interface Entry {
  /** From the folder of the package's files. */
  path: string;
  content?: string;
  isLink?: boolean;
  /** A false size. */
  size?: number;
}

interface Hostile {
  entries: readonly Entry[];
  /** Whether the registry names the checksum of other bytes. */
  isWrong?: boolean;
  /** Where the registry's metadata sends a download. */
  host?: string;
}

interface Opened extends AsyncDisposable {
  name: string;
  workspace: NpmWorkspace;
}

const tarball = (entries: readonly Entry[]) =>
  packEntries(
    entries.map(({ path: below, isLink = false, ...rest }) => ({
      ...rest,
      path: below.startsWith("/") ? below : `top/${below}`,
      ...(isLink ? { type: "SymbolicLink" as const, linkpath: "/etc/passwd" } : {}),
    })),
  );
const zipEntries = (entries: readonly Entry[], folder = "") =>
  entries.map(({ path: below, isLink = false, content = "", ...rest }) => ({
    ...rest,
    path: below.startsWith("/") ? below : `${folder}${below}`,
    content: isLink ? "/etc/passwd" : content,
    method: 8,
    ...(isLink ? { mode: 0o120777 } : {}),
  }));

/** A registry of each ecosystem on loopback with one hostile version, and a user of it. */
const openers: { [Type in ServedPackageType]: (hostile: Hostile) => Promise<Opened> } = {
  async npm({ entries, isWrong = false, host }) {
    const registry = await startNpmRegistry();
    const dist = {
      ...(isWrong ? { integrity: `sha512-${"A".repeat(86)}==` } : {}),
      ...(host ? { tarball: host } : {}),
    };
    registry.publish({ name: "pkg", version: "1.0.0", tarball: tarball(entries), dist });
    return disposing(registry, "pkg", npmWorkspace({ npmrc: `registry=${registry.url}` }));
  },
  async pypi({ entries, isWrong = false, host }) {
    const index = await startPypiIndex();
    const bytes = packZip(zipEntries(entries));
    const hashes = isWrong ? { hashes: { sha256: "0".repeat(64) } } : {};
    index.publish({ name: "demo", version: "1.0", bytes, ...hashes, ...(host ? { url: host } : {}) });
    return disposing(index, "demo", pypiWorkspace({ index }));
  },
  async cargo({ entries, isWrong = false, host }) {
    const registry = await startCargoRegistry();
    const bytes = tarball(entries);
    registry.publish({ name: "demo", version: "1.0.0", bytes, ...(isWrong ? { cksum: "0".repeat(64) } : {}) });
    if (host !== undefined) registry.downloadFrom(host);
    return disposing(registry, "demo", cargoWorkspace({ registry }));
  },
  async maven({ entries, isWrong = false, host }) {
    const repository = await startMavenRepository();
    const checksum = isWrong ? { checksum: "0".repeat(40) } : {};
    repository.publish({ name: "org.demo:demo", version: "1.0", entries: zipEntries(entries), ...checksum });
    if (host !== undefined) repository.intercept(redirecting(/-sources\.jar$/, host));
    return disposing(repository, "org.demo:demo", mavenWorkspace({ repository }));
  },
  async golang({ entries, isWrong = false, host }) {
    const proxy = await startGoProxy();
    const module = "example.org/demo";
    const zip = zipEntries(entries, `${module}@v1.0.0/`);
    const lines = zip
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .map(({ path: file, content }) => `${createHash("sha256").update(content).digest("hex")}  ${file}\n`);
    const sum = `h1:${createHash("sha256").update(lines.join("")).digest("base64")}`;
    proxy.publish({
      module,
      version: "v1.0.0",
      files: {},
      entries: zip,
      checksum: isWrong ? `h1:${"A".repeat(43)}=` : sum,
    });
    if (host !== undefined) proxy.intercept(redirecting(/\.zip$/, host));
    return disposing(proxy, module, goWorkspace({ proxy }));
  },
};

async function disposing(registry: AsyncDisposable, name: string, made: Promise<NpmWorkspace>): Promise<Opened> {
  const workspace = await made;
  return {
    name,
    workspace,
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]();
      await registry[Symbol.asyncDispose]();
    },
  };
}

function redirecting(file: RegExp, location: string): Intercept {
  return ({ url = "" }, response) => {
    if (!file.test(url)) return false;
    response.writeHead(302, { location }).end();
    return true;
  };
}

const fine: Entry = { path: "src/fine.txt", content: "fine\n" };

/** The files and what was left out; or the error and what it left in the store. */
async function outcome(type: keyof typeof openers, hostile: Hostile): Promise<string[]> {
  await using opened = await openers[type](hostile);
  const { workspace, name } = opened;
  try {
    await using snapshot = await workspace.open({ name: "it", package: name });
    const files = snapshot.files.map((file) => file.path).filter((file) => !file.startsWith(".citewell-package/"));
    return [...files, ...snapshot.skipped.map(({ path: file, reason }) => `${file}: ${reason}`)];
  } catch (error) {
    const { tag, error: message } = toErrorBody(error);
    return [`${tag}: ${message}`, ...(await workspace.kept())];
  }
}

describe.each(servedPackageTypes)("of %s", (type) => {
  test("an ordinary package is read", async () => {
    expect(await outcome(type, { entries: [fine] })).toEqual(["src/fine.txt"]);
  });

  test.each(["../../out.txt", "/out.txt", "src/../../../out.txt", "..\\..\\out.txt"])(
    "an entry that leaves the folder refuses all of it: %s",
    async (entry) => {
      const found = await outcome(type, { entries: [fine, { path: entry, content: "evil" }] });
      expect(found).toEqual([expect.stringMatching(/^PackageUnreadable: .*leaves its folder/)]);
    },
  );

  test("a link out of it is skipped", async () => {
    const found = await outcome(type, { entries: [fine, { path: "src/passwd", isLink: true }] });
    expect(found).toEqual(["src/fine.txt", expect.stringMatching(/^src\/passwd: a link/)]);
  });

  test("one that unpacks to more than the limits is refused before anything is written", async () => {
    const size = 0xffff_0000;
    const found = await outcome(type, { entries: [fine, { path: "src/bomb.txt", content: "x", size }] });
    expect(found).toEqual([expect.stringMatching(/^PackageUnreadable: .*unpacks to more than any package needs/)]);
  });

  test("an archive with another checksum than the registry's is refused", async () => {
    expect(await outcome(type, { entries: [fine], isWrong: true })).toEqual([
      expect.stringMatching(/^IntegrityMismatch: /),
    ]);
  });

  test.each(["http://elsewhere.example/it", "file:///etc/passwd", "ftp://elsewhere.example/it"])(
    "no download goes to an address that is not HTTPS: %s",
    async (host) => {
      const [fault = "", ...kept] = await outcome(type, { entries: [fine], host });
      expect(fault).toMatch(/^RegistryFailed: .*(?:not reached over https|names no address)/);
      expect(kept).toEqual([]);
    },
  );

  test("files that would run are text like others", async () => {
    const names = ["evil.pth", "setup.py", "build.rs", "conftest.py", "binding.gyp", "Makefile"];
    const content = "import os; os.abort()\n";
    const found = await outcome(type, { entries: names.map((file) => ({ path: file, content })) });
    expect(found).toEqual(names.toSorted());
  });
});
