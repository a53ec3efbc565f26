const units = [
  ["year", 365 * 24 * 3600],
  ["month", 30 * 24 * 3600],
  ["week", 7 * 24 * 3600],
  ["day", 24 * 3600],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** Formats an age: `just now`, `2 minutes ago`, `3 weeks ago`. */
export function formatAge(ageMs: number): string {
  const seconds = Math.max(0, ageMs / 1000);
  const [unit, length] = units.find(([, length]) => seconds >= length) ?? ["second", 0];
  if (length === 0) return "just now";
  const count = Math.floor(seconds / length);
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}
