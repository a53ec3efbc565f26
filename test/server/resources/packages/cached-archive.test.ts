import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../server/errors.ts";
import { cachedArchive, createCachedArchiveSource } from "../../../../server/resources/packages/cached-archive.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { packEntries } from "../../../support/npm-registry.ts";
import { packZip } from "../../../support/zip.ts";

const cache = { id: "test", place: "the cache", advice: "fetch it again" };
const large = 3 * 1024 ** 3;

/** What unpacking an archive into a folder, or into a file in its place, throws. */
async function fault(
  bytes: Uint8Array,
  archive: "zip" | "tarball",
  { into = "folder", signal = new AbortController().signal } = {},
) {
  await using folder = await temporaryFolder("//- folder/.keep\n//- file\nin the way\n");
  const file = path.join(folder.path, "it");
  await writeFile(file, bytes);
  const found = await cachedArchive(file, { name: "demo", version: "1.0" });
  if (found === undefined) throw new Error("the archive is not there");
  const source = createCachedArchiveSource(found, { ...cache, archive });
  const options = { revision: "", signal, onProgress: () => {} };
  const error = await source.fetch(path.join(folder.path, into), options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const { tag, error: message, hint } = toErrorBody(error);
  return `${tag}: ${message.replace(folder.path, "")} (${hint})`;
}

const zip = packZip([{ path: "a.js", content: "x" }]);
const tarball = packEntries([{ path: "top/a.js", content: "x" }]);

describe.each([
  ["zip", zip],
  ["tarball", tarball],
] as const)("of a %s", (archive, bytes) => {
  test("a cancelled run is that", async () => {
    expect(await fault(bytes, archive, { signal: AbortSignal.abort() })).toMatch(/^Cancelled: /);
  });

  test("an archive that is none is unreadable, with what to do", async () => {
    expect(await fault(Buffer.from("none"), archive)).toMatch(/^PackageUnreadable: .* \(fetch it again\)$/);
  });
});

test("a tarball over the limits is unreadable for that, and fetching it again would not help", async () => {
  expect(await fault(packEntries([{ path: "top/a.js", size: large }]), "tarball")).toBe(
    "PackageUnreadable: the tarball of demo 1.0 unpacks to more than any package needs (nothing was stored; report it to the package's author)",
  );
});

test("an error of the disk that is written to is not the archive's", async () => {
  // A file where the folder should be: no user can write there, the superuser included.
  expect(await fault(tarball, "tarball", { into: "file" })).toMatch(/^Internal: .*(?:ENOTDIR|EEXIST)/);
});
