/** Markup that was written here, with every value in it escaped. */
export interface Html {
  readonly [markup]: string;
}

const markup = Symbol("markup");

/** What a template takes. Nothing is written for `undefined` and `false`. */
export type HtmlValue = Html | string | number | undefined | false | readonly HtmlValue[];

/** Writes markup. Text in it is escaped, also for attributes, which must be quoted; markup in it stays. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const text = strings.map((string, index) => string + (index < values.length ? write(values[index]) : "")).join("");
  return { [markup]: text };
}

/** The text of markup, to be sent. */
export function toMarkup(value: Html): string {
  return value[markup];
}

/** Markup from its text, which `toMarkup` has written before. */
export function markedUp(text: string): Html {
  return { [markup]: text };
}

function write(value: HtmlValue): string {
  if (value === undefined || value === false) return "";
  if (typeof value === "string" || typeof value === "number") return escape(String(value));
  if (isList(value)) return value.map(write).join("");
  return value[markup];
}

function isList(value: Html | readonly HtmlValue[]): value is readonly HtmlValue[] {
  return Array.isArray(value);
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? "");
}
