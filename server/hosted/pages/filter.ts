import { type Html, html } from "./html.ts";

/** Shorter lists are read faster than filtered. */
export const filteredFrom = 10;

/** More resources than people look through. They are typed then. */
export const tickedUpTo = 60;

/** What a field filters. */
export interface Filter {
  /** The id of the element around the list. */
  list: string;
  /** `Filter the resources`. */
  label: string;
}

/** A field that hides the items of a long list that lack its words; shown where script is on (`offerFilters`). */
export function filterField({ list, label }: Filter, count: number): Html | undefined {
  if (count < filteredFrom) return undefined;
  return html`<div class="filter" hidden>
    <label for="${list}-filter">${label}</label>
    <input type="search" id="${list}-filter" data-filter="${list}" autocomplete="off" />
    <span class="muted" role="status"></span>
  </div>`;
}
