/** The one spelling of a crate's name: `serde-json` in a question is `serde_json`. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}
