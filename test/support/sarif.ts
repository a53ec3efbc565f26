import * as z from "zod";

const Level = z.enum(["none", "note", "warning", "error"]);
const Message = z.strictObject({ text: z.string().min(1) });
/** A relative reference of RFC 3986: escaped, and no scheme before the first slash. */
const uri = z.string().regex(/^(?![a-z][\w+.-]*:)(?:%[0-9A-F]{2}|[\w.~!$&'()*+,;=@/-])+$/i);
const PhysicalLocation = z.strictObject({
  artifactLocation: z.strictObject({ uri, uriBaseId: z.string().optional() }),
  region: z
    .strictObject({ startLine: z.int().min(1), endLine: z.int().min(1).optional() })
    .refine(({ startLine, endLine = startLine }) => endLine >= startLine),
});
const Run = z
  .strictObject({
    tool: z.strictObject({
      driver: z.strictObject({
        name: z.string().min(1),
        semanticVersion: z.string(),
        rules: z.array(
          z.strictObject({
            id: z.string().min(1),
            shortDescription: Message,
            defaultConfiguration: z.strictObject({ level: Level }),
          }),
        ),
      }),
    }),
    automationDetails: z.strictObject({ id: z.string().endsWith("/") }).optional(),
    invocations: z.array(
      z.strictObject({
        executionSuccessful: z.boolean(),
        toolExecutionNotifications: z.array(z.strictObject({ level: Level, message: Message })),
      }),
    ),
    originalUriBaseIds: z.record(z.string(), z.strictObject({ description: Message })).optional(),
    results: z.array(
      z.strictObject({
        ruleId: z.string(),
        ruleIndex: z.int().min(0),
        level: Level,
        message: Message,
        locations: z.array(z.strictObject({ physicalLocation: PhysicalLocation })),
        relatedLocations: z
          .array(z.strictObject({ id: z.int().min(0), message: Message, physicalLocation: PhysicalLocation }))
          .refine((all) => new Set(all.map(({ id }) => id)).size === all.length)
          .optional(),
        partialFingerprints: z.record(z.string(), z.string()),
      }),
    ),
  })
  .refine(({ tool, results }) => results.every((one) => tool.driver.rules[one.ruleIndex]?.id === one.ruleId))
  .refine(({ originalUriBaseIds = {}, results }) =>
    results
      .flatMap(({ locations, relatedLocations = [] }) => [...locations, ...relatedLocations])
      .flatMap(({ physicalLocation }) => physicalLocation.artifactLocation.uriBaseId ?? [])
      .every((base) => Object.hasOwn(originalUriBaseIds, base)),
  );
/** The fields of the schema of SARIF 2.1.0 that we write, and the rules of its text for them. */
const Sarif = z.strictObject({ $schema: z.url(), version: z.literal("2.1.0"), runs: z.array(Run) });

export function parseSarif(text: string): z.infer<typeof Sarif> {
  return Sarif.parse(JSON.parse(text));
}
