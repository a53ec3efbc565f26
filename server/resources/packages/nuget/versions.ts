/** An exact version, of which a path may be made. */
export function isVersion(text: string): boolean {
  return /^\d+(?:\.\d+){0,3}(?:-[\w.-]+)?(?:\+[\w.-]+)?$/.test(text);
}

/** As the packages folder spells it: https://learn.microsoft.com/nuget/concepts/package-versioning#normalized-version-numbers */
export function normalizeVersion(version: string): string {
  const [, numbers = "", label = ""] = /^([\d.]+)(-[^+]*)?/.exec(version) ?? [];
  const parts = numbers.split(".").map((part) => part.replace(/^0+(?=\d)/, ""));
  const [major = "0", minor = "0", patch = "0", revision = "0"] = parts;
  return `${[major, minor, patch, ...(revision === "0" ? [] : [revision])].join(".")}${label}`.toLowerCase();
}

/** The lowest version of a range, which is what NuGet takes: `1.0`, `[1.0]`, `[1.0, 2.0)`. `1.*` and `(1.0, )` have none. */
export function lowestOf(range: string): string | undefined {
  const lowest = /^\s*\[?\s*([^\s,\])]+)/.exec(range)?.[1] ?? "";
  return isVersion(lowest) ? lowest : undefined;
}
