import path from "node:path";

/** Resolves a user's path: `~` is the home directory, a relative path is relative to `folder`. */
export function toAbsolutePath(
  text: string,
  { folder, homeDirectory }: { folder: string; homeDirectory: string },
): string {
  const expanded = /^~(?=[/\\]|$)/.test(text) ? path.join(homeDirectory, text.slice(1)) : text;
  return path.resolve(folder, expanded);
}
