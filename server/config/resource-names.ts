import { readFile } from "node:fs/promises";
import { parse } from "jsonc-parser";
import { defaultResources } from "../protocol/default-resources.ts";
import type { ConfigLocation } from "./config.ts";
import { configPaths } from "./paths.ts";

/**
 * The names of the configured resources, for shell completion: takes a few milliseconds, because it does not load the
 * schemas of `loadConfig`. An unreadable file counts as absent; nothing is written.
 */
export async function readResourceNames(location: ConfigLocation): Promise<string[]> {
  const { projectFile, globalFile } = configPaths(location);
  const [project, global] = await Promise.all([projectFile, globalFile].map(readNames));
  const shared = global ?? defaultResources.map(({ name }) => name);
  return [...new Set([...shared, ...(project ?? [])])];
}

/** Undefined if the file is missing or lists no resources. */
async function readNames(file: string): Promise<string[] | undefined> {
  const text = await readFile(file, "utf8").catch(() => "{}");
  const value: unknown = parse(text.replace(/^\uFEFF/, ""), [], { allowTrailingComma: true });
  if (typeof value !== "object" || value === null || !("resources" in value) || !Array.isArray(value.resources)) {
    return undefined;
  }
  return value.resources.flatMap((resource: unknown) => {
    const isNamed = typeof resource === "object" && resource !== null && "name" in resource;
    return isNamed && typeof resource.name === "string" && /^[\w@./-]+$/.test(resource.name) ? [resource.name] : [];
  });
}
