import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import type { OnProgress, Source } from "../source.ts";
import type { Registry, Wanted } from "./ecosystem.ts";
import { revisionOf, versionOfRevision } from "./integrity.ts";
import { pagesFolder } from "./package-pages.ts";
import { unpackTarball } from "./tarball.ts";
import { unpackZip } from "./unpack-zip.ts";

/** Fetches the whole published archive, and adds the pages of `package-pages.ts`. */
export function createPublishedSource(type: string, wanted: Wanted, registry: Registry): Source {
  const { name, version, integrity } = wanted;
  return {
    key: [type, registry.id, name, version, integrity ?? ""].join("\n"),

    async resolve({ signal }) {
      if (integrity !== undefined) return revisionOf(version, integrity);
      const release = await registry.find(wanted, { withPages: false, signal });
      return revisionOf(release.version, release.integrity);
    },

    async fetch(directory, { revision, signal, onProgress }) {
      const found = { ...wanted, version: versionOfRevision(revision) };
      const release = await registry.find(found, { withPages: true, signal });
      const label = `${name} ${release.version}`;
      const archive = path.join(directory, pagesFolder, "package");
      await mkdir(path.dirname(archive), { recursive: true });
      const expected = integrity ?? release.integrity;
      await release.download(archive, { integrity: expected, signal, onBytes: reportPercents(label, onProgress) });
      const options = { label, folder: release.folder ?? "", reserved: pagesFolder, signal };
      const unpack = release.archive === "zip" ? unpackZip : unpackTarball;
      const skipped = await unpack(archive, directory, options);
      await rm(archive);
      await release.writePages(directory);
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
