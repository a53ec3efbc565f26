import * as z from "zod";
import { RefreshPolicy } from "./resource-fields.ts";

/**
 * The settings that have one value each. A configuration file may set them, and the command line or the editor may
 * override them; a value that is set nowhere is the default, and a setting without one is then absent. Everything else
 * about a setting is derived from its entry (docs/development/adding-a-setting.md). `title` is its label in `status`.
 */
export const Settings = z.object({
  provider: z.string().min(1).max(64).describe("The provider that answers. Default: builtin.").default("builtin"),
  model: z
    .string()
    .min(1)
    .max(256)
    .describe("A model that the provider serves. Default: extractive.")
    .default("extractive"),
  maxSteps: z
    .int()
    .min(1)
    .max(1000)
    .meta({ title: "steps", description: "The maximum number of model calls per question. Default: 40." })
    .default(40),
  maxTokens: z
    .int()
    .min(1)
    .meta({
      title: "tokens",
      description:
        "The maximum number of input plus output tokens per question; at the limit the answer stops and is left partial. Default: no limit.",
    })
    .optional(),
  maxCostUsd: z
    .number()
    .positive()
    .meta({
      title: "cost, US$",
      description:
        "The maximum cost of a question in US$; at the limit the answer stops and is left partial. Default: no limit.",
    })
    .optional(),
  providerTimeoutMs: z
    .int()
    .min(1)
    .max(3_600_000)
    .meta({
      title: "time-out, ms",
      description: "The timeout of one model call in milliseconds. Default: 300000.",
    })
    .default(300_000),
  refresh: RefreshPolicy.default("daily"),
});
export type Settings = z.infer<typeof Settings>;
export type SettingName = keyof Settings;

export const settingNames = Settings.keyof().options;

export const defaultSettings: Settings = Settings.parse({});

/** Settings as a file, a command line or the editor gives them: each may be absent, and none has a default. */
export const WrittenSettings = z.object(writtenShape(Settings.shape));
export type WrittenSettings = z.infer<typeof WrittenSettings>;

/** The settings in force as they are reported to clients: `null` where a setting has no value. */
export const ReportedSettings = z.object(reportedShape(Settings.shape));
export type ReportedSettings = z.infer<typeof ReportedSettings>;

export const ConfigSource = z.enum(["project", "global", "default"]);
export type ConfigSource = z.infer<typeof ConfigSource>;

/** Which file a value comes from. All are optional but the two that the first servers reported. */
export const ConfigSources = z.object({
  ...sourceShape(Settings.shape),
  provider: ConfigSource,
  model: ConfigSource,
  dataDirectory: ConfigSource.optional(),
});
export type ConfigSources = z.infer<typeof ConfigSources>;

/** Each setting from the last layer that has it, else its default. */
export function mergeSettings(layers: readonly WrittenSettings[]): Settings {
  return layers.reduce<Settings>((merged, layer) => ({ ...merged, ...presentSettings(layer) }), defaultSettings);
}

type Reportable = { readonly [Name in SettingName]?: Settings[Name] | null | undefined };

export function reportSettings(settings: Reportable): ReportedSettings;
export function reportSettings(settings: Reportable): Record<string, unknown> {
  return Object.fromEntries(settingNames.map((name) => [name, settings[name] ?? null]));
}

/** The label of a setting in a list for people. */
export function settingLabel(name: SettingName): string {
  return WrittenSettings.shape[name].unwrap().meta()?.title ?? name;
}

type Present<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> };

function presentSettings(layer: WrittenSettings): Present<WrittenSettings>;
function presentSettings(layer: WrittenSettings): Record<string, unknown> {
  return Object.fromEntries(
    settingNames.flatMap((name) => (layer[name] === undefined ? [] : [[name, layer[name]] as const])),
  );
}

// An overload states what a loop over the entries of a shape returns: TypeScript infers no mapped type from a loop.

type SettingShape = Record<string, z.ZodDefault | z.ZodOptional>;
type Inner<Setting> = Setting extends z.ZodDefault<infer Schema> | z.ZodOptional<infer Schema> ? Schema : never;

function writtenShape<Shape extends SettingShape>(
  shape: Shape,
): { [Name in keyof Shape]: z.ZodOptional<Inner<Shape[Name]>> };
function writtenShape(shape: SettingShape): z.ZodRawShape {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, z.optional(schema.unwrap())]));
}

type Reported<Setting> = Setting extends z.ZodDefault ? Inner<Setting> : z.ZodNullable<Inner<Setting>>;

function reportedShape<Shape extends SettingShape>(shape: Shape): { [Name in keyof Shape]: Reported<Shape[Name]> };
function reportedShape(shape: SettingShape): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [
      name,
      schema instanceof z.ZodDefault ? schema.unwrap() : z.nullable(schema.unwrap()),
    ]),
  );
}

function sourceShape<Shape extends SettingShape>(
  shape: Shape,
): { [Name in keyof Shape]: z.ZodOptional<typeof ConfigSource> };
function sourceShape(shape: SettingShape): z.ZodRawShape {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, ConfigSource.optional()]));
}
