import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { CitewellError, messageOf } from "../../errors.ts";
import { plainPathFault } from "../../lib/plain-path.ts";
import { fileSizeLimitBytes, type SkippedFile } from "../snapshot.ts";
import { tooLargeReason } from "../walk.ts";
import {
  createUnpackCount,
  leavesFolder,
  overLimitFault,
  pathReason,
  refusedNameReason,
  unpackedLimits,
} from "./unpack-limits.ts";
import { openZip, type Zip, type ZipEntry } from "./zip.ts";

/** Runs an action that reads the zip, and converts its errors. */
type Reading = <Result>(action: () => Promise<Result>) => Promise<Result>;

/**
 * Unpacks the files of a zip whose paths begin with `folder` into an empty folder. Returns the files that were skipped,
 * as `unpackTarball` does.
 * @throws PackageUnreadable, errors of the disk
 */
export async function unpackZip(
  file: string,
  directory: string,
  { label, folder, reserved, signal }: { label: string; folder: string; reserved: string; signal: AbortSignal },
): Promise<SkippedFile[]> {
  const reading: Reading = async (action) => {
    try {
      return await action();
    } catch (error) {
      signal.throwIfAborted();
      throw new CitewellError("PackageUnreadable", `the archive of ${label} cannot be unpacked: ${messageOf(error)}`, {
        hint: "nothing was stored; report it to the package's author",
        cause: error,
      });
    }
  };
  await using zip = await reading(() => openZip(file, { entryLimit: unpackedLimits.entries }));
  return await writeZip(zip, directory, { folder, reserved, reading, signal });
}

/**
 * Writes the files below a folder of a zip. An entry that points out of the folder is an attack, so the whole zip is
 * refused. Links are skipped, and so are files in the folder `reserved`; they are returned.
 */
export async function writeZip(
  zip: Zip,
  directory: string,
  { folder, reserved, reading, signal }: { folder: string; reserved: string; reading: Reading; signal: AbortSignal },
): Promise<SkippedFile[]> {
  const entries = await reading(async () => entriesBelow(zip, folder));
  const skipped: SkippedFile[] = [];
  for (const { path: entryPath, entry } of entries) {
    signal.throwIfAborted();
    const bytes = skipReason(entryPath, entry, reserved) ?? (await reading(() => entry.read()));
    const reason = typeof bytes === "string" ? bytes : await writeEntry(path.join(directory, entryPath), bytes);
    if (reason !== undefined) skipped.push({ path: entryPath, reason });
  }
  return skipped;
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

/** The entries below `folder` that are not folders, with their relative paths. */
function entriesBelow({ entries }: Zip, folder: string): { path: string; entry: ZipEntry }[] {
  const leaving = entries.find((entry) => leavesFolder(entry.path));
  if (leaving !== undefined) throw new Error(`it has an entry that leaves its folder: ${JSON.stringify(leaving.path)}`);
  const below = entries.filter((entry) => entry.path.startsWith(folder) && entry.type !== "folder");
  if (below.length === 0) throw new Error(folder === "" ? "it is empty" : `it has nothing in ${folder}`);
  const isOverLimits = createUnpackCount();
  if (below.some(({ path, sizeBytes }) => isOverLimits(path, sizeBytes))) throw new Error(`it ${overLimitFault}`);
  return below.map((entry) => ({ path: entry.path.slice(folder.length), entry }));
}

function skipReason(
  entryPath: string,
  { type, sizeBytes, compressedSizeBytes }: ZipEntry,
  reserved: string,
): string | undefined {
  if (type === "link") return "a link, which is not followed";
  if (type !== "file") return "not a regular file";
  const size = Math.max(sizeBytes, compressedSizeBytes);
  if (size > fileSizeLimitBytes) return tooLargeReason(size);
  return pathReason(entryPath, reserved) ?? plainPathFault(entryPath)?.replace("a path", "its name");
}
