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

/** `3 hours ago`, `in 2 days`, `just now`, `in 20 seconds`. */
export function distanceOf(iso: string, now = Date.now()): string {
  const seconds = Math.round((Date.parse(iso) - now) / 1000);
  const found = units.find(([, size]) => Math.abs(seconds) >= size);
  if (found === undefined && seconds <= 0) return "just now";
  const [unit, size] = found ?? ["second", 1];
  return new Intl.RelativeTimeFormat("en", { numeric: "always" }).format(Math.trunc(seconds / size), unit);
}
