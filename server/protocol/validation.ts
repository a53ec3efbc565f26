import type * as z from "zod";

/** How many faults one sentence names; the rest is counted. */
const faultLimit = 8;

/** How much of a value is shown, in characters. */
const valueLength = 60;

const secretKey = /key|token|secret|password|passphrase|authorization|credential/i;

/**
 * The faults of `input`, as one sentence: every field at fault, its value (shortened, a secret never) and the rule.
 *
 *     resources[1].branch: "-x": a branch must not start with '-'; maxSteps: missing: must be an integer
 */
export function describeIssues(error: z.ZodError, input: unknown, names: FieldNames = {}): string {
  const faults = listIssues(error, input, names).map(({ fault }) => fault);
  const rest = faults.length - faultLimit;
  return rest > 0 ? `${faults.slice(0, faultLimit).join("; ")}; and ${rest} more` : faults.join("; ");
}

/** What a client calls the fields of a request, by their names on the wire: `{ kinds: "--kind" }`. */
export type FieldNames = Readonly<Record<string, string>>;

/** The same, with each field at fault for itself. */
export function listIssues(
  error: z.ZodError,
  input: unknown,
  names: FieldNames = {},
): { path: PropertyKey[]; fault: string }[] {
  return [...groupByField(error.issues)].map(([field, { path, rules }]) => {
    const value = describeValue(valueAt(input, path), path);
    const name = names[String(path[0])] ?? field;
    return { path, fault: `${name}: ${value}: ${rules.join(", and ")}` };
  });
}

/** A field as a person would write it: `resources[1].searchPaths[0]`, `providerOptions["openai-compat"].baseURL`. */
export function formatField(path: readonly PropertyKey[]): string {
  const text = path.map((key) => {
    if (typeof key === "number") return `[${key}]`;
    return /^[\w$]+$/.test(String(key)) ? `.${String(key)}` : `[${quote(String(key))}]`;
  });
  return text.join("").replace(/^\./, "") || "the request";
}

function groupByField(issues: readonly z.core.$ZodIssue[]): Map<string, { path: PropertyKey[]; rules: string[] }> {
  const fields = new Map<string, { path: PropertyKey[]; rules: string[] }>();
  for (const issue of issues) {
    const field = formatField(issue.path);
    const known = fields.get(field);
    if (known === undefined) fields.set(field, { path: issue.path, rules: [ruleOf(issue)] });
    else known.rules.push(ruleOf(issue));
  }
  return fields;
}

/** Our schemas carry their own sentences; what zod says of types, choices and sizes is said in plainer words. */
function ruleOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return `must be ${typeNames[issue.expected] ?? issue.expected}`;
  if (issue.code === "invalid_value") return `must be ${alternatives(issue.values)}`;
  if ("options" in issue && issue.options !== undefined) return `must be ${alternatives(issue.options)}`;
  if (issue.code === "invalid_union" && issue.message === noneOfUnion) return eitherOf(issue.errors);
  if (!zodWords.test(issue.message)) return issue.message;
  if (issue.code === "too_big") return `must be at most ${issue.maximum}${unitOf(issue.origin)}`;
  if (issue.code === "too_small") return `must be at least ${issue.minimum}${unitOf(issue.origin)}`;
  return issue.message;
}

/** How zod's own sentences about sizes begin. */
const zodWords = /^Too (big|small): /;

/** What zod says of a value that is none of several things. */
const noneOfUnion = "Invalid input";

/** What each of the things asks for. */
function eitherOf(alternatives: readonly (readonly z.core.$ZodIssue[])[]): string {
  const rules = alternatives.map((issues) =>
    issues
      .map((issue) => (issue.path.length === 0 ? ruleOf(issue) : `${formatField(issue.path)} ${ruleOf(issue)}`))
      .join(" and "),
  );
  return [...new Set(rules)].join(", or ");
}

const typeNames: Record<string, string> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a string",
};

function unitOf(origin: string): string {
  if (origin === "string") return " characters long";
  return origin === "array" ? " items long" : "";
}

function alternatives(values: readonly z.core.util.Primitive[]): string {
  const texts = values.map((value) => JSON.stringify(value) ?? String(value));
  return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`;
}

/** The value of a field, by its path. */
export function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** Lists and objects are not shown: a secret may be inside. */
function describeValue(value: unknown, path: readonly PropertyKey[]): string {
  if (value === undefined) return "missing";
  if (path.some((key) => secretKey.test(String(key)))) return "(hidden)";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "string") return quoteValue(value);
  return typeof value === "number" || typeof value === "boolean" || value === null ? `${value}` : "an object";
}

/** What someone wrote, as an error may repeat it: quoted, on one line, shortened, without credentials. */
export function quoteValue(text: string): string {
  return quote(hideCredentials(text));
}

/** `https://user:password@host` and `?token=…` without what must not be repeated. */
function hideCredentials(text: string): string {
  return text
    .replace(/\/\/[^/?#\s]*@/g, "//…@")
    .replace(/([?&][\w-]*(?:key|token|secret|password)[\w-]*=)[^&#\s]*/gi, "$1…");
}

/** The text on one line, shortened; neither a control character nor half a surrogate pair is left. */
function quote(text: string): string {
  const shown = text.length > valueLength ? `${text.slice(0, valueLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
  return JSON.stringify(shown).replace(/\p{C}/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}
