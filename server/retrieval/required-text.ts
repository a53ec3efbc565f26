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

const anything: RequiredText = { type: "anything" };

/** Deeper nesting is nothing a person typed. */
const depthLimit = 50;

export function requiredText(source: string): RequiredText {
  const reader = { source, at: 0 };
  const required = readAlternatives(reader, 0);
  return reader.at === source.length ? required : anything;
}

interface Reader {
  source: string;
  at: number;
}

function readAlternatives(reader: Reader, depth: number): RequiredText {
  const alternatives = [readSequence(reader, depth)];
  while (reader.source[reader.at] === "|") {
    reader.at++;
    alternatives.push(readSequence(reader, depth));
  }
  const [only] = alternatives;
  if (alternatives.length === 1 && only !== undefined) return only;
  return alternatives.some(({ type }) => type === "anything") ? anything : { type: "any", of: alternatives };
}

/** Neighbouring characters join to one literal, until something stands between them that may be anything. */
function readSequence(reader: Reader, depth: number): RequiredText {
  const parts: RequiredText[] = [];
  let literal = "";
  const endLiteral = () => {
    if (literal !== "") parts.push({ type: "literal", text: literal });
    literal = "";
  };
  while (reader.at < reader.source.length && !"|)".includes(reader.source[reader.at] ?? "")) {
    const atom = readAtom(reader, depth);
    const { isCertain, isOnce } = readQuantifier(reader);
    if (atom.type === "text" && isCertain && isOnce) literal += atom.text;
    else if (atom.type === "text" && isCertain) {
      // `ab+c`: the last b may be followed by others.
      literal += atom.text;
      endLiteral();
    } else if (atom.type === "width-zero" && isCertain && isOnce) continue;
    else {
      endLiteral();
      if (atom.type === "group" && isCertain && atom.required.type !== "anything") parts.push(atom.required);
    }
  }
  endLiteral();
  const [only] = parts;
  if (parts.length <= 1) return only ?? anything;
  return { type: "all", of: parts };
}

type Atom =
  | { type: "text"; text: string }
  | { type: "group"; required: RequiredText }
  | { type: "width-zero" }
  | { type: "unknown" };

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
      return { type: "text", text: character };
  }
}

function readClass(reader: Reader): Atom {
  const { source } = reader;
  while (reader.at < source.length && source[reader.at] !== "]") reader.at += source[reader.at] === "\\" ? 2 : 1;
  reader.at++;
  return { type: "unknown" };
}

function readGroup(reader: Reader, depth: number): Atom {
  const opening = /^\?(?:[:=!]|<[=!]|<[^>]*>)/.exec(reader.source.slice(reader.at, reader.at + 100))?.[0] ?? "";
  if (depth > depthLimit || (reader.source[reader.at] === "?" && opening === "")) {
    // Inline flags and the like change what letters mean.
    reader.at = Infinity;
    return { type: "unknown" };
  }
  reader.at += opening.length;
  const required = readAlternatives(reader, depth + 1);
  if (reader.source[reader.at] === ")") reader.at++;
  else reader.at = Infinity;
  return /^\?(?:[=!]|<[=!])/.test(opening) ? { type: "unknown" } : { type: "group", required };
}

function readEscape(reader: Reader): Atom {
  const character = reader.source[reader.at++] ?? "";
  if (character === "b" || character === "B") return { type: "width-zero" };
  if (/[^\w\s]/.test(character)) return { type: "text", text: character };
  const following = /^(?:k<[^>]*>|[pP]\{[^}]*\}|x[\da-fA-F]{2}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|c[a-zA-Z]|\d+)/.exec(
    reader.source.slice(reader.at - 1, reader.at + 100),
  )?.[0];
  if (following !== undefined) reader.at += following.length - 1;
  return { type: "unknown" };
}

/** `isCertain`: at least once. `isOnce`: no more than that. */
function readQuantifier(reader: Reader): { isCertain: boolean; isOnce: boolean } {
  const text = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(reader.source.slice(reader.at, reader.at + 40))?.[0];
  if (text === undefined) return { isCertain: true, isOnce: true };
  reader.at += text.length;
  return { isCertain: text.startsWith("+") || /^\{0*[1-9]/.test(text), isOnce: false };
}
