import ini from "ini";

/** One layer of npm's configuration: a key's values in order; most keys have one. */
export type Npmrc = ReadonlyMap<string, readonly string[]>;

/** Expands variables in a value; receives the key, because not every value may be expanded. */
export interface Expansion {
  key(text: string): string;
  value(key: string, text: string): string;
}

/** Parses an `.npmrc` with npm's own parser (`ini`). npm has no sections, so they are skipped. */
export function parseNpmrc(text: string, expand: Expansion): Npmrc {
  const entries = Object.entries(ini.parse(text)).map(([rawKey, value]): [string, string[]] => {
    const key = expand.key(rawKey);
    const values: unknown[] = Array.isArray(value) ? value : [value];
    const scalars = values.filter((item) => item === null || typeof item !== "object").map(String);
    return [key, scalars.map((item) => expand.value(key, item.trim()))];
  });
  return new Map(entries.filter(([, values]) => values.length > 0));
}

/** Reads `npm_config_*` as npm does: `_` is `-` and case is ignored, except in keys that start with `//`. */
export function npmrcOfEnvironment(env: Readonly<Record<string, string | undefined>>): Npmrc {
  const layer = new Map<string, string[]>();
  for (const [name, value] of Object.entries(env)) {
    const key = /^npm_config_(.+)$/i.exec(name)?.[1];
    if (key === undefined || value === undefined || value === "") continue;
    const text = expandVariables(value, env);
    // Items of lists are separated by empty lines, because certificates contain line ends.
    layer.set(key.startsWith("//") ? key : key.replace(/(?!^)_/g, "-").toLowerCase(), text.split("\n\n"));
  }
  return layer;
}

/** Expands `${NAME}`; `${NAME?}` may be unset. Other unset variables are kept as written, and so is `\${NAME}`. */
export function expandVariables(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(
    /(\\*)\$\{([^${}?]+)(\?)?\}/g,
    (written: string, escapes: string, name: string, optional: string | undefined) => {
      const kept = "\\".repeat(Math.floor(escapes.length / 2));
      const isEscaped = escapes.length % 2 === 1;
      if (isEscaped) return kept + written.slice(escapes.length);
      return kept + (env[name] ?? (optional === undefined ? written.slice(escapes.length) : ""));
    },
  );
}

/** The value of a key in the strongest layer that has it. */
export function lookUp(layers: readonly Npmrc[], key: string): string | undefined {
  return lookUpList(layers, key)?.join(",");
}

/** All values of a key in the strongest layer that has it. */
export function lookUpList(layers: readonly Npmrc[], key: string): readonly string[] | undefined {
  return layers.find((layer) => layer.has(key))?.get(key);
}
