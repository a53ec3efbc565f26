import { languageOf } from "./languages.ts";
import { escapeExpression } from "../lib/escape-expression.ts";

/** A function that says whether a line calls a name: not in a comment or a string, and not by declaring it. */
export function callTest(path: string, name: string): (line: string) => boolean {
  const call = new RegExp(String.raw`(?<![\w$])${escapeExpression(name)}\s*(?:\?\.|!|::)?(?:<[^()]*>)?\(`, "g");
  const isDocument = ["none", "markdown", "rst"].includes(languageOf(path).family);
  return (line) => {
    const code = isDocument ? line : withoutComments(line);
    return [...code.matchAll(call)].some(({ index }) => !isDeclared(path, code.slice(0, index)));
  };
}

/** The same for lines that declare it and do nothing else with it, as headers and interfaces do. */
export function declarationTest(path: string, name: string): (line: string) => boolean {
  const declared = new RegExp(String.raw`(?<![\w$])${escapeExpression(name)}\s*\(`, "g");
  return (line) => {
    const code = withoutComments(line);
    const places = [...code.matchAll(declared)];
    return places.length > 0 && places.every(({ index }) => isDeclared(path, code.slice(0, index)));
  };
}

/** What code is left of a line of code: strings are empty. A line may begin within a comment over several lines. */
export function withoutComments(line: string): string {
  if (/^\s*(?:\*(?!\w)|\/\/|\/\*|--|#(?!\s*(?:include|define|if|elif|\[)))/.test(line)) return "";
  return line
    .replace(/("|(?<![\w&<])')(?:\\.|(?!\1)[^\\])*\1/g, "$1$1")
    .replace(/\/\*.*?\*\//g, "")
    .replace(/(?:^|\s)(?:\/\/|#\s).*$/, "");
}

/** `static const char *` before a name makes it a declaration; ` a * ` before it is a calculation. */
function isDeclared(path: string, before: string): boolean {
  if (languageOf(path).family !== "c" && !/\.(?:java|cs)$/i.test(path)) return false;
  const types = before.replace(/<[^<>]*>/g, "").replace(/<[^<>]*>/g, "");
  if (statement.test(types) || /\s(?:[*&]|&&)\s+$/.test(types)) return false;
  return /^\s*(?:@\w+\s+)*(?:\[\[\w+\]\]\s*)?(?:[\w:.]+(?:\[\])*(?:\s+[*&]*|[*&]+\s*))+(?:\w+::)*$/.test(types);
}

const statement =
  /^\s*(?:return|else|if|for|while|switch|case|do|catch|new|delete|throw|goto|await|yield|using|not|and|or|in|is|as|assert|co_\w+|default\s*:)\b/;
