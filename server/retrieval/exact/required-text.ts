/**
 * What a text must hold for an expression to match in it: all of some literals, one of several, or `anything` where the
 * expression does not say. Read from JavaScript's syntax; whatever is not understood counts as `anything`, because a wrong
 * literal would silently lose matches.
 */
export type RequiredText =
  | { type: "anything" }
  | { type: "literal"; text: string }
  | { type: "all"; of: readonly RequiredText[] }
  | { type: "any"; of: readonly RequiredText[] };

export interface Requirement {
  required: RequiredText;
  /** Whether a text that holds it matches by that alone, as with `get(Item|Entry)`. */
  isEnough: boolean;
}

const anything: RequiredText = { type: "anything" };
export const nothingRequired: Requirement = { required: anything, isEnough: false };

/** Deeper nesting is nothing a person typed. */
const depthLimit = 50;

/** How many literals an alternative may grow to, as `_[0-9]{2}` to a hundred: each is looked up. */
const literalLimit = 128;
/** Of a larger class, one letter says too little. */
const classLimit = 64;
/** A shorter literal is in nearly every text. */
const leastLength = 3;

export function requirementOf(source: string): Requirement {
  const reader = { source, at: 0, isBounded: false };
  const { required, exact } = readAlternatives(reader, 0);
  if (reader.at !== source.length || required.type === "anything") return nothingRequired;
  return { required, isEnough: exact !== undefined && !reader.isBounded };
}

/** More are sought one after the other for longer than all of a text takes. */
export const soughtLimit = 4;

/** A few literals of which a match holds one; undefined where there are none such. */
export function requiredLiterals(required: RequiredText): readonly string[] | undefined {
  switch (required.type) {
    case "anything":
      return undefined;
    case "literal":
      return [required.text];
    case "all": {
      const known = required.of.map(requiredLiterals).filter((literals) => literals !== undefined);
      return known.sort((a, b) => shortestOf(b) - shortestOf(a))[0];
    }
    case "any": {
      const each = required.of.map(requiredLiterals);
      const all = each.flatMap((literals) => literals ?? []);
      return each.every((literals) => literals !== undefined) && all.length <= soughtLimit ? all : undefined;
    }
  }
}

function shortestOf(literals: readonly string[]): number {
  return Math.min(...literals.map(({ length }) => length));
}

interface Reader {
  source: string;
  at: number;
  /** Whether anything of no width was read, as `\b`: where the texts match is not told. */
  isBounded: boolean;
}

/** What a part of an expression matches: where there are few such texts, they are `exact`. */
interface Part {
  exact: readonly string[] | undefined;
  required: RequiredText;
}

function readAlternatives(reader: Reader, depth: number): Part {
  const first = readSequence(reader, depth);
  const alternatives = [first];
  while (reader.source[reader.at] === "|") {
    reader.at++;
    alternatives.push(readSequence(reader, depth));
  }
  if (alternatives.length === 1) return first;
  const exact = alternatives.flatMap((one) => one.exact ?? []);
  if (alternatives.every((one) => one.exact) && exact.length <= literalLimit) {
    return { exact, required: oneOf(exact) };
  }
  const of = alternatives.map(({ required }) => required);
  const required: RequiredText = of.some(({ type }) => type === "anything") ? anything : { type: "any", of };
  return { exact: undefined, required };
}

function readSequence(reader: Reader, depth: number): Part {
  const sequence = createSequence();
  while (reader.at < reader.source.length && !"|)".includes(reader.source[reader.at] ?? "")) {
    const atom = readAtom(reader, depth);
    const { least, most } = readQuantifier(reader);
    reader.isBounded ||= atom.type === "width-zero";
    if (atom.type === "width-zero" && least === 1 && most === 1) continue;
    if (atom.type === "part" && atom.exact !== undefined) sequence.repeat(atom.exact, { least, most });
    else sequence.interrupt(atom.type === "part" && least > 0 ? atom.required : anything);
  }
  return sequence.end();
}

/** Neighbouring texts join to literals, until something stands between them that may be anything. */
function createSequence() {
  const parts: RequiredText[] = [];
  let literals: readonly string[] = [""];
  let isWhole = true;

  return {
    repeat(texts: readonly string[], { least, most }: { least: number; most: number }): void {
      if (least === 0 && most === 1) return append([...texts, ""]);
      for (let time = 0; time < Math.min(least, leastLength); time++) append(texts);
      if (least === most && least <= leastLength) return;
      endLiterals();
      // `ab+c`: before the c stands the last b.
      if (least > 0) append(texts);
    },
    interrupt(required: RequiredText): void {
      endLiterals();
      if (required.type !== "anything") parts.push(required);
    },
    end(): Part {
      if (isWhole) return { exact: literals, required: oneOf(literals) };
      endLiterals();
      const [only] = parts;
      return { exact: undefined, required: parts.length <= 1 ? (only ?? anything) : { type: "all", of: parts } };
    },
  };

  function append(texts: readonly string[]): void {
    const isTooMany = () => literals.length > 1 && literals.length * texts.length > literalLimit;
    if (isTooMany()) keep();
    while (isTooMany()) literals = [...new Set(literals.map((literal) => literal.slice(1)))];
    literals = literals.flatMap((literal) => texts.map((text) => literal + text));
  }

  function endLiterals(): void {
    keep();
    literals = [""];
  }

  function keep(): void {
    isWhole = false;
    if (isTelling(literals)) parts.push(oneOf(literals));
  }
}

function isTelling(literals: readonly string[]): boolean {
  return literals.every(({ length }) => length >= leastLength);
}

function oneOf(literals: readonly string[]): RequiredText {
  const [only = ""] = literals;
  if (!isTelling(literals)) return anything;
  return literals.length === 1
    ? { type: "literal", text: only }
    : { type: "any", of: literals.map((text) => ({ type: "literal", text })) };
}

type Atom = ({ type: "part" } & Part) | { type: "width-zero" } | { type: "unknown" };

function readAtom(reader: Reader, depth: number): Atom {
  const { source } = reader;
  const character = source[reader.at++] ?? "";
  switch (character) {
    case "^":
    case "$":
      return { type: "width-zero" };
    case ".":
      return { type: "unknown" };
    case "[":
      return readClass(reader);
    case "(":
      return readGroup(reader, depth);
    case "\\":
      return readEscape(reader);
    case "*":
    case "+":
    case "?":
    case "{":
    case "}":
    case "]":
      // As literals only outside of unicode mode: not worth being right about.
      return { type: "unknown" };
    default:
      // Half a letter may belong to the quantifier of the whole, or not.
      return /[\uD800-\uDFFF]/.test(character) ? { type: "unknown" } : exactly([character]);
  }
}

function exactly(exact: readonly string[]): Atom {
  return { type: "part", exact, required: oneOf(exact) };
}

/** Of a class, its letters, where it has few, and they stand there as they are. */
function readClass(reader: Reader): Atom {
  const { source } = reader;
  const start = reader.at;
  while (reader.at < source.length && source[reader.at] !== "]") reader.at += source[reader.at] === "\\" ? 2 : 1;
  const inside = source.slice(start, reader.at++);
  const letters = new Set<string>();
  for (const [range, from = "", to = from] of inside.matchAll(/([^\\])(?:-([^\\]))?/g)) {
    if (!/^[ -~]+$/.test(range)) return { type: "unknown" };
    for (let code = from.charCodeAt(0); code <= to.charCodeAt(0); code++) letters.add(String.fromCharCode(code));
  }
  const isPlain = !inside.startsWith("^") && !inside.includes("\\") && letters.size > 0 && letters.size <= classLimit;
  return isPlain ? exactly([...letters]) : { type: "unknown" };
}

function readGroup(reader: Reader, depth: number): Atom {
  const opening = /^\?(?:[:=!]|<[=!]|<[^>]*>)/.exec(reader.source.slice(reader.at, reader.at + 100))?.[0] ?? "";
  if (depth > depthLimit || (reader.source[reader.at] === "?" && opening === "")) {
    // Inline flags and the like change what letters mean.
    reader.at = Infinity;
    return { type: "unknown" };
  }
  reader.at += opening.length;
  const part = readAlternatives(reader, depth + 1);
  if (reader.source[reader.at] === ")") reader.at++;
  else reader.at = Infinity;
  return /^\?(?:[=!]|<[=!])/.test(opening) ? { type: "unknown" } : { type: "part", ...part };
}

function readEscape(reader: Reader): Atom {
  const character = reader.source[reader.at++] ?? "";
  if (character === "b" || character === "B") return { type: "width-zero" };
  if (/[^\w\s]/.test(character)) return exactly([character]);
  if (character === "d") return exactly(Array.from("0123456789"));
  const following = /^(?:k<[^>]*>|[pP]\{[^}]*\}|x[\da-fA-F]{2}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|c[a-zA-Z]|\d+)/.exec(
    reader.source.slice(reader.at - 1, reader.at + 100),
  )?.[0];
  if (following !== undefined) reader.at += following.length - 1;
  return { type: "unknown" };
}

function readQuantifier(reader: Reader): { least: number; most: number } {
  const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(reader.source.slice(reader.at, reader.at + 40));
  if (found === null) return { least: 1, most: 1 };
  const [text, sign, least, comma, most] = found;
  reader.at += text.length;
  if (sign !== undefined) return { least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : Infinity };
  return { least: Number(least), most: comma === "" ? Number(least) : most === "" ? Infinity : Number(most) };
}
