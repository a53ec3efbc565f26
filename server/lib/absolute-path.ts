import path from "node:path";

/** A path as a person writes it, made absolute: `~` is the home directory, whatever is relative is so to `folder`. */
export function toAbsolutePath(
  text: string,
  { folder, homeDirectory }: { folder: string; homeDirectory: string },
): string {
  const expanded = /^~(?=[/\\]|$)/.test(text) ? path.join(homeDirectory, text.slice(1)) : text;
  return path.resolve(folder, expanded);
}
