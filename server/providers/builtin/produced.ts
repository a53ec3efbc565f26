import { contentWords } from "../../source/words.ts";

/** The parts of a message that lines have, longest first. */
export function partsIn(lines: readonly string[], parts: readonly string[]): string[] {
  return parts.filter((one) => lines.some((line) => line.includes(one)));
}

/** The length of all words of these parts, in characters. */
export function lengthOf(parts: readonly string[]): number {
  return [...new Set(parts.flatMap((one) => one.split(/\s+/)))].join(" ").length;
}

/** Whether a line of code is a comment, which may quote a message but does not produce it. An attribute of Rust may. */
export function isComment(line: string): boolean {
  return /^\s*(?:\/\/|\/?\*|#(?!!?\[|define\b|error\b|warning\b)|--|;|"""|''')/.test(line);
}

/**
 * The number of characters of a message that come from literals in these lines. Any text may stand in the message for
 * the `%s`, `{}` or `${name}` of a literal.
 */
export function constantLength(lines: readonly string[], message: string): number {
  const said = oneLine(message).slice(0, messageLimit);
  const found = lines.flatMap((line) =>
    [...line.matchAll(literals)].map(([, one, other, third]) => one ?? other ?? third ?? ""),
  );
  const constants = new Set(
    found.map((text) =>
      text
        .split(placeholder)
        .map((part) => oneLine(part).trim())
        .join("\0"),
    ),
  );
  return [...constants].reduce((sum, constant) => {
    const text = (constant.match(/[\p{L}\p{N}_]+/gu) ?? []).join(" ");
    const isTelling = text.length >= leastConstant && /\S\s+\S/.test(text) && contentWords(text).length > 0;
    return sum + (isTelling && isInOrder(constant.split("\0"), said) ? text.length : 0);
  }, 0);
}

function isInOrder(parts: readonly string[], text: string): boolean {
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return true;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

const messageLimit = 4000;
const literals = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`([^`]*)`/g;
const placeholder =
  /%(?:\(\w+\)|\{\w+\})?[-+#0*\d.$]*(?:hh?|ll?|[Lqjzt])?[a-zA-Z]|[$#]?\{[^{}]*\}|\$\w+|\\\([^)]*\)|\\[nrt"'\\]/;
const leastConstant = 8;
