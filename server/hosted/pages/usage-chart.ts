import { type Html, html } from "./html.ts";

/**
 * A chart of one value for each day of a month. The table beside it has the same values: screen readers skip the chart.
 */
export interface UsageChart {
  /** `Questions a day`. */
  title: string;
  /** The values of each day, the first of the month first. */
  days: readonly { value: number; label: string }[];
  /** The greatest value, in words. */
  most: string;
}

/** Width of a day and height of the tallest bar, in units of the drawing; it is stretched to the width of the page. */
const dayWidth = 10;
const height = 100;
const leastHeight = 2;

/** Bars as SVG with attributes only: the content security policy allows no inline style. */
export function usageChart({ title, days, most }: UsageChart): Html {
  const greatest = Math.max(...days.map(({ value }) => value));
  const bars = days.map(({ value, label }, index) => {
    const size = value === 0 ? 0 : Math.max(leastHeight, Math.round((value / greatest) * height));
    return html`<rect x="${index * dayWidth + 1}" y="${height - size}" width="${dayWidth - 2}" height="${size}">
      <title>${label}</title>
    </rect>`;
  });
  const middle = Math.ceil(days.length / 2);
  return html`<figure class="chart" aria-hidden="true">
    <figcaption>${title} <span class="muted">at most ${most}</span></figcaption>
    <svg viewBox="0 0 ${days.length * dayWidth} ${height}" preserveAspectRatio="none">${bars}</svg>
    <p class="axis muted"><span>1</span><span>${middle}</span><span>${days.length}</span></p>
  </figure>`;
}
