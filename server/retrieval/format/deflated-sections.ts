import { deflateRawSync } from "node:zlib";

/** The sections with these names. */
export type Sections = Readonly<Record<string, Uint8Array>>;

/** Sections as they stand in an index file, in blocks of their own: made in any thread, and sent as they are. */
export interface DeflatedSections {
  /** Inflated, in their order. */
  lengths: Record<string, number>;
  /** One block after the other, and where each ends. */
  blocks: Uint8Array<ArrayBuffer>;
  ends: number[];
}

/** Before compression. A list spans one or two blocks; inflating one takes 0.03 ms. */
export const blockBytes = 16 * 1024;
/** At the fast end a segment is a fiftieth larger, and made no sooner: most of the time goes elsewhere. */
const segmentLevel = 6;

export function deflateSections(sections: Sections, level = segmentLevel): DeflatedSections {
  const inflated = joinBytes(Object.values(sections));
  const blocks: Buffer[] = [];
  const ends: number[] = [];
  for (let at = 0; at < inflated.length; at += blockBytes) {
    const block = deflateRawSync(inflated.subarray(at, at + blockBytes), { level });
    blocks.push(block);
    ends.push((ends.at(-1) ?? 0) + block.length);
  }
  const lengths = Object.fromEntries(Object.entries(sections).map(([name, { length }]) => [name, length]));
  return { lengths, blocks: joinBytes(blocks), ends };
}

/** In memory of its own. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
