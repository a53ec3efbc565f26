import { type Html, html } from "./html.ts";

const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** A moment as its distance from now, with the exact time as a tooltip; `none` without one. */
export function timeOf(iso: string | null, none: string): Html {
  if (iso === null) return html`${none}`;
  return html`<time datetime="${iso}" title="${iso}">${distanceOf(iso)}</time>`;
}

/** `3 hours ago`, `in 2 days`, `just now`, `in a moment`. */
export function distanceOf(iso: string, now = Date.now()): string {
  const seconds = Math.round((Date.parse(iso) - now) / 1000);
  const found = units.find(([, size]) => Math.abs(seconds) >= size);
  if (found === undefined) return seconds > 0 ? "in a moment" : "just now";
  const [unit, size] = found;
  return new Intl.RelativeTimeFormat("en", { numeric: "always" }).format(Math.trunc(seconds / size), unit);
}
