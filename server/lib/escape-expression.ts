/** A text as a regular expression that matches only it: `RegExp.escape`, which Node 20 lacks. */
export function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
