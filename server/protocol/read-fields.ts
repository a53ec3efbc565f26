import * as z from "zod";

/** A field that a schema does not name. */
export interface UnknownField {
  name: string;
  /** The path of the object that has it: empty for the request itself. */
  path: readonly PropertyKey[];
  /** The fields that the schema names. */
  known: readonly string[];
  /** The kind of the object, where its fields depend on one: `npm`. */
  kind?: string | undefined;
  /** Whether the object may have fields of any name. */
  isKept: boolean;
}

/**
 * An input as its schema means it, at any depth: without the fields that the schema does not take, and without null,
 * which many clients send for "left out", except where the schema has a meaning for it. Every field without a name in
 * the schema is listed.
 */
export function readFields(schema: z.ZodType, input: unknown): { value: unknown; unknown: UnknownField[] } {
  const unknown: UnknownField[] = [];
  return { value: read(schema, input, { path: [], unknown }), unknown };
}

interface Reading {
  path: readonly PropertyKey[];
  unknown: UnknownField[];
  kind?: string;
}

function read(schema: unknown, input: unknown, reading: Reading): unknown {
  if (typeof input !== "object" || input === null) return input;
  if (isWrapper(schema)) return read(schema.unwrap(), input, reading);
  if (schema instanceof z.ZodPipe) {
    return read(schema.in instanceof z.ZodTransform ? schema.out : schema.in, input, reading);
  }
  if (schema instanceof z.ZodDiscriminatedUnion) return readVariant(schema, input, reading);
  if (schema instanceof z.ZodUnion) return readOneOf(schema, input, reading);
  if (schema instanceof z.ZodArray) {
    return Array.isArray(input) ? input.map((item, index) => read(schema.element, item, at(reading, index))) : input;
  }
  if (Array.isArray(input)) return input;
  if (schema instanceof z.ZodRecord) {
    return mapFields(input, (name, value) => [[name, read(schema.valueType, value, at(reading, name))]]);
  }
  return schema instanceof z.ZodObject ? readObject(schema, input, reading) : input;
}

function readObject({ shape, def }: z.ZodObject, input: object, reading: Reading): unknown {
  const isOpen = def.catchall !== undefined && !(def.catchall instanceof z.ZodNever);
  return mapFields(input, (name, value) => {
    const field: unknown = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field instanceof z.ZodType) {
      const isLeftOut = value === null && !field.safeParse(null).success;
      return isLeftOut ? [] : [[name, read(field, value, at(reading, name))]];
    }
    if (value !== null && value !== undefined) {
      const { path, kind, unknown } = reading;
      unknown.push({ name, path, kind, known: Object.keys(shape), isKept: isOpen });
    }
    return isOpen ? [[name, value]] : [];
  });
}

/** A value without a known kind stays as it is: the schema says which kinds there are. */
function readVariant({ options, def }: z.ZodDiscriminatedUnion, input: object, reading: Reading): unknown {
  const kind: unknown = Reflect.get(input, def.discriminator);
  for (const option of options) {
    const field: unknown = option instanceof z.ZodObject ? option.shape[def.discriminator] : undefined;
    if (field instanceof z.ZodType && field.safeParse(kind).success) {
      return read(option, input, { ...reading, kind: String(kind) });
    }
  }
  return input;
}

/** The first alternative that takes it is used, by preference one that takes it whole. */
function readOneOf({ options }: z.ZodUnion, input: object, reading: Reading): unknown {
  const readings = options
    .filter((option) => option instanceof z.ZodType)
    .map((option) => {
      const unknown: UnknownField[] = [];
      const value = read(option, input, { ...reading, unknown });
      return { value, unknown, isTaken: option.safeParse(value).success };
    })
    .filter(({ isTaken }) => isTaken);
  const best = readings.find(({ unknown }) => unknown.length === 0) ?? readings[0];
  if (best === undefined) return input;
  reading.unknown.push(...best.unknown);
  return best.value;
}

function mapFields(input: object, map: (name: string, value: unknown) => [name: string, value: unknown][]): unknown {
  return Object.fromEntries(Object.entries(input).flatMap(([name, value]) => map(name, value)));
}

function at({ path, unknown }: Reading, key: PropertyKey): Reading {
  return { path: [...path, key], unknown };
}

function isWrapper(schema: unknown): schema is { unwrap(): unknown } {
  return (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodCatch ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodLazy
  );
}
