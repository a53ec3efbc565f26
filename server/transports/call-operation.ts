import type * as z from "zod";
import { CitewellError } from "../errors.ts";
import {
  type CallOptions,
  type Handlers,
  type Input,
  type OperationName,
  operations,
  type Result,
} from "../protocol/operations.ts";
import type { RequestWords } from "../protocol/known-fields.ts";
import { describeIssues, type FieldNames } from "../protocol/validation.ts";
import { readKnownFields } from "./request-fields.ts";

/**
 * Checks what came over a wire against the operation's schema, and hands it to the handler of that name.
 * @throws InvalidRequest, which names every field at fault
 */
export function callOperation<Name extends OperationName>(
  handlers: Pick<Handlers, Name>,
  name: Name,
  raw: unknown,
  options: CallOptions,
  wording: Wording = {},
): Result<Name> {
  return handlers[name](parseInput(name, raw, wording), options);
}

/** @throws InvalidRequest, which names every field at fault */
export function parseInput<Name extends OperationName>(
  name: Name,
  raw: unknown,
  { fields, hint, request = { subject: name, noun: "field" } }: Wording = {},
): Input<Name> {
  const table: InputTable = operations;
  const { input, alsoSent } = table[name];
  const known = readKnownFields(input, raw, { ...request, alsoSent });
  const { success, data, error } = input.safeParse(known);
  if (success) return data;
  throw new CitewellError("InvalidRequest", describeIssues(error, known, fields), hint === undefined ? {} : { hint });
}

/** How an error speaks of the request: as the client's user knows it. */
export interface Wording {
  fields?: FieldNames;
  hint?: string;
  request?: RequestWords;
}

type InputTable = { [Name in OperationName]: { input: z.ZodType<Input<Name>>; alsoSent?: readonly string[] } };
