import * as z from "zod";
import { settingNames, WrittenSettings } from "../../server/protocol/settings.ts";

const Field = z.object({
  type: z.enum(["string", "integer", "number", "boolean"]),
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
});

/** Three valid values per setting, derived from its schema, so that new settings are tested automatically. */
export function settingSamples(): readonly Record<string, unknown>[] {
  const { properties = {} } = z.toJSONSchema(WrittenSettings, { io: "input" });
  const fields = settingNames.map((name) => [name, Field.parse(properties[name])] as const);
  return [0, 1, 2].map((index) => Object.fromEntries(fields.map(([name, field]) => [name, sampleOf(field, index)])));
}

function sampleOf({ type, enum: values, minimum = 1 }: z.infer<typeof Field>, index: number): unknown {
  if (values !== undefined) return values[index % values.length];
  if (type === "boolean") return index % 2 === 0;
  return type === "string" ? `sample-${index}` : minimum + index;
}
