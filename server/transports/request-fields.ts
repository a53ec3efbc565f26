import type * as z from "zod";
import { CitewellError } from "../errors.ts";
import { checkFields, checkNearFields, type KnownFields, type RequestWords } from "../protocol/known-fields.ts";

/**
 * A request without what its client left out by saying null.
 * @throws InvalidRequest, which names each field that the request does not have, and the one that was probably meant
 */
export function readKnownFields(schema: z.ZodType, raw: unknown, words: RequestWords): unknown {
  return accept(checkFields(schema, raw, words)).value;
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
  return accept(checkNearFields(schema, raw, words));
}

function accept<Fields extends KnownFields>(fields: Fields): Fields {
  if (fields.refusal !== undefined) throw new CitewellError("InvalidRequest", fields.refusal);
  return fields;
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
