/** The ISO day of a time that a registry reports; undefined if it is none. */
export function dayOf(time: unknown): string | undefined {
  return typeof time === "string" && !Number.isNaN(Date.parse(time))
    ? new Date(time).toISOString().slice(0, 10)
    : undefined;
}
