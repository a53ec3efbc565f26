/** A block of code whose fence is longer than any run of backticks in it; the tag is the file name's extension. */
export function fencedLines(path: string, lines: readonly string[]): string[] {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []);
  const fence = "`".repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
  const tag = /\.([a-zA-Z0-9]{1,12})$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return [`${fence}${tag}`, ...lines, fence];
}
