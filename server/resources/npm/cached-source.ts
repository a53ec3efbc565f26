import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { CitewellError, messageOf } from "../../errors.ts";
import { plainPathFault } from "../../lib/plain-path.ts";
import { fileSizeLimitBytes, type SkippedFile } from "../snapshot.ts";
import type { Source } from "../source.ts";
import { tooLargeReason } from "../walk.ts";
import { revisionOfHash } from "./integrity.ts";
import { pagesFolder } from "./package-pages.ts";
import {
  createUnpackCount,
  leavesFolder,
  overLimitFault,
  pathReason,
  refusedNameReason,
  unpackedLimits,
} from "./unpack-limits.ts";
import type { CachedPackage } from "./yarn-cache.ts";
import { openZip, type Zip, type ZipEntry } from "./zip.ts";

/**
 * Unpacks a package from a zip of yarn's cache, without contacting a registry. An entry that points out of the folder
 * is an attack, so the whole zip is refused. Links are skipped, and so are files that would pass for the package's
 * pages. Its methods throw PackageUnreadable.
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
      const entries = await reading(file, async () => entriesBelow(zip, `node_modules/${name}/`), signal);
      const skipped: SkippedFile[] = [];
      for (const { path: entryPath, entry } of entries) {
        signal.throwIfAborted();
        const bytes = skipReason(entryPath, entry) ?? (await reading(file, () => entry.read(), signal));
        const reason = typeof bytes === "string" ? bytes : await writeEntry(path.join(directory, entryPath), bytes);
        if (reason !== undefined) skipped.push({ path: entryPath, reason });
      }
      return { skipped };
    },
  };
}

/** The reason if the disk refuses the name. @throws other errors of the disk */
async function writeEntry(target: string, bytes: Uint8Array): Promise<string | undefined> {
  try {
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, bytes);
    return undefined;
  } catch (error) {
    const reason = refusedNameReason(error);
    if (reason === undefined) throw error;
    return reason;
  }
}

/** The revision is a hash of the file's bytes: a file changed since then is another revision. */
async function openUnchanged({ file, sizeBytes, mtimeMs }: CachedPackage): Promise<Zip> {
  const zip = await openZip(file, { entryLimit: unpackedLimits.entries });
  const stats = await zip.handle.stat();
  if (stats.size === sizeBytes && stats.mtimeMs === mtimeMs) return zip;
  await zip[Symbol.asyncDispose]();
  throw new Error("it changed while it was read");
}

/** The entries below `folder` that are not folders, with their relative paths. */
function entriesBelow({ entries }: Zip, folder: string): { path: string; entry: ZipEntry }[] {
  const leaving = entries.find((entry) => leavesFolder(entry.path));
  if (leaving !== undefined) throw new Error(`it has an entry that leaves its folder: ${JSON.stringify(leaving.path)}`);
  const below = entries.filter((entry) => entry.path.startsWith(folder) && entry.type !== "folder");
  if (below.length === 0) throw new Error(`it has nothing in ${folder}`);
  const isOverLimits = createUnpackCount();
  if (below.some(({ path, sizeBytes }) => isOverLimits(path, sizeBytes))) throw new Error(`it ${overLimitFault}`);
  return below.map((entry) => ({ path: entry.path.slice(folder.length), entry }));
}

function skipReason(entryPath: string, { type, sizeBytes, compressedSizeBytes }: ZipEntry): string | undefined {
  if (type === "link") return "a link, which is not followed";
  if (type !== "file") return "not a regular file";
  const size = Math.max(sizeBytes, compressedSizeBytes);
  if (size > fileSizeLimitBytes) return tooLargeReason(size);
  return pathReason(entryPath, pagesFolder) ?? plainPathFault(entryPath)?.replace("a path", "its name");
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
