import express, { type Request } from "express";
import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { hostKindNames, hostKinds } from "../../protocol/host-kinds.ts";
import { describeIssues } from "../../protocol/validation.ts";
import { type Html, html } from "./html.ts";

/** Reads the fields of a form into `request.body`. */
export const readForm = express.urlencoded({ extended: false, limit: "2mb" });

/** What was typed, and what is wrong with it by field; `""` is of no field. */
export interface Form {
  values: Readonly<Record<string, string>>;
  errors: Readonly<Record<string, string>>;
}

/** A form before it is filled in. */
export const emptyForm: Form = { values: {}, errors: {} };

const Fields = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** The fields of a request, each once or several times. */
export function fieldsOf({ body }: Request): z.infer<typeof Fields> {
  const given: unknown = body;
  return Fields.catch({}).parse(given ?? {});
}

/** One field; empty without it. */
export function fieldOf(request: Request, name: string): string {
  const value = fieldsOf(request)[name];
  return typeof value === "string" ? value : (value?.[0] ?? "");
}

/** All values of a field that may be there several times. */
export function valuesOf(request: Request, name: string): string[] {
  const value = fieldsOf(request)[name] ?? [];
  return typeof value === "string" ? [value] : value;
}

/** Checks fields by a schema: the data, or the form with its errors. Passwords and tokens are not written back. */
export function parseForm<Schema extends z.ZodType>(
  schema: Schema,
  request: Request,
  input: unknown = fieldsOf(request),
): { data: z.output<Schema>; form: Form } | { data: undefined; form: Form } {
  const { password: _, token: _token, ...fields } = fieldsOf(request);
  const values = Object.fromEntries(Object.entries(fields).filter(isSingle));
  const { success, data, error } = schema.safeParse(input);
  if (success) return { data, form: { values, errors: {} } };
  const errors: Record<string, string> = {};
  for (const { path, message } of error.issues) errors[String(path[0] ?? "")] ??= message;
  return { data: undefined, form: { values, errors } };
}

/** Fields that the page itself fills in. @throws InvalidRequest */
export function requireFields<Schema extends z.ZodType>(schema: Schema, request: Request): z.output<Schema> {
  const fields = fieldsOf(request);
  const { success, data, error } = schema.safeParse(fields);
  if (success) return data;
  throw new CitewellError("InvalidRequest", describeIssues(error, fields));
}

/** How a field looks. */
export interface FieldOptions {
  name: string;
  /** Unique in the page; the name by default. */
  id?: string;
  label: string;
  type?: "text" | "email" | "password" | "number" | "url";
  hint?: string;
  isOptional?: boolean;
  /** What the browser may fill in. */
  autocomplete?: string;
  value?: string;
}

/** A labelled field; its hint and its error are read with it. */
export function field({ values, errors }: Form, options: FieldOptions): Html {
  const {
    name,
    id = name,
    label,
    type = "text",
    hint,
    isOptional = false,
    autocomplete = "off",
    value = values[name] ?? "",
  } = options;
  const error = errors[name];
  const described = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(error === undefined ? [] : [`${id}-error`]),
  ].join(" ");
  return html`<div class="field">
    <label for="${id}">${label}${isOptional && html` <span class="muted">(optional)</span>`}</label>
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    <input
      id="${id}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete}"
      ${
        described !== "" && html` aria-describedby="${described}"`
      }${error !== undefined && html` aria-invalid="true"`}${!isOptional && html` required`}
    />
    ${error !== undefined && html`<p class="error" id="${id}-error">${error}</p>`}
  </div>`;
}

/** The choice of a kind of git host. @param id unique in the page */
export function hostKindField({ values: { kind } }: Form, id: string): Html {
  const options = hostKinds.map(
    (one) => html`<option value="${one}" ${one === kind && html` selected`}>${hostKindNames[one]}</option>`,
  );
  return html`<div class="field">
    <label for="${id}">Kind of host</label
    ><select id="${id}" name="kind">
      ${options}
    </select>
  </div>`;
}

/** Errors that belong to no field, and how many fields have one: read out when the page opens. */
export function formErrors({ errors }: Form): Html | undefined {
  const count = Object.keys(errors).filter((name) => name !== "").length;
  if (errors[""] !== undefined) return html`<p class="error" role="alert">${errors[""]}</p>`;
  if (count === 0) return undefined;
  return html`<p class="error" role="alert">
    ${count === 1 ? "One field needs" : `${count} fields need`} another value.
  </p>`;
}

/** What a button does. */
export interface ActionOptions {
  action: string;
  label: string;
  /** What it acts on, if the label does not say it: shown in the question, and read by screen readers. */
  of?: string;
  fields?: Record<string, string>;
  /** What is lost, for an action that cannot be taken back: it is asked first. */
  warning?: string;
}

/** A button that is a form of its own. With a warning, it opens a question that has the form; neither needs script. */
export function actionButton({ action, label, of = "", fields = {}, warning }: ActionOptions): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  const name = `${label} ${of}`.trim();
  if (warning === undefined) {
    return html`<form method="post" action="${action}">
      ${hidden}<button class="quiet" aria-label="${name}">${label}</button>
    </form>`;
  }
  const id = `ask-${crypto.randomUUID()}`;
  return html`<button type="button" class="quiet" popovertarget="${id}" aria-label="${name}…">${label}…</button>
    <div id="${id}" popover role="alertdialog" aria-labelledby="${id}-title" aria-describedby="${id}-text">
      <p id="${id}-title"><strong>${name}?</strong></p>
      <p id="${id}-text">${warning}</p>
      <form method="post" action="${action}" class="actions">
        ${hidden}<button>${label}</button>
        <button type="button" class="quiet" popovertarget="${id}" popovertargetaction="hide" autofocus>Cancel</button>
      </form>
    </div>`;
}

function isSingle(entry: [string, string | string[]]): entry is [string, string] {
  return typeof entry[1] === "string";
}
