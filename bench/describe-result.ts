/**
 * Compares the result that a model received with the text that was sent: `5,972 B, text` is expected; `JSON` is the
 * structured result, `both` is both, `cut` is a part.
 */
export function describeResult(got: string | undefined, sent: string): string {
  if (got === undefined) return "–";
  const plain = unescape(got);
  const text = unescape(sent);
  const beginning = text.slice(0, 60);
  // The structured result of `ask` contains the answer's text.
  const hasText = plain.replaceAll(`"answer":"${beginning}`, "").includes(beginning);
  const hasJson = /"(?:snapshots|searchedFiles|totalLines)":|"results":\[/.test(plain);
  const shown = hasText ? (hasJson ? "both" : "text") : hasJson ? "JSON" : "neither";
  const isCut = (hasText && !plain.includes(text)) || /truncated|too large|saved to/i.test(plain.replace(text, ""));
  const isNumbered = !numbered.test(text) || numbered.test(plain);
  const notes = [...(isCut ? ["cut"] : []), ...(isNumbered ? [] : ["no line numbers"])];
  const opens = places.test(plain) ? ["opens"] : [];
  return [`${Buffer.byteLength(got).toLocaleString("en")} B`, shown, ...notes, ...opens].join(", ");
}

const numbered = /^ *\d+ ?\|/m;
/** A location that a terminal can open. */
const places = /(?<![\w/])node_modules\/zod\/[\w./-]+:\d/;

/** Unwraps results that clients encode as JSON in a text, once or twice. */
function unescape(text: string): string {
  return text.replace(/\\+n/g, "\n").replace(/\\+t/g, "\t").replace(/\\+"/g, '"').replace(/\\+/g, "\\");
}
