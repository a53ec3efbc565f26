import * as z from "zod";

/** A time of a row, as ISO 8601. */
export const Timestamp = z.date().transform((date) => date.toISOString());

/** The only row of a result; undefined without one. */
export function firstRow<Schema extends z.ZodType>(
  schema: Schema,
  { rows: [row] }: { rows: readonly unknown[] },
): z.output<Schema> | undefined {
  return row === undefined ? undefined : schema.parse(row);
}

/** All rows of a result. */
export function allRows<Schema extends z.ZodType>(
  schema: Schema,
  { rows }: { rows: readonly unknown[] },
): z.output<Schema>[] {
  return rows.map((row) => schema.parse(row));
}
