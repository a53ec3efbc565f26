import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { ReadEntry } from "tar";
import { CitewellError, codeOf } from "../../errors.ts";
import type { SkippedFile } from "../snapshot.ts";
import { leavesFolder, reservedReason, unpackedLimits } from "./unpack-limits.ts";

const fileTypes = ["File", "OldFile", "ContiguousFile"];

/**
 * Unpacks an npm tarball into an empty folder, without its top folder. Links and devices are skipped, as in npm, and so
 * are files in the folder `reserved`; both are returned. An entry that points out of the folder is an attack, so the
 * whole tarball is refused.
 * @throws PackageUnreadable (no tarball, too large, or such an entry), errors of the disk
 */
export async function unpackTarball(
  file: string,
  directory: string,
  { label, reserved, signal }: { label: string; reserved: string; signal: AbortSignal },
): Promise<SkippedFile[]> {
  const { Unpack } = await import("tar");
  const skipped: SkippedFile[] = [];
  const total = { entries: 0, bytes: 0 };
  let fault: unknown;
  const unpack = new Unpack({
    cwd: directory,
    strip: 1,
    preserveOwner: false,
    noMtime: true,
    // After a fault the rest is only read, so that pending writes finish and can be removed.
    filter: (entryPath, entry) => {
      if (fault !== undefined || signal.aborted || !("header" in entry)) return false;
      total.entries += 1;
      total.bytes += entry.size;
      if (total.entries > unpackedLimits.entries || total.bytes > unpackedLimits.bytes) {
        // Reading the rest could take hours: a few kilobytes can unpack to gigabytes.
        fault = refused(label, "unpacks to more than any package needs");
        unpack.abort(new Error("over the limit"));
        return false;
      }
      if (leavesFolder(entryPath)) {
        fault = refused(label, `has an entry that leaves its folder: ${JSON.stringify(entryPath)}`);
        return false;
      }
      const path = entryPath.split("/").slice(1).join("/");
      const reason = skipReason(path, entry, reserved);
      if (reason !== undefined) skipped.push({ path, reason });
      // Makes it readable, whatever the publisher's file mode.
      entry.mode = entry.type === "Directory" ? 0o755 : 0o644;
      return reason === undefined;
    },
    // tar continues after an entry that could not be written.
    onwarn: (code, message, data) => {
      if (code === "TAR_ENTRY_ERROR") fault ??= data instanceof Error ? data : refused(label, message);
    },
  });
  await pipeline(createReadStream(file), unpack).catch((error: unknown) => {
    const isOfDisk = /^E[A-Z]+$/.test(codeOf(error) ?? "");
    fault ??= isOfDisk ? error : refused(label, "is not a tarball that can be unpacked", error);
  });
  signal.throwIfAborted();
  if (fault !== undefined) throw fault;
  return skipped;
}

function skipReason(path: string, entry: ReadEntry, reserved: string): string | undefined {
  const reason = reservedReason(path, reserved);
  if (reason !== undefined || fileTypes.includes(entry.type) || entry.type === "Directory") return reason;
  return entry.type.endsWith("Link") ? "a link, which npm does not unpack either" : "not a regular file";
}

function refused(label: string, fault: string, cause?: unknown): CitewellError {
  return new CitewellError("PackageUnreadable", `the tarball of ${label} ${fault}`, {
    hint: "nothing was stored; report it to the package's author",
    cause,
  });
}
