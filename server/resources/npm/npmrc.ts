import ini from "ini";

/** One layer of npm's configuration: a key's values in order; most keys have one. */
export type Npmrc = ReadonlyMap<string, readonly string[]>;

/** Fills in what a file only names; given the key too, since not every value may be filled in. */
export interface Expansion {
  key(text: string): string;
  value(key: string, text: string): string;
}

/** The text of an `.npmrc`, with npm's own parser (`ini`). Sections are none of npm's and are passed over. */
export function parseNpmrc(text: string, expand: Expansion): Npmrc {
  const entries = Object.entries(ini.parse(text)).map(([rawKey, value]): [string, string[]] => {
    const key = expand.key(rawKey);
    const values: unknown[] = Array.isArray(value) ? value : [value];
    const scalars = values.filter((item) => item === null || typeof item !== "object").map(String);
    return [key, scalars.map((item) => expand.value(key, item.trim()))];
  });
  return new Map(entries.filter(([, values]) => values.length > 0));
}

/** `npm_config_*` as npm reads them: `_` is `-`, case does not count, but in keys that start with `//`. */
export function npmrcOfEnvironment(env: Readonly<Record<string, string | undefined>>): Npmrc {
  const layer = new Map<string, string[]>();
  for (const [name, value] of Object.entries(env)) {
    const key = /^npm_config_(.+)$/i.exec(name)?.[1];
    if (key === undefined || value === undefined || value === "") continue;
    const text = expandVariables(value, env);
    // Lists stand between empty lines: a certificate has line ends of its own.
    layer.set(key.startsWith("//") ? key : key.replace(/(?!^)_/g, "-").toLowerCase(), text.split("\n\n"));
  }
  return layer;
}

/** `${NAME}` is the variable, `${NAME?}` may be unset; an unset one stays as written, `\${NAME}` is no variable. */
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

export function lookUpList(layers: readonly Npmrc[], key: string): readonly string[] | undefined {
  return layers.find((layer) => layer.has(key))?.get(key);
}
