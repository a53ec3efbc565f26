import { createHash } from "node:crypto";
import { createReadStream, type Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { CitewellError, messageOf } from "../../errors.ts";
import type { Source } from "../source.ts";
import { createIntegrityCheck, revisionOfHash } from "./integrity.ts";
import { pagesFolder } from "./package-pages.ts";
import { unpackTarball } from "./tarball.ts";
import { unpackedLimits } from "./unpack-limits.ts";
import { writeZip } from "./unpack-zip.ts";
import { openZip, type Zip } from "./zip.ts";

/** An archive with the source of a package version, as a package manager left it on disk. */
export interface CachedArchive {
  file: string;
  name: string;
  version: string;
  sizeBytes: number;
  mtimeMs: number;
  /** Its checksums, where the cache has them. */
  integrity?: string | undefined;
}

/** The archive at a path; undefined if there is no file. */
export async function cachedArchive(
  file: string,
  rest: Pick<CachedArchive, "name" | "version" | "integrity">,
): Promise<CachedArchive | undefined> {
  const stats = await stat(file).catch(() => undefined);
  return stats?.isFile() === true ? { file, sizeBytes: stats.size, mtimeMs: stats.mtimeMs, ...rest } : undefined;
}

/** What differs between the caches of package managers. */
interface Cache {
  /** Identifies the kind of cache in keys of the store. */
  id: string;
  /** `yarn's cache` */
  place: string;
  /** What a user does about an archive that cannot be read. */
  advice: string;
  /** Default: a zip. A tarball is unpacked without its top folder. */
  archive?: "zip" | "tarball";
  /** Which entries are the package's: those below this folder, with a slash at its end. Default: all. */
  folder?: string;
}

/**
 * Unpacks a package from an archive on disk, without contacting a registry. Files that would pass for the package's
 * pages are skipped. Its methods throw PackageUnreadable and IntegrityMismatch.
 */
export function createCachedArchiveSource(
  archive: CachedArchive,
  { id, place, advice, archive: format = "zip", folder = "" }: Cache,
): Source {
  const { file, name, version, sizeBytes, mtimeMs, integrity } = archive;
  return {
    key: [id, name, file, sizeBytes, mtimeMs].join("\n"),
    resolving: `reading ${name} ${version} from ${place}`,

    async resolve({ signal }) {
      const hash = createHash("sha512");
      const check = integrity === undefined ? undefined : createIntegrityCheck(integrity);
      await reading(async () => {
        for await (const chunk of createReadStream(file, { signal })) {
          hash.update(chunk);
          check?.update(chunk);
        }
      }, signal);
      if (check?.isMet() === false) {
        throw new CitewellError("IntegrityMismatch", `${file} in ${place} does not match its checksum`, {
          hint: advice,
        });
      }
      return revisionOfHash(version, hash.digest("hex"));
    },

    async fetch(directory, { signal, onProgress }) {
      onProgress({ phase: "fetch", message: `unpacking ${name} ${version}` });
      if (format === "tarball") {
        await reading(async () => requireUnchanged(archive, await stat(file)), signal);
        const label = `${name} ${version}`;
        return { skipped: await unpackTarball(file, directory, { label, reserved: pagesFolder, advice, signal }) };
      }
      await using zip = await reading(() => openUnchanged(archive), signal);
      const skipped = await writeZip(zip, directory, {
        folder,
        reserved: pagesFolder,
        reading: (action) => reading(action, signal),
        signal,
      });
      return { skipped };
    },
  };

  /** @throws PackageUnreadable, the signal's reason */
  async function reading<Result>(action: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    try {
      return await action();
    } catch (error) {
      signal.throwIfAborted();
      throw new CitewellError("PackageUnreadable", `${file} in ${place} cannot be read: ${messageOf(error)}`, {
        hint: advice,
        cause: error,
      });
    }
  }
}

/** The revision is a hash of the file's bytes: a file changed since then is another revision. */
async function openUnchanged(archive: CachedArchive): Promise<Zip> {
  const zip = await openZip(archive.file, { entryLimit: unpackedLimits.entries });
  try {
    requireUnchanged(archive, await zip.handle.stat());
    return zip;
  } catch (error) {
    await zip[Symbol.asyncDispose]();
    throw error;
  }
}

function requireUnchanged({ sizeBytes, mtimeMs }: CachedArchive, stats: Stats): void {
  if (stats.size !== sizeBytes || stats.mtimeMs !== mtimeMs) throw new Error("it changed while it was read");
}
