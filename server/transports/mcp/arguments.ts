import * as z from "zod";
import { readKnownFields } from "../request-fields.ts";

const Arguments = z.record(z.string(), z.unknown());

/**
 * The arguments of a tool call, without those that the client left out by saying null.
 * @throws InvalidRequest, which names each argument that the tool does not have, and the one that was probably meant
 */
export function readArguments(
  input: z.ZodObject,
  said: Readonly<Record<string, unknown>>,
  tool: string,
): Record<string, unknown> {
  return Arguments.parse(readKnownFields(input, said, { subject: tool, noun: "argument" }));
}
