import { readTextFile } from "./files.ts";

/** The value of a TOML text; undefined if it cannot be parsed. The parser is loaded on first use. */
export async function parseToml(text: string): Promise<unknown> {
  const { getStaticTOMLValue, parseTOML } = await import("toml-eslint-parser");
  try {
    return getStaticTOMLValue(parseTOML(text, { tomlVersion: "1.0.0" }));
  } catch {
    return undefined;
  }
}

/** The value of a TOML file; undefined if it cannot be read or parsed. */
export async function readTomlFile(file: string): Promise<unknown> {
  const text = await readTextFile(file);
  return text === undefined ? undefined : parseToml(text);
}
