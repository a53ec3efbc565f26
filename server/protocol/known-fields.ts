import * as z from "zod";
import { nearestField } from "./nearest-field.ts";
import { readFields, type UnknownField } from "./read-fields.ts";
import { describeIssues, formatField, quoteValue, valueAt } from "./validation.ts";

/** How a refusal speaks of a request and its fields. */
export interface RequestWords {
  /** What has the fields: `ask`, `POST /question`. */
  subject: string;
  noun: "argument" | "field";
  /** Fields of the request that are ignored without a word. */
  alsoSent?: readonly string[] | undefined;
}

/** A request without what its client left out by saying null. */
export interface KnownFields {
  value: unknown;
  /** What is wrong with it, in sentences: the fields that it does not have, each with the one that was probably meant. */
  refusal?: string;
}

/** Every unknown field is refused. */
export function checkFields(schema: z.ZodType, raw: unknown, words: RequestWords): KnownFields {
  const { value, unknown } = readRequest(schema, raw, words);
  const refused = unknown.filter((field) => !field.isKept || isMeant(field));
  return withRefusal(schema, value, describeRefused(refused, words));
}

/**
 * The same for clients that must go on working: only a field that is nearly a known one is refused; `ignored` has a
 * sentence for each of the others.
 */
export function checkNearFields(
  schema: z.ZodType,
  raw: unknown,
  words: RequestWords,
): KnownFields & { ignored: string[] } {
  const { value, unknown } = readRequest(schema, raw, words);
  const ignored = unknown.filter(({ isKept }) => !isKept);
  return {
    ...withRefusal(schema, value, describeRefused(unknown.filter(isMeant), words)),
    ignored: sentencesOf(ignored, (field) => `${describe(field, words)}; it was ignored`),
  };
}

/** `search takes query, resources (optional), …`: for the hint beside a refusal. */
export function describeFields(subject: string, { shape }: z.ZodObject): string {
  const fields = Object.entries(shape).map(([field, schema]) => {
    const isOptional = schema instanceof z.ZodType && schema.safeParse(undefined).success;
    return isOptional ? `${field} (optional)` : field;
  });
  return `${subject} takes ${fields.length === 0 ? "nothing" : fields.join(", ")}`;
}

function readRequest(schema: z.ZodType, raw: unknown, { alsoSent = [] }: RequestWords): ReturnType<typeof readFields> {
  const { value, unknown } = readFields(schema, raw);
  return { value, unknown: unknown.filter(({ name, path }) => path.length > 0 || !alsoSent.includes(name)) };
}

function isMeant({ name, known }: UnknownField): boolean {
  return nearestField(name, known) !== undefined;
}

/** What is wrong with the known fields comes first; one that is missing is probably the unknown one. */
function withRefusal(schema: z.ZodType, value: unknown, refused: readonly string[]): KnownFields {
  if (refused.length === 0) return { value };
  const issues = schema.safeParse(value).error?.issues.filter(({ path }) => valueAt(value, path) !== undefined) ?? [];
  const wrong = issues.length === 0 ? [] : [`${describeIssues(new z.ZodError(issues), value)}.`];
  return { value, refusal: [...wrong, ...refused].join(" ").replace(/\.$/, "") };
}

function describeRefused(unknown: readonly UnknownField[], words: RequestWords): string[] {
  return sentencesOf(unknown, (field) => {
    const meant = nearestField(field.name, field.known);
    return meant === undefined ? `${describe(field, words)}.` : `${describe(field, words)}; did you mean \`${meant}\`?`;
  });
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
