import { type Element, elementsNamed } from "../xml.ts";

export type Properties = ReadonlyMap<string, string>;

/** The properties of MSBuild files, the later ones first decided; conditions are not evaluated. */
export function propertiesOf(roots: readonly (Element | undefined)[]): Properties {
  const groups = roots.flatMap((root) => elementsNamed(root, "PropertyGroup"));
  return new Map(groups.flatMap(({ children }) => children.map((it) => [it.name.toLowerCase(), it.text.trim()])));
}

/** Properties of properties of properties: more is a circle. */
const depthLimit = 5;

/** A value with `$(Name)` replaced; undefined if a property is not known. */
export function fill(text: string | undefined, properties: Properties, depth = 0): string | undefined {
  if (text === undefined || !text.includes("$(")) return text?.trim() || undefined;
  if (depth === depthLimit) return undefined;
  let isKnown = true;
  const filled = text.replaceAll(/\$\(([\w.]+)\)/g, (_, name: string) => {
    const value = properties.get(name.toLowerCase());
    isKnown &&= value !== undefined;
    return value ?? "";
  });
  return isKnown && filled.length < 200 ? fill(filled, properties, depth + 1) : undefined;
}
