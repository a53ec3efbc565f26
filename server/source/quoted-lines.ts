/**
 * Finds the lines (1-based) that begin within a comment or string over several lines. Comments count if they begin a line,
 * and strings if they have three quotes: other marks are too common in code to be told without a parser.
 */
export function quotedLines(lines: readonly string[]): ReadonlySet<number> {
  const quoted = new Set<number>();
  let close: string | undefined;
  for (const [index, line] of lines.entries()) {
    let from = 0;
    if (close !== undefined) {
      quoted.add(index + 1);
      const end = line.indexOf(close);
      if (end === -1) continue;
      from = end + close.length;
      close = undefined;
    }
    const rest = line.slice(from);
    const [, comment = ""] = /^\s*(\/\*|\{-|--\[\[|<!--|=begin\b)/.exec(rest) ?? [];
    const commentEnd = commentEnds[comment];
    if (commentEnd !== undefined) {
      if (!rest.includes(commentEnd)) close = commentEnd;
    } else if (!/^\s*(?:#|\/\/|--)/.test(rest)) close = openQuote(rest);
  }
  return quoted;
}

const commentEnds: Readonly<Record<string, string>> = {
  "/*": "*/",
  "{-": "-}",
  "--[[": "]]",
  "<!--": "-->",
  "=begin": "=end",
};

/** The three quotes that a line opens and does not close. */
function openQuote(line: string): string | undefined {
  let open: string | undefined;
  for (const [quotes] of line.matchAll(/"""|'''/g)) {
    if (open === undefined) open = quotes;
    else if (open === quotes) open = undefined;
  }
  return open;
}
