import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import type { OnProgress, Source } from "../source.ts";
import { revisionOf, versionOfRevision } from "./integrity.ts";
import { pagesFolder, writePackagePages } from "./package-pages.ts";
import { pickVersion, publishedVersion } from "./packument.ts";
import type { Registry } from "./registry.ts";
import { unpackTarball } from "./tarball.ts";

/** A package version to fetch. */
export interface Wanted {
  name: string;
  /** A version, range or tag. */
  version: string;
  /** The lockfile's checksum for that version, which the tarball must have. */
  integrity?: string | undefined;
}

/** Fetches the whole published tarball, and adds the pages of `package-pages.ts`. */
export function createNpmSource({ name, version, integrity }: Wanted, registry: Registry): Source {
  return {
    key: ["npm", registry.url, name, version, integrity ?? ""].join("\n"),

    async resolve({ signal }) {
      if (integrity !== undefined) return revisionOf(version, integrity);
      const packument = await registry.packument(name, { form: "short", signal });
      const published = publishedVersion(packument, pickVersion(packument, version));
      return revisionOf(published.version, published.integrity);
    },

    async fetch(directory, { revision, signal, onProgress }) {
      const packument = await registry.packument(name, { form: "full", signal });
      const published = publishedVersion(packument, pickVersion(packument, versionOfRevision(revision)));
      const label = `${name} ${published.version}`;
      const tarball = path.join(directory, pagesFolder, "package.tgz");
      await mkdir(path.dirname(tarball));
      const expected = { ...published, integrity: integrity ?? published.integrity };
      await registry.download(expected, tarball, { signal, onBytes: reportPercents(label, onProgress) });
      const skipped = await unpackTarball(tarball, directory, { label, reserved: pagesFolder, signal });
      await rm(tarball);
      await writePackagePages(directory, { packument, version: published.version });
      return { skipped };
    },
  };
}

/** Reports each percent once: a download has thousands of chunks. */
function reportPercents(label: string, onProgress: OnProgress): (received: number, total: number | undefined) => void {
  const message = `downloading ${label}`;
  let reported = 0;
  onProgress({ phase: "fetch", message });
  return (received, total) => {
    const percent = total === undefined ? 0 : Math.min(100, Math.floor((100 * received) / total));
    if (percent <= reported) return;
    reported = percent;
    onProgress({ phase: "fetch", fraction: percent / 100, message });
  };
}
