import * as z from "zod";

/** Clamps the whole numbers of a call to the bounds of the tool's input; `notes` has a sentence for each one it changed. */
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
