import { type Filter, filterField } from "./filter.ts";
import { type Html, html, type HtmlValue } from "./html.ts";

/** A table whose first column names the row; in a narrow window each row is a card, whose values have their column's name. */
export function table({
  caption,
  columns,
  rows,
  empty,
  filter,
}: {
  caption: string;
  columns: readonly string[];
  rows: readonly (readonly HtmlValue[])[];
  /** Shown instead of a table without rows. */
  empty: string;
  filter?: Filter;
}): Html {
  if (rows.length === 0) return html`<p>${empty}</p>`;
  const head = columns.map((name) => html`<th scope="col">${name}</th>`);
  const body = rows.map(
    ([name, ...cells]) =>
      html`<tr>
        <th scope="row">${name}</th>
        ${cells.map((cell, index) => html`<td data-label="${columns[index + 1] ?? ""}">${cell}</td>`)}
      </tr>`,
  );
  return html`${filter !== undefined && filterField(filter, rows.length)}
    <div
      class="scroll rows"
      tabindex="0"
      role="region"
      aria-label="${caption}"
      ${filter !== undefined && html` id="${filter.list}"`}
    >
      <table>
        <caption>
          ${caption}
        </caption>
        <thead>
          <tr>
            ${head}
          </tr>
        </thead>
        <tbody>
          ${body}
        </tbody>
      </table>
    </div>`;
}
