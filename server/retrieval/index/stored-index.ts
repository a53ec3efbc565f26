import * as z from "zod";
import type { SkippedFile } from "../../resources/snapshot.ts";
import type { BlockCache } from "../format/block-cache.ts";
import { packNumbers, unpackNumbers } from "../format/bytes.ts";
import { deflateSections } from "../format/deflated-sections.ts";
import { openIndexBytes, packIndexFile } from "../format/index-file.ts";
import { once } from "../once.ts";
import { openPathFacts, type PathFacts } from "./path-facts.ts";
import type { TextPlace } from "./snapshot-index.ts";

/** The locations of a snapshot's texts when it was indexed. The rest is read on demand. */
export interface StoredIndex {
  /** Identifies the snapshot: another one of the same name is compared with it. */
  readonly key: string;
  readonly segments: readonly string[];
  /** The place of each file of the snapshot; undefined if it is not searched. */
  readonly places: readonly (TextPlace | undefined)[];
  /** The facts of the files with a place, in order. */
  readonly facts: PathFacts;
  readonly skipped: readonly SkippedFile[];
  /** The files of the snapshot; the stamp detects changes without reading. */
  readonly files: readonly { path: string; stamp: string | undefined }[];
}

const Head = z.object({ key: z.string(), segments: z.array(z.string()) });
const Skipped = z.array(z.object({ path: z.string(), reason: z.string() }));

/** The file is rewritten with every edit of a folder; level 6 is an eighth smaller and takes a third longer. */
const deflateLevel = 1;

export function packStoredIndex({ key, segments, places, facts, skipped, files }: StoredIndex): Uint8Array {
  const sections = {
    head: toJson({ key, segments }),
    placeSegments: packNumbers(places.map((place) => (place === undefined ? 0 : place.segment + 1))),
    placeFiles: packNumbers(places.map((place) => place?.file ?? 0)),
    ...facts.sections(),
    skipped: toJson(skipped),
    paths: packTexts(files.map(({ path }) => path)),
    stamps: packTexts(files.map(({ stamp = "" }) => stamp)),
  };
  return packIndexFile(deflateSections(sections, deflateLevel));
}

/** Members other than `key` and `segments` may throw, too. @throws DamagedIndex */
export function openStoredIndex(bytes: Uint8Array, options: { blocks?: BlockCache } = {}): StoredIndex {
  const file = openIndexBytes(bytes, options);
  const json = (name: string): unknown => JSON.parse(Buffer.from(file.section(name)).toString());
  const places = once(() => {
    const segments = unpackNumbers(file.section("placeSegments"));
    const files = unpackNumbers(file.section("placeFiles"));
    return Array.from(segments, (segment, index) =>
      segment === 0 ? undefined : { segment: segment - 1, file: files[index] ?? 0 },
    );
  });
  const facts = once(() => openPathFacts(file));
  const files = once(() => {
    const stamps = unpackTexts(file.section("stamps"));
    return unpackTexts(file.section("paths")).map((path, index) => ({ path, stamp: stamps[index] || undefined }));
  });
  return {
    ...Head.parse(json("head")),
    get places() {
      return places();
    },
    get facts() {
      return facts();
    },
    get skipped() {
      return Skipped.parse(json("skipped"));
    },
    get files() {
      return files();
    },
  };
}

/** NUL-terminated, because no path contains a NUL: faster to read than JSON. */
function packTexts(texts: readonly string[]): Uint8Array {
  const text = texts.map((text) => `${text}\0`).join("");
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

function unpackTexts(bytes: Uint8Array): string[] {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString().split("\0").slice(0, -1);
}

function toJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
