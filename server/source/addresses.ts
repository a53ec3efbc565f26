/** Removes e-mail addresses: authors are shown by name. One within a text leaves a sign of its place. */
export function withoutAddresses(text: string): string {
  return text
    .replace(/\s*<[^<>\s]*@[^<>\s]*>/g, "")
    .replace(/\b[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b/gi, "‹address›");
}
