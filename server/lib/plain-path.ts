/** On Windows, `C:a` is a path too; elsewhere `a:12.ts` is a file's name. */
const absolute = process.platform === "win32" ? /^(?:\/|[a-zA-Z]:)/ : /^(?:\/|[a-zA-Z]:(?:\/|$))/;

/**
 * Why a path is not a plain path within a tree, or undefined. A plain path has parts joined by single forward slashes,
 * no `.` or `..`, and nothing that any platform treats as absolute or as another separator.
 */
export function plainPathFault(path: string): string | undefined {
  if (path === "") return "a path must not be empty";
  if (path.includes("\0")) return "a path must not contain a NUL character";
  if (path.includes("\\")) return "a path must not contain a backslash";
  if (absolute.test(path)) return "a path must not be absolute";
  if (path.split("/").some((part) => part === "" || part === "." || part === "..")) {
    return "a path must not contain empty parts, '.' or '..'";
  }
  return undefined;
}
