import { findNodeAtLocation, type JSONPath, type Node } from "jsonc-parser";
import * as z from "zod";
import { ConfigFile } from "../../protocol/config.ts";

/** The rule of the schema for one place in the file. */
export interface Rule {
  description: string | undefined;
  type: string | undefined;
  /** The allowed strings, if they are listed. */
  values: readonly { value: string; description: string | undefined }[];
  default: unknown;
  minimum: number | undefined;
  maximum: number | undefined;
  /** The keys of an object; for a resource without a type, the keys of all kinds. */
  keys: readonly string[];
  required: readonly string[];
}

/** The rule for a path; undefined if any value is allowed. The kind of a resource is read from the tree. */
export type ConfigSchema = (path: JSONPath, tree: Node | undefined) => Rule | undefined;

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** The descriptions, values and ranges of the zod schemas in `protocol/`. */
export function createConfigSchema(): ConfigSchema {
  const root: JsonSchema = z.toJSONSchema(ConfigFile, { io: "input" });
  const definitions = root.$defs ?? {};

  function below(schema: JsonSchema, key: string | number, node: Node | undefined): JsonSchema | undefined {
    const { properties, items, additionalProperties } = oneOf(schema, node);
    const found = typeof key === "number" ? items : (properties?.[key] ?? additionalProperties);
    return typeof found === "object" && !Array.isArray(found) ? found : undefined;
  }

  /** Resolves references, and ignores the alternative null. */
  function plain(schema: JsonSchema): JsonSchema {
    const { $ref, allOf, anyOf, ...own } = schema;
    const named = $ref === undefined ? undefined : definitions[$ref.replace("#/$defs/", "")];
    const others = [named, ...(allOf ?? []), ...(anyOf ?? [])].filter((other) => typeof other === "object");
    const resolved = others.map(plain).find(({ type }) => type !== "null");
    return resolved === undefined ? own : { ...resolved, ...own };
  }

  /** Selects the alternative with the `type` of the node; without a match, all alternatives merged. */
  function oneOf(schema: JsonSchema, node: Node | undefined): JsonSchema {
    const { oneOf: kinds, ...own } = plain(schema);
    if (kinds === undefined) return own;
    const options = kinds.filter((kind) => typeof kind === "object").map(plain);
    const type: unknown = node && findNodeAtLocation(node, ["type"])?.value;
    const meant = options.find(({ properties }) => typeOf(properties)?.const === type);
    if (meant !== undefined) return meant;
    const types = options.flatMap(({ properties }) => typeOf(properties) ?? []);
    return {
      ...own,
      type: "object",
      properties: Object.assign({}, ...options.map(({ properties }) => properties), {
        type: { description: "What kind of resource it is.", oneOf: types },
      }),
      required: ["type", "name"],
    };
  }

  return (path, tree) => {
    let schema: JsonSchema | undefined = root;
    for (const [depth, key] of path.entries()) {
      const node = tree && findNodeAtLocation(tree, path.slice(0, depth));
      schema = below(schema, key, node);
      if (schema === undefined) return undefined;
    }
    const isType = path.at(-1) === "type";
    const node = tree && findNodeAtLocation(tree, path);
    return toRule(isType ? typeRule(path) : oneOf(schema, node));
  };

  /** The rule for `type` of a resource allows all kinds, whatever its current value. */
  function typeRule(path: JSONPath): JsonSchema {
    const resource = path.slice(0, -1).reduce<JsonSchema>((schema, key) => below(schema, key, undefined) ?? {}, root);
    return plain(below(resource, "type", undefined) ?? {});
  }
}

function typeOf(properties: JsonSchema["properties"]): JsonSchema | undefined {
  const type = properties?.["type"];
  return typeof type === "object" ? type : undefined;
}

function toRule(schema: JsonSchema): Rule {
  const { description, type, default: initial, minimum, maximum, properties = {}, required = [] } = schema;
  return {
    description,
    type: typeof type === "string" ? type : undefined,
    values: valuesOf(schema),
    default: initial,
    minimum,
    // The upper bound of every integer in zod's output.
    maximum: maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum,
    keys: Object.keys(properties),
    required,
  };
}

function valuesOf({ enum: values = [], oneOf: kinds = [] }: JsonSchema): Rule["values"] {
  const constants = kinds.flatMap((kind) =>
    typeof kind === "object" && typeof kind.const === "string"
      ? [{ value: kind.const, description: kind.description }]
      : [],
  );
  const plain = values.filter((value) => typeof value === "string").map((value) => ({ value, description: undefined }));
  return [...constants, ...plain];
}
