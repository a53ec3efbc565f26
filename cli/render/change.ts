/** How many unchanged lines are shown before and after. */
const contextLines = 2;

/** What an edit in one place of a text changes, as lines with `-` and `+`; each ends with a line end. */
export function formatChange(before: string, after: string): string {
  const old = linesOf(before);
  const next = linesOf(after);
  const shorter = Math.min(old.length, next.length);
  let head = 0;
  while (head < shorter && old[head] === next[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === next.at(-1 - tail)) tail++;
  const end = old.length - tail;
  return [
    ...old.slice(Math.max(0, head - contextLines), head).map((line) => `    ${line}`),
    ...old.slice(head, end).map((line) => `  - ${line}`),
    ...next.slice(head, next.length - tail).map((line) => `  + ${line}`),
    ...old.slice(end, end + contextLines).map((line) => `    ${line}`),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}
