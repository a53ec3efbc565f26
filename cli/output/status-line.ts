import type { OutputStream } from "../terminal.ts";
import { stripVTControlCharacters } from "node:util";
import { type AskEventOf, describeRetry, type ModelRetry } from "../../server/protocol/ask.ts";
import { renderProgress } from "../render/progress.ts";
import type { Style } from "../render/style.ts";
import { displayWidth } from "../render/width.ts";

/** How often a resource that takes long is spoken of where lines cannot be rewritten (checklists of the field: 10 s). */
const plainIntervalMs = 10_000;
/** How often the line is redrawn; more is not seen. */
const redrawIntervalMs = 80;

/** Shows progress: on a terminal one line that is rewritten, else a line at the start and at intervals. */
export interface StatusLine {
  progress(event: AskEventOf<"progress">): void;
  show(text: string): void;
  /** Takes the line away, before anything else is written. */
  clear(): void;
}

export function createStatusLine(stream: OutputStream, style: Style): StatusLine {
  return stream.isTTY && style.layout && !style.linear ? rewrittenLine(stream, style) : plainLines(stream, style);
}

function rewrittenLine(stream: OutputStream, style: Style): StatusLine {
  let isShown = false;
  let drawnAt = 0;
  let countdown: NodeJS.Timeout | undefined;
  const countDown = (event: AskEventOf<"progress">, retry: ModelRetry, until: number) => {
    const delayMs = Math.max(0, until - performance.now());
    status.show(describe({ ...event, message: describeRetry({ ...retry, delayMs }) }, style));
    if (delayMs > 0) countdown = setTimeout(() => countDown(event, retry, until), Math.min(1000, delayMs)).unref();
  };
  const status: StatusLine = {
    progress(event) {
      if (event.retry !== undefined) return countDown(event, event.retry, performance.now() + event.retry.delayMs);
      if (countdown !== undefined || performance.now() - drawnAt < redrawIntervalMs) return;
      status.show(describe(event, style));
    },
    show(text) {
      clearTimeout(countdown);
      countdown = undefined;
      const bare = stripVTControlCharacters(text);
      const line = displayWidth(bare) < style.width ? text : bare.slice(0, style.width - 1);
      stream.write(`\r\u001B[2K${line}`);
      isShown = true;
      drawnAt = performance.now();
    },
    clear() {
      clearTimeout(countdown);
      countdown = undefined;
      if (isShown) stream.write("\r\u001B[2K");
      isShown = false;
    },
  };
  return status;
}

function plainLines(stream: OutputStream, style: Style): StatusLine {
  const spokenAt = new Map<string, number>();
  return {
    progress(event) {
      const now = performance.now();
      const subject = `${event.resource} ${event.retry?.attempt ?? ""}`;
      if (now - (spokenAt.get(subject) ?? -Infinity) < plainIntervalMs) return;
      spokenAt.set(subject, now);
      stream.write(`${describe(event, style)}\n`);
    },
    show() {},
    clear() {},
  };
}

function describe({ resource, message, ...rest }: AskEventOf<"progress">, style: Style): string {
  return renderProgress({ ...rest, message: `${resource}: ${message}` }, style);
}
