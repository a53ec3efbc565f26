import type { WriteStream } from "node:tty";
import { stripVTControlCharacters } from "node:util";
import type { AskEventOf } from "../server/protocol/ask.ts";
import { renderProgress } from "./render/progress.ts";
import type { Style } from "./render/style.ts";
import { displayWidth } from "./render/width.ts";

/** How often a resource that takes long is spoken of where lines cannot be rewritten (checklists of the field: 10 s). */
const plainIntervalMs = 10_000;
/** How often the line is redrawn; more is not seen. */
const redrawIntervalMs = 80;

/** What is going on right now. On a terminal one line that is rewritten, else a line at the start and now and then. */
export interface StatusLine {
  progress(event: AskEventOf<"progress">): void;
  show(text: string): void;
  /** Takes the line away, before anything else is written. */
  clear(): void;
}

export function createStatusLine(stream: WriteStream, style: Style): StatusLine {
  return stream.isTTY && style.layout ? rewrittenLine(stream, style) : plainLines(stream, style);
}

function rewrittenLine(stream: WriteStream, style: Style): StatusLine {
  let isShown = false;
  let drawnAt = 0;
  const status: StatusLine = {
    progress(event) {
      if (performance.now() - drawnAt < redrawIntervalMs) return;
      status.show(describe(event, style));
    },
    show(text) {
      const bare = stripVTControlCharacters(text);
      const line = displayWidth(bare) < style.width ? text : bare.slice(0, style.width - 1);
      stream.write(`\r\u001B[2K${line}`);
      isShown = true;
      drawnAt = performance.now();
    },
    clear() {
      if (isShown) stream.write("\r\u001B[2K");
      isShown = false;
    },
  };
  return status;
}

function plainLines(stream: WriteStream, style: Style): StatusLine {
  const spokenAt = new Map<string, number>();
  return {
    progress(event) {
      const now = performance.now();
      if (now - (spokenAt.get(event.resource) ?? -Infinity) < plainIntervalMs) return;
      spokenAt.set(event.resource, now);
      stream.write(`${describe(event, style)}\n`);
    },
    show() {},
    clear() {},
  };
}

function describe({ resource, message, ...rest }: AskEventOf<"progress">, style: Style): string {
  return renderProgress({ ...rest, message: `${resource}: ${message}` }, style);
}
