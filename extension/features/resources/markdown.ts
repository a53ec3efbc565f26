/** Text of others, so that a Markdown view shows it and does nothing else: no link, no image, no markup, no second line. */
export function escapeMarkdown(text: string): string {
  return showInvisible(text).replace(/[!-/:-@[-`{-~]/g, "\\$&");
}

/** Control characters, and those that turn the direction of text: a name must not look like another. */
export function showInvisible(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u200B\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, "\uFFFD");
}
