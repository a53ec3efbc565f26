import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { CitewellError, messageOf } from "../../../errors.ts";
import type { Source } from "../../source.ts";
import { revisionOfHash } from "../integrity.ts";
import { pagesFolder } from "../package-pages.ts";
import { unpackedLimits } from "../unpack-limits.ts";
import { writeZip } from "../unpack-zip.ts";
import { openZip, type Zip } from "../zip.ts";
import type { CachedPackage } from "./yarn-cache.ts";

/**
 * Unpacks a package from a zip of yarn's cache, without contacting a registry. Files that would pass for the package's
 * pages are skipped. Its methods throw PackageUnreadable.
 */
export function createCachedSource(cached: CachedPackage): Source {
  const { file, name, version, sizeBytes, mtimeMs } = cached;
  return {
    key: ["yarn-cache", name, file, sizeBytes, mtimeMs].join("\n"),
    resolving: `reading ${name} ${version} from yarn's cache`,

    async resolve({ signal }) {
      const hash = createHash("sha512");
      await reading(file, () => pipeline(createReadStream(file), hash, { signal }), signal);
      return revisionOfHash(version, hash.digest("hex"));
    },

    async fetch(directory, { signal, onProgress }) {
      onProgress({ phase: "fetch", message: `unpacking ${name} ${version}` });
      await using zip = await reading(file, () => openUnchanged(cached), signal);
      const skipped = await writeZip(zip, directory, {
        folder: `node_modules/${name}/`,
        reserved: pagesFolder,
        reading: (action) => reading(file, action, signal),
        signal,
      });
      return { skipped };
    },
  };
}

/** The revision is a hash of the file's bytes: a file changed since then is another revision. */
async function openUnchanged({ file, sizeBytes, mtimeMs }: CachedPackage): Promise<Zip> {
  const zip = await openZip(file, { entryLimit: unpackedLimits.entries });
  const stats = await zip.handle.stat();
  if (stats.size === sizeBytes && stats.mtimeMs === mtimeMs) return zip;
  await zip[Symbol.asyncDispose]();
  throw new Error("it changed while it was read");
}

/** @throws PackageUnreadable, the signal's reason */
async function reading<Result>(file: string, action: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    signal.throwIfAborted();
    throw new CitewellError("PackageUnreadable", `${file} in yarn's cache cannot be read: ${messageOf(error)}`, {
      hint: "remove it, then run: yarn install",
      cause: error,
    });
  }
}
