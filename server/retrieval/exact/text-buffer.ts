/** Collects lines as UTF-8, each ended by `\n`; only shown lines become strings. */
export interface TextBuffer {
  /** Drops lines that were added and not taken: an expression that took too long left them. */
  begin(): void;
  /** A line that is UTF-8. */
  addBytes(source: Buffer, start: number, end: number): void;
  addLine(line: string): void;
  /** The lines that were added. */
  take(): Buffer;
}

export const noText: Buffer = Buffer.alloc(0);

const lineEnd = 10;
const roomBytes = 256 * 1024;

export function createTextBuffer(): TextBuffer {
  let memory = noText;
  let start = 0;
  let end = 0;
  return {
    begin() {
      start = end;
    },
    addBytes(source, from, until) {
      makeRoom(until - from + 1);
      copyBytes(source, from, until, { target: memory, to: end });
      end += until - from;
      memory[end++] = lineEnd;
    },
    addLine(line) {
      makeRoom(3 * line.length + 1);
      end += memory.write(line, end);
      memory[end++] = lineEnd;
    },
    take() {
      return memory.subarray(start, end);
    },
  };

  function makeRoom(bytes: number): void {
    if (end + bytes <= memory.length) return;
    const begun = memory.subarray(start, end);
    const larger = Buffer.allocUnsafeSlow(Math.max(roomBytes, 2 * (begun.length + bytes)));
    larger.set(begun);
    memory = larger;
    start = 0;
    end = begun.length;
  }
}

/** Byte by byte, which for a short line is faster than a call. */
function copyBytes(source: Buffer, start: number, end: number, { target, to }: { target: Buffer; to: number }): void {
  const shift = to - start;
  for (let at = start; at < end; at++) target[at + shift] = source[at] ?? 0;
}
