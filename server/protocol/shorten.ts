/** The start of `text` and `…`, together at most `length` UTF-16 code units; no half of a surrogate pair is left. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
