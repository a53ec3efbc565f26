import type { Request } from "express";
import * as z from "zod";
import { filteredFrom } from "./filter.ts";
import { type Html, html } from "./html.ts";

/** Longer lists have pages. */
export const pageRows = 100;

const Shown = z.object({
  q: z.string().max(200).catch("").default(""),
  sort: z.string().catch("").default(""),
  page: z.coerce.number().int().min(1).max(1_000_000).catch(1).default(1),
});
/** What is wanted of a list, from the query of the address: words, the name of an order, the number of the page. */
export type Shown = z.infer<typeof Shown>;

/** A list whose query has nothing. */
export const wholeList: Shown = { q: "", sort: "", page: 1 };

/** Reads what is wanted. What makes no sense is left out. */
export function shownBy({ query }: Pick<Request, "query">): Shown {
  return Shown.parse(query);
}

/** The orders of a list by their names; the first is the usual one. */
export type Orders<Row> = Readonly<Record<string, { label: string; compare: (a: Row, b: Row) => number }>>;

/** A page of a list. */
export interface Listed<Row> {
  rows: readonly Row[];
  /** How many the words leave on all pages. */
  count: number;
  /** How many there are. */
  total: number;
  shown: Shown;
  /** The labels of the orders by their names. */
  orders: readonly { name: string; label: string }[];
}

/** Filters, sorts and cuts a list. A row is found if its text has all words, in any case. */
export function listRows<Row>(
  all: readonly Row[],
  { shown, textOf, orders }: { shown: Shown; textOf: (row: Row) => string; orders: Orders<Row> },
): Listed<Row> {
  const words = shown.q.toLowerCase().split(/\s+/);
  const found = all.filter((row) => {
    const text = textOf(row).toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const names = Object.keys(orders);
  const sort = names.includes(shown.sort) ? shown.sort : (names[0] ?? "");
  const sorted = found.toSorted(orders[sort]?.compare);
  const page = Math.min(shown.page, Math.max(1, Math.ceil(found.length / pageRows)));
  return {
    rows: sorted.slice((page - 1) * pageRows, page * pageRows),
    count: found.length,
    total: all.length,
    shown: { ...shown, sort, page },
    orders: Object.entries(orders).map(([name, { label }]) => ({ name, label })),
  };
}

/** A form that finds and sorts without script; none for a short list. @param options.fields what else the address has */
export function listForm(
  { shown, count, total, orders }: Omit<Listed<unknown>, "rows">,
  { path, label, fields = {} }: { path: string; label: string; fields?: Record<string, string> },
): Html | undefined {
  if (total < filteredFrom) return undefined;
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  const options = orders.map(
    ({ name, label: words }) =>
      html`<option value="${name}" ${name === shown.sort && html` selected`}>${words}</option>`,
  );
  return html`<form method="get" action="${path}" class="filter" role="search">
    ${hidden}<label for="q">${label}</label>
    <input type="search" id="q" name="q" value="${shown.q}" autocomplete="off" />
    ${
      orders.length > 1 &&
      html`<label for="sort">Sort by</label>
        <select id="sort" name="sort">
          ${options}
        </select>`
    }
    <button class="quiet">Show</button>
    <span class="muted" role="status">${count} of ${total}</span>
  </form>`;
}

/** Links to the pages before and after; none if there are neither. */
export function pageLinks({
  path,
  fields,
  page,
  hasNext,
  pages,
}: {
  path: string;
  /** What else the address has; empty values are left out. */
  fields: Readonly<Record<string, string | undefined>>;
  page: number;
  hasNext: boolean;
  /** How many there are, if that is known. */
  pages?: number;
}): Html | undefined {
  if (page === 1 && !hasNext) return undefined;
  const to = (number: number) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) if (value !== undefined && value !== "") query.set(name, value);
    query.set("page", String(number));
    return `${path}?${query.toString()}`;
  };
  return html`<nav aria-label="Pages" class="actions">
    ${page > 1 && html`<a href="${to(page - 1)}" rel="prev">Previous</a>`}
    <span>Page ${page}${pages !== undefined && ` of ${pages}`}</span>
    ${hasNext && html`<a href="${to(page + 1)}" rel="next">Next</a>`}
  </nav>`;
}

/** The same for a list of `listRows`. */
export function listLinks(
  { shown: { q, sort, page }, count }: Omit<Listed<unknown>, "rows">,
  path: string,
): Html | undefined {
  const pages = Math.ceil(count / pageRows);
  return pageLinks({ path, fields: { q, sort }, page, hasNext: page < pages, pages });
}

/** The order in which the rows were read. */
export function asRead(label: string): Orders<unknown>[string] {
  return { label, compare: () => 0 };
}

/** An order by text. */
export function byText<Row>(textOf: (row: Row) => string): (a: Row, b: Row) => number {
  return (a, b) => textOf(a).localeCompare(textOf(b), "en");
}

/** An order by a number or a time, the greatest first, and those without one last. */
export function byGreatest<Row>(valueOf: (row: Row) => number | string | null): (a: Row, b: Row) => number {
  return (a, b) => {
    const [one, other] = [valueOf(a) ?? "", valueOf(b) ?? ""];
    return one === other ? 0 : one < other ? 1 : -1;
  };
}
