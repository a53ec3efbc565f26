import type * as vscode from "vscode";

/** `vscode.l10n`, passed in: what makes text is tested without an editor. */
export type L10n = Pick<typeof vscode.l10n, "t">;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How old, as short as a row needs it: `now`, `5 min`, `3 h`, `3 d`, `2 wk`, `5 mo`, `1 y`. */
export function formatAge(ageMs: number, l10n: L10n): string {
  const count = (unitMs: number) => Math.floor(ageMs / unitMs);
  if (ageMs < minuteMs) return l10n.t("now");
  if (ageMs < hourMs) return l10n.t("{0} min", count(minuteMs));
  if (ageMs < dayMs) return l10n.t("{0} h", count(hourMs));
  if (ageMs < 14 * dayMs) return l10n.t("{0} d", count(dayMs));
  if (ageMs < 60 * dayMs) return l10n.t("{0} wk", count(7 * dayMs));
  if (ageMs < 365 * dayMs) return l10n.t("{0} mo", count(30 * dayMs));
  return l10n.t("{0} y", count(365 * dayMs));
}

const sizeUnits = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** `512 byte`, `1.4 MB`: powers of 1000, as file managers show, in the words of the editor's language. */
export function formatSize(bytes: number, locale: string): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), sizeUnits.length - 1);
  const unit = sizeUnits[power] ?? "byte";
  return formatNumber(bytes / 1000 ** power, locale, { style: "unit", unit, maximumFractionDigits: 1 });
}

export function formatCount(count: number, locale: string): string {
  return formatNumber(count, locale, {});
}

function formatNumber(value: number, locale: string, options: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(locale, options).format(value);
}
