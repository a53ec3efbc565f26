import * as z from "zod";
import { publishedTools, toolSchema } from "../server/protocol/published-tools.ts";
import { EditorSettings } from "../server/protocol/editor-settings.ts";
import { defaultSettings } from "../server/protocol/settings.ts";

/**
 * Generates settings and tools in the extension's `package.json` and `package.nls.json` from the schemas. The rest is
 * hand-written.
 */
export function withSchemas(sources: { manifest: string; texts: string }): { manifest: string; texts: string } {
  const manifest = Fields.parse(JSON.parse(sources.manifest));
  const texts = Texts.parse(JSON.parse(sources.texts));
  const settings = describeSettings();
  const restricted = settings.filter(({ isBound }) => isBound).map(({ key }) => key);
  const capabilities = Fields.parse(manifest["capabilities"]);
  const tools = describeTools();
  const ownTexts = Object.entries(texts).filter(([key]) => !/^(?:setting|tool)\./.test(key));
  return {
    manifest: toJson({
      ...manifest,
      capabilities: {
        ...capabilities,
        untrustedWorkspaces: {
          ...Fields.parse(capabilities["untrustedWorkspaces"]),
          restrictedConfigurations: restricted,
        },
      },
      contributes: {
        ...Fields.parse(manifest["contributes"]),
        configuration: {
          title: "Citewell",
          properties: Object.fromEntries(settings.map(({ key, property }) => [key, property])),
        },
        languageModelTools: tools.map(({ contribution }) => contribution),
      },
    }),
    texts: toJson(
      Object.fromEntries([...ownTexts, ...[...settings, ...tools].flatMap((described) => described.texts)]),
    ),
  };
}

/** A record schema keeps the key order; an object schema does not. */
const Fields = z.record(z.string(), z.unknown());
const Texts = z.record(z.string(), z.string());
const Property = z.looseObject({
  type: z.string(),
  title: z.string().optional(),
  description: z.string(),
  default: z.boolean().optional(),
  enum: z.array(z.string()).optional(),
  maximum: z.number().optional(),
});

interface Setting {
  key: string;
  property: object;
  /** The text of the property's `%…%` placeholder. */
  texts: [string, string][];
  /** Whether it limits the cost of a question, which an untrusted workspace must not set. */
  isBound: boolean;
}

const refreshPolicies: Record<string, string> = {
  always: "With every question.",
  daily: "Once a day.",
  manual: "On request.",
};

function describeSettings(): Setting[] {
  // Drop the id, which would turn the schema into a reference.
  const { properties = {} } = z.toJSONSchema(z.object(EditorSettings.shape), { io: "input", target: "draft-7" });
  return Object.entries(properties).map(([name, schema], order) => {
    const {
      type,
      title: _,
      description,
      default: byDefault,
      enum: values,
      maximum,
      ...bounds
    } = Property.parse(schema);
    const isBound = byDefault === undefined;
    const text = `setting.${name}`;
    const [purpose = "", stated] = description.split(" Default: ");
    if (isBound && stated === undefined && name !== "refresh")
      throw new Error(`the description of ${name} must end with " Default: <value>."`);
    const fallback = stated ?? refreshPolicies[defaultSettings.refresh] ?? "";
    const whenEmpty = `If empty, the configuration file's value applies, or ${asPhrase(fallback)} if it sets none.`;
    const property = {
      order,
      scope: isBound ? "machine-overridable" : "window",
      ...(isBound ? { type: [type, "null"], default: null } : { type, default: byDefault }),
      ...bounds,
      ...(maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && { maximum }),
      ...(values !== undefined && {
        enum: [null, ...values],
        enumDescriptions: [null, ...values].map((value) => `%${text}.${value ?? "empty"}%`),
      }),
      markdownDescription: `%${text}%`,
    };
    const ofValues = (values ?? []).map((value): [string, string] => [
      `${text}.${value}`,
      refreshPolicies[value] ?? "",
    ]);
    return {
      key: `citewell.${name}`,
      property,
      texts: [
        [text, isBound ? `${purpose} ${whenEmpty}` : description],
        ...(values === undefined ? [] : [[`${text}.empty`, whenEmpty] satisfies [string, string]]),
        ...ofValues,
      ],
      isBound,
    };
  });
}

/** `once a day`, of `Once a day.`. */
function asPhrase(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1, -1);
}

interface ToolContribution {
  contribution: object;
  texts: [string, string][];
}

/** The tools for the editor's agent, implemented in `extension/features/language-tools.ts`. */
function describeTools(): ToolContribution[] {
  return Object.entries(publishedTools).map(([name, { title, summary, description, input }]) => ({
    contribution: {
      name: `citewell_${name}`,
      displayName: `%tool.${name}%`,
      userDescription: `%tool.${name}.description%`,
      modelDescription: description,
      toolReferenceName: `citewell${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      canBeReferencedInPrompt: true,
      icon: "media/citewell.svg",
      tags: ["citewell"],
      when: "citewell.serverState != failed",
      inputSchema: toolSchema(input, "input"),
    },
    texts: [
      [`tool.${name}`, title],
      [`tool.${name}.description`, summary],
    ],
  }));
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
