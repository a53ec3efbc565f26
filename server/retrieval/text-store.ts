import { messageOf } from "../errors.ts";
import type { Snapshot } from "../resources/snapshot.ts";

/** The text of a file, or why there is none. */
export type ReadResult = { text: string; fault?: undefined } | { text?: undefined; fault: string };

/** Texts of files, read once and kept while there is room; those not used for longest go first. */
export interface TextStore {
  /** Never rejects: after an abort, too, it is the caller who knows whether anybody still waits. */
  read(snapshot: Snapshot, path: string, options: { signal: AbortSignal | undefined }): Promise<ReadResult>;
}

/** `limit` is in UTF-16 units: mostly a byte each, because V8 keeps Latin text so. */
export function createTextStore({ limit }: { limit: number }): TextStore {
  const texts = new Map<string, string>();
  let held = 0;
  return {
    async read(snapshot, path, options) {
      const key = `${snapshot.resource}\n${snapshot.revision}\n${path}`;
      try {
        const text = texts.get(key) ?? (await snapshot.read(path, options)).text;
        keep(key, text);
        return { text };
      } catch (error) {
        return { fault: messageOf(error) };
      }
    },
  };

  function keep(key: string, text: string): void {
    if (texts.delete(key)) held -= text.length;
    texts.set(key, text);
    held += text.length;
    for (const [oldest, { length }] of texts) {
      if (held <= limit) return;
      texts.delete(oldest);
      held -= length;
    }
  }
}
