import { debounce } from "../lib/debounce.ts";
import { type Definition, findDefinitions } from "../source/definitions.ts";
import { splitLines } from "../source/source-text.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { unreadReason } from "../resources/tree-reader.ts";
import { once } from "./once.ts";

/** The text of a file, or why there is none. */
export type TextResult = FileText | NoText;
/** A result has what is kept with the text. */
export type ReadResult = KeptText | NoText;

interface FileText {
  text: string;
  fault?: undefined;
}

interface NoText {
  text?: undefined;
  fault: string;
}

interface KeptText extends FileText {
  /** Found when they are first asked for: to find them for each question would take a sixth of its time. */
  definitions(): readonly Definition[];
}

/** Texts of files, read once and kept while there is room and somebody asks; those not used for longest go first. */
export interface TextStore {
  /** Never rejects: after an abort, too, it is the caller who knows whether anybody still waits. */
  read(snapshot: Snapshot, path: string, options: { signal: AbortSignal | undefined }): Promise<ReadResult>;
}

/** The tools of one question follow each other faster, and to read a file again takes a tenth of a millisecond. */
export const restMs = 5000;

/** `limit` is in UTF-16 units: mostly a byte each, because V8 keeps Latin text so. */
export function createTextStore({ limit }: { limit: number }): TextStore {
  const texts = new Map<string, KeptText>();
  let held = 0;
  const startIdleTimer = debounce(restMs, () => {
    texts.clear();
    held = 0;
  });
  return {
    async read(snapshot, path, options) {
      const key = `${snapshot.resource}\n${snapshot.revision}\n${path}`;
      try {
        const read = texts.get(key) ?? toKeptText(path, (await snapshot.read(path, options)).text);
        keep(key, read);
        return read;
      } catch (error) {
        return { fault: unreadReason(error, path) };
      }
    },
  };

  function keep(key: string, read: KeptText): void {
    startIdleTimer();
    if (texts.delete(key)) held -= read.text.length;
    texts.set(key, read);
    held += read.text.length;
    for (const [oldest, { text }] of texts) {
      if (held <= limit) return;
      texts.delete(oldest);
      held -= text.length;
    }
  }
}

function toKeptText(path: string, text: string): KeptText {
  return { text, definitions: once(() => findDefinitions(path, splitLines(text))) };
}
