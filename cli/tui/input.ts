/** What the user did at the keyboard or with the mouse. */
export type TerminalInput =
  | { type: "text"; text: string }
  /** A key by name, with its modifiers in the order `ctrl+alt+shift+`: `enter`, `alt+enter`, `ctrl+c`, `shift+tab`. */
  | { type: "key"; key: string }
  | { type: "paste"; text: string }
  /** Columns and rows are 0-based. */
  | { type: "mouse"; action: MouseAction; column: number; row: number }
  | { type: "focus"; hasFocus: boolean };

/** What the left button or the wheel did. */
export type MouseAction = "press" | "drag" | "release" | "wheel-up" | "wheel-down";

/** Reads input in pieces of any size. */
export interface InputReader {
  push(chunk: string): TerminalInput[];
  /** Whether an escape sequence may still be incomplete: call `flush` when nothing follows for a moment. */
  readonly isWaiting: boolean;
  /** Takes the incomplete sequence for the Escape key. */
  flush(): TerminalInput[];
}

/** Creates a reader for one terminal. */
export function createInputReader(): InputReader {
  let held = "";
  return {
    push(chunk) {
      // The end of a paste was lost.
      if (chunk === interrupt && held.startsWith(pasteStart)) held = "";
      const { inputs, rest } = splitInput(held + chunk);
      held = rest;
      return inputs;
    },
    get isWaiting() {
      return held !== "" && !held.startsWith(pasteStart);
    },
    flush() {
      const sequence = held;
      held = "";
      return sequence === "" ? [] : [{ type: "key", key: "escape" }, ...splitInput(sequence.slice(1)).inputs];
    },
  };
}

/** Bracketed paste: https://invisible-island.net/xterm/ctlseqs/ctlseqs.html#h2-Bracketed-Paste-Mode */
const pasteStart = "\u001B[200~";
const pasteEnd = "\u001B[201~";
const interrupt = "\u0003";

/** ECMA-48 control sequences (5.4), the function keys of SS3, and Escape before a character, which is Alt. */
// oxlint-disable-next-line no-control-regex -- the sequences that terminals send begin with control characters
const sequence = /^\u001B(?:\[([<?]?[\d;:]*)([ -/]*[@-~])|O([A-Za-z])|(\u001B\[[\d;]*[@-~])|([^\u001B[O]))/u;
// oxlint-disable-next-line no-control-regex -- see above
const incomplete = /^\u001B(?:$|\[[<?]?[\d;:]*$|O$|\u001B(?:\[[\d;]*)?$)/;

function splitInput(text: string): { inputs: TerminalInput[]; rest: string } {
  const inputs: TerminalInput[] = [];
  let rest = text;
  while (rest !== "") {
    if (rest.startsWith(pasteStart)) {
      const end = rest.indexOf(pasteEnd);
      if (end === -1) return { inputs, rest };
      inputs.push({ type: "paste", text: rest.slice(pasteStart.length, end) });
      rest = rest.slice(end + pasteEnd.length);
      continue;
    }
    if (incomplete.test(rest)) return { inputs, rest };
    const found = sequence.exec(rest);
    if (found !== null) {
      const [whole, parameters, final = "", ss3, , alt] = found;
      rest = rest.slice(whole.length);
      if (alt !== undefined) inputs.push(...withModifier("alt", readCharacter(alt)));
      else if (ss3 !== undefined) inputs.push(...named(functionKeys[ss3], ""));
      else if (parameters !== undefined) inputs.push(...readSequence(parameters, final));
      continue;
    }
    // oxlint-disable-next-line no-control-regex -- see above
    const [printable = ""] = /^[^\u0000-\u001F\u007F]+/.exec(rest) ?? [];
    if (printable !== "") inputs.push({ type: "text", text: printable });
    else inputs.push(...readCharacter(rest.charAt(0)));
    rest = rest.slice(printable.length === 0 ? 1 : printable.length);
  }
  return { inputs, rest: "" };
}

function readCharacter(character: string): TerminalInput[] {
  const code = character.codePointAt(0) ?? 0;
  const key = controlKeys[code];
  if (key !== undefined) return [{ type: "key", key }];
  if (code < 32) return [{ type: "key", key: `ctrl+${String.fromCharCode(code + 96)}` }];
  return [{ type: "text", text: character }];
}

function readSequence(parameters: string, final: string): TerminalInput[] {
  if (parameters.startsWith("<")) return readMouse(parameters.slice(1), final);
  if (final === "I" || final === "O") return [{ type: "focus", hasFocus: final === "I" }];
  const [first = "", second = ""] = parameters.split(";");
  const modifiers = modifiersOf(second);
  if (final === "Z") return [{ type: "key", key: "shift+tab" }];
  if (final === "u") return readKeyCode(Number(first.split(":")[0]), modifiers);
  if (final === "~") return named(editingKeys[first], modifiers);
  return named(functionKeys[final], modifiers);
}

/** https://sw.kovidgoyal.net/kitty/keyboard-protocol/: keys that older encodings cannot tell apart. */
function readKeyCode(code: number, modifiers: string): TerminalInput[] {
  if (!Number.isInteger(code) || code > 0x10ffff) return [];
  const name = controlKeys[code] ?? (code < 32 ? undefined : String.fromCodePoint(code));
  if (name === undefined) return [];
  if (modifiers === "" || modifiers === "shift+")
    return name.length === 1 ? [] : [{ type: "key", key: modifiers + name }];
  return [{ type: "key", key: modifiers + name }];
}

/** 1 plus a bit each for Shift, Alt and Ctrl. */
function modifiersOf(text: string): string {
  const bits = Math.max(0, Number(text.split(":")[0] ?? "") - 1);
  return `${(bits & 4) > 0 ? "ctrl+" : ""}${(bits & 2) > 0 ? "alt+" : ""}${(bits & 1) > 0 ? "shift+" : ""}`;
}

/** SGR mouse reports: https://invisible-island.net/xterm/ctlseqs/ctlseqs.html#h3-Extended-coordinates */
function readMouse(parameters: string, final: string): TerminalInput[] {
  const [button = 0, column = 1, row = 1] = parameters.split(";").map(Number);
  const place = { column: column - 1, row: row - 1 };
  if ((button & 64) > 0) {
    const action = (button & 3) === 0 ? "wheel-up" : (button & 3) === 1 ? "wheel-down" : undefined;
    return action === undefined ? [] : [{ type: "mouse", action, ...place }];
  }
  if ((button & 3) !== 0) return [];
  const action = final === "m" ? "release" : (button & 32) > 0 ? "drag" : "press";
  return [{ type: "mouse", action, ...place }];
}

function withModifier(modifier: "alt", inputs: readonly TerminalInput[]): TerminalInput[] {
  return inputs.map((input) => {
    if (input.type === "text") return { type: "key", key: `${modifier}+${input.text}` };
    return input.type === "key" ? { type: "key", key: `${modifier}+${input.key}` } : input;
  });
}

function named(name: string | undefined, modifiers: string): TerminalInput[] {
  return name === undefined ? [] : [{ type: "key", key: modifiers + name }];
}

const controlKeys: Readonly<Record<number, string>> = {
  8: "backspace",
  9: "tab",
  13: "enter",
  27: "escape",
  127: "backspace",
};

const functionKeys: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  M: "enter",
};

const editingKeys: Readonly<Record<string, string>> = {
  "1": "home",
  "3": "delete",
  "4": "end",
  "5": "pageup",
  "6": "pagedown",
  "7": "home",
  "8": "end",
};
