import * as z from "zod";
import { CitewellError } from "../errors.ts";
import { nearestField } from "../lib/nearest-field.ts";
import { readFields, type UnknownField } from "../protocol/read-fields.ts";
import { describeIssues, formatField, quoteValue, valueAt } from "../protocol/validation.ts";

/** How a refusal speaks of a request and its fields. */
export interface RequestWords {
  /** What has the fields: `ask`, `POST /question`. */
  subject: string;
  noun: "argument" | "field";
}

/**
 * A request without what its client left out by saying null.
 * @throws InvalidRequest, which names each field that the request does not have, and the one that was probably meant
 */
export function readKnownFields(schema: z.ZodType, raw: unknown, words: RequestWords): unknown {
  const { value, unknown } = readFields(schema, raw);
  const refused = unknown.filter((field) => !field.isKept || isMeant(field));
  if (refused.length > 0) throw refuse(refused, words, wrongValues(schema, value));
  return value;
}

/**
 * The same for clients that must go on working: only a field that is nearly a known one is refused; `ignored` has a
 * sentence for each of the others.
 * @throws InvalidRequest
 */
export function ignoreUnknownFields(
  schema: z.ZodType,
  raw: unknown,
  words: RequestWords,
): { value: unknown; ignored: string[] } {
  const { value, unknown } = readFields(schema, raw);
  const meant = unknown.filter(isMeant);
  if (meant.length > 0) throw refuse(meant, words, wrongValues(schema, value));
  const ignored = unknown.filter(({ isKept }) => !isKept);
  return { value, ignored: sentencesOf(ignored, (field) => `${describe(field, words)}; it was ignored`) };
}

function isMeant({ name, known }: UnknownField): boolean {
  return nearestField(name, known) !== undefined;
}

/** What is wrong with the known fields; one that is missing is probably the unknown one. */
function wrongValues(schema: z.ZodType, value: unknown): string[] {
  const issues = schema.safeParse(value).error?.issues.filter(({ path }) => valueAt(value, path) !== undefined) ?? [];
  return issues.length === 0 ? [] : [`${describeIssues(new z.ZodError(issues), value)}.`];
}

function refuse(unknown: readonly UnknownField[], words: RequestWords, wrong: readonly string[]): CitewellError {
  const sentences = sentencesOf(unknown, (field) => {
    const meant = nearestField(field.name, field.known);
    return meant === undefined ? `${describe(field, words)}.` : `${describe(field, words)}; did you mean \`${meant}\`?`;
  });
  return new CitewellError("InvalidRequest", [...wrong, ...sentences].join(" ").replace(/\.$/, ""));
}

const mostSentences = 8;

function sentencesOf(fields: readonly UnknownField[], say: (field: UnknownField) => string): string[] {
  const rest = fields.length - mostSentences;
  const sentences = fields.slice(0, mostSentences).map(say);
  return rest > 0 ? [...sentences, `${rest} more are not known`] : sentences;
}

/** ``sync has no argument `name` ``. */
function describe({ name, path, kind }: UnknownField, { subject, noun }: RequestWords): string {
  const owner = path.length === 0 ? subject : formatField(path);
  const ofKind = kind === undefined ? "" : ` of type ${kind}`;
  return `${owner}${ofKind} has no ${noun} \`${quoteValue(name).slice(1, -1)}\``;
}

/**
 * Removes, in place, what the client of a JSON-RPC message left out by saying null: `params` and its fields, at any depth.
 * No parameter of the Model Context Protocol means anything by null. A loop, because a message may be nested deeply.
 */
export function dropNullParams(message: unknown): void {
  const messages: unknown[] = Array.isArray(message) ? message : [message];
  const open: unknown[] = [];
  for (const one of messages) {
    if (typeof one !== "object" || one === null || !("params" in one)) continue;
    if (one.params === null) Reflect.deleteProperty(one, "params");
    else open.push(one.params);
  }
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    for (const [key, field] of Object.entries(value)) {
      if (field === null && !Array.isArray(value)) Reflect.deleteProperty(value, key);
      else if (typeof field === "object") open.push(field);
    }
  }
}
