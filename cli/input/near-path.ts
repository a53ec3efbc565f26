import path from "node:path";

/** An absolute path as one would type it here: relative, where it is below the working directory. */
export function nearPath(absolute: string, cwd: string): string {
  const relative = path.relative(cwd, absolute);
  return relative.startsWith("..") || path.isAbsolute(relative) ? absolute : relative;
}
