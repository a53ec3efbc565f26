/** What a terminal sent: keys, or a text that was pasted, whole. */
export interface Input {
  type: "keys" | "paste";
  text: string;
}

const start = "\u001B[200~";
const end = "\u001B[201~";
/** Bracketed paste, on and off: https://invisible-island.net/xterm/ctlseqs/ctlseqs.html#h2-Bracketed-Paste-Mode */
export const bracketedPaste = { on: "\u001B[?2004h", off: "\u001B[?2004l" } as const;

/** Tells what was pasted from what was typed; both may come in any pieces. */
export function createPasteReader(): (chunk: string) => Input[] {
  let held = "";
  let isPasting = false;
  return (chunk) => {
    held += chunk;
    const inputs: Input[] = [];
    while (held !== "") {
      const mark = isPasting ? end : start;
      const at = held.indexOf(mark);
      if (at === -1) break;
      inputs.push({ type: isPasting ? "paste" : "keys", text: held.slice(0, at) });
      held = held.slice(at + mark.length);
      isPasting = !isPasting;
    }
    if (!isPasting) {
      const kept = beginningOf(start, held);
      inputs.push({ type: "keys", text: held.slice(0, held.length - kept) });
      held = held.slice(held.length - kept);
    } else if (chunk === interrupt) {
      // The end was lost: a paste is never this single key.
      isPasting = false;
      held = "";
    }
    return inputs.filter(({ text }) => text !== "");
  };
}

const interrupt = "\u0003";

/** How much of the mark the text ends with. Escape alone, and with a bracket, are keys. */
function beginningOf(mark: string, text: string): number {
  for (let length = mark.length - 1; length > 2; length--) if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}

/** A line break within a line: readline takes a real one for the end of the input. */
const lineBreak = "↵";

/** Pasted text as one line to edit. What could control the terminal is left out. */
export function toEditedLine(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/\n+$/, "")
    .replaceAll("\n", lineBreak)
    .replaceAll("\t", "    ")
    .replace(/[\p{Cc}\u2028\u2029]/gu, "");
}

/** The inverse of `toEditedLine`. */
export function fromEditedLine(line: string): string {
  return line.replaceAll(lineBreak, "\n");
}
