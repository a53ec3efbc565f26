import { Writable } from "node:stream";
import { expect, test, vi } from "vitest";
import { createStatusLine } from "../../../cli/output/status-line.ts";
import { plainStyle } from "../../support/plain-style.ts";

/** A terminal; `take` returns what was written since the last call. */
function openStream() {
  let written = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk);
      done();
    },
  });
  return {
    stream: Object.assign(stream, { isTTY: true, columns: 80 }),
    take() {
      const taken = written;
      written = "";
      return taken;
    },
  };
}

test("a retry counts down in seconds until something else is shown", () => {
  vi.useFakeTimers();
  try {
    const { stream, take } = openStream();
    const line = createStatusLine(stream, plainStyle);
    const retry = { reason: "too many requests", attempt: 1, limit: 2, delayMs: 2000 };
    line.progress({ type: "progress", resource: "openai/m", phase: "fetch", message: "", retry });
    expect(take()).toContain("retry 1 of 2 in 2 s");
    vi.advanceTimersByTime(1000);
    expect(take()).toContain("retry 1 of 2 in 1 s");
    line.clear();
    take();
    vi.advanceTimersByTime(1000);
    expect(take()).toBe("");
  } finally {
    vi.useRealTimers();
  }
});
