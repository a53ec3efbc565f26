import * as z from "zod";

/** The fields of a call, whole numbers within the bounds of the tool's input, and a sentence on each that was not. */
export function clampNumbers(
  { shape }: z.ZodObject,
  said: Readonly<Record<string, unknown>>,
): { said: Record<string, unknown>; notes: string[] } {
  const notes: string[] = [];
  const clamped = Object.entries(said).map(([field, value]) => {
    const schema = Object.hasOwn(shape, field) ? numberIn(shape[field]) : undefined;
    if (schema === undefined || typeof value !== "number" || !Number.isInteger(value)) return [field, value];
    const { minValue, maxValue } = schema;
    const taken = Math.min(maxValue ?? Infinity, Math.max(minValue ?? -Infinity, value));
    if (taken !== value) {
      notes.push(`${field} is ${taken > value ? `at least ${minValue}` : `at most ${maxValue}`}: ${taken} was taken.`);
    }
    return [field, taken];
  });
  return { said: Object.fromEntries(clamped), notes };
}

function numberIn(schema: unknown): z.ZodNumber | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return numberIn(schema.unwrap());
  return schema instanceof z.ZodNumber ? schema : undefined;
}
