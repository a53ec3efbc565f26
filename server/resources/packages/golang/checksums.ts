import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { CitewellError, messageOf } from "../../../errors.ts";
import { createUnpackCount, overLimitFault, unpackedLimits } from "../unpack-limits.ts";
import { openZip } from "../zip.ts";

/**
 * An `h1:` checksum as subresource integrity, undefined for other texts. It is a SHA-256 of the list of a zip's files,
 * not of its bytes: https://go.dev/ref/mod#go-sum-files
 */
export function toIntegrity(checksum: string): string | undefined {
  const [, digest] = /^h1:([A-Za-z0-9+/]{43}=)\s*$/.exec(checksum) ?? [];
  return digest === undefined ? undefined : `sha256-${digest}`;
}

/** The checksum of a version in the lines of a `go.sum`, as subresource integrity. */
export function integrityIn(lines: Iterable<string>, module: string, version: string): string | undefined {
  const prefix = `${module} ${version} h1:`;
  for (const line of lines) if (line.startsWith(prefix)) return toIntegrity(line.slice(prefix.length - "h1:".length));
  return undefined;
}

/**
 * The checksum of a zip, as subresource integrity: the SHA-256 of a line for each file, sorted by name.
 * @throws PackageUnreadable
 */
export async function hashZip(
  file: string,
  { label, signal }: { label: string; signal: AbortSignal },
): Promise<string> {
  try {
    await using zip = await openZip(file, { entryLimit: unpackedLimits.entries });
    const isOverLimits = createUnpackCount();
    if (zip.entries.some(({ path, sizeBytes }) => isOverLimits(path, sizeBytes)))
      throw new Error(`it ${overLimitFault}`);
    const list = createHash("sha256");
    for (const entry of zip.entries.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))) {
      const hash = createHash("sha256");
      await pipeline(await entry.stream(), hash, { signal });
      list.update(`${hash.digest("hex")}  ${entry.path}\n`);
    }
    return `sha256-${list.digest("base64")}`;
  } catch (error) {
    signal.throwIfAborted();
    throw new CitewellError("PackageUnreadable", `the archive of ${label} cannot be read: ${messageOf(error)}`, {
      hint: "nothing was stored; report it to the operator of the module proxy",
      cause: error,
    });
  }
}
