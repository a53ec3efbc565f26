import { CitewellError } from "../../../errors.ts";
import { quoteValue } from "../../../protocol/validation.ts";

/**
 * `2024`, `2024-01` or `2024-01-31`, perhaps with a time, as arguments of `git log`; undefined if it is no date.
 * @throws InvalidRequest (no day of the calendar)
 */
export function sinceDate(written: string): string[] | undefined {
  const [, year, month = "01", day = "01", time = "T00:00:00Z"] =
    /^(\d{4})(?:-(\d\d)(?:-(\d\d)(T[\d:.+Z-]+)?)?)?$/.exec(written) ?? [];
  if (year === undefined) return undefined;
  const date = `${year}-${month}-${day}`;
  const [startsAt, at] = [date, `${date}${time}`].map((text) => Date.parse(text));
  const isDay = startsAt !== undefined && !Number.isNaN(startsAt) && new Date(startsAt).toISOString().startsWith(date);
  if (!isDay || at === undefined || Number.isNaN(at)) {
    throw new CitewellError("InvalidRequest", `${quoteValue(written)} is no date`, { hint: "give it as 2024-01-31" });
  }
  // Git knows no date before 1970, and takes what it cannot read for today.
  return at <= 0 ? [] : [`--since=@${Math.floor(at / 1000)} +0000`];
}
