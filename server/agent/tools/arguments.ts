import { readJsonAt } from "../../lib/read-json.ts";

/**
 * The JSON of arguments that are not JSON: in a code fence, or the same object twice in a row. Any other text is returned as a
 * JSON string, so that the tool can say what is wrong with it.
 */
export function repairJson(text: string): string {
  const inFence = text.trim().replace(/^```(?:json)?\s*([\s\S]*?)\s*```$/, "$1");
  const value = parse(inFence) ?? parseRepeated(inFence);
  return JSON.stringify(value ?? text);
}

/** `properties` of the JSON schema of a tool's arguments. */
export type Properties = Readonly<Record<string, { type?: unknown; anyOf?: readonly { type?: unknown }[] }>>;

/**
 * Arguments as the schema wants them, where there is one reading: encoded twice, in a list of one, null for an argument that
 * is left out, `"20"` for a number, one text for a list. All else stays as it is.
 */
export function tidyArguments(input: unknown, properties: Properties): unknown {
  if (typeof input === "string") {
    const parsed = parse(repairJson(input));
    return typeof parsed === "string" ? input : tidyArguments(parsed, properties);
  }
  if (Array.isArray(input) && input.length === 1) return tidyArguments(input[0], properties);
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input ?? {};
  const given = Object.entries(input).filter(([, value]) => value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, convert(value, typesOf(properties[name]))]));
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** The value that is repeated without a separator; undefined if the values differ. */
function parseRepeated(text: string): unknown {
  const first = readJsonAt(text, 0);
  if (first === undefined) return undefined;
  const json = JSON.stringify(first.value);
  for (let at = first.end; text.slice(at).trim() !== "";) {
    const next = readJsonAt(text, at);
    if (next === undefined || JSON.stringify(next.value) !== json) return undefined;
    at = next.end;
  }
  return first.value;
}

function typesOf(property: Properties[string] | undefined): ReadonlySet<unknown> {
  return new Set([property?.type, ...(property?.anyOf ?? []).map(({ type }) => type)].flat());
}

function convert(value: unknown, types: ReadonlySet<unknown>): unknown {
  if (typeof value === "number" && types.has("string") && !types.has("number") && !types.has("integer"))
    return String(value);
  if (typeof value !== "string" || types.has("string")) return value;
  const parsed = parse(value.trim());
  if (types.has("array")) return Array.isArray(parsed) ? parsed : [value];
  const isWanted = typeof parsed === "number" ? types.has("number") || types.has("integer") : types.has(typeof parsed);
  return isWanted && parsed !== undefined ? parsed : value;
}
