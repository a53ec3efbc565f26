import { messageOf } from "../errors.ts";
import { afterRest } from "../lib/after-rest.ts";
import type { Snapshot } from "../resources/snapshot.ts";

/** The text of a file, or why there is none. */
export type ReadResult = { text: string; fault?: undefined } | { text?: undefined; fault: string };

/** Texts of files, read once and kept while there is room and somebody asks; those not used for longest go first. */
export interface TextStore {
  /** Never rejects: after an abort, too, it is the caller who knows whether anybody still waits. */
  read(snapshot: Snapshot, path: string, options: { signal: AbortSignal | undefined }): Promise<ReadResult>;
}

/** The tools of one question follow each other faster, and to read a file again takes a tenth of a millisecond. */
export const restMs = 5000;

/** `limit` is in UTF-16 units: mostly a byte each, because V8 keeps Latin text so. */
export function createTextStore({ limit }: { limit: number }): TextStore {
  const texts = new Map<string, string>();
  let held = 0;
  const heard = afterRest(restMs, () => {
    texts.clear();
    held = 0;
  });
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
    heard();
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
