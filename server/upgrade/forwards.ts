import { importedNames } from "../source/import-bindings.ts";
import { languageOf } from "../source/languages.ts";

/** What a file exports of another package. */
export interface Forward {
  /** As the file writes it: `clap_builder`, `a::b`, `@scope/other`. */
  module: string;
  /** A name of the module, and what the file calls it; undefined for all names. */
  name: { original: string; exported: string } | undefined;
}

/** What a file of Rust or a script exports of other packages: by name, in lists and under another name, or everything. */
export function forwardsIn(path: string, text: string): Forward[] {
  const { tag, family } = languageOf(path);
  if (tag !== "rust" && family !== "script") return [];
  const statements = Array.from(text.matchAll(tag === "rust" ? rustExport : scriptExport), ([statement]) => statement);
  // In Rust the modules of the file are named as other crates are.
  const own = new Set(tag === "rust" ? Array.from(text.matchAll(rustModule), ([, name]) => name) : []);
  return statements
    .flatMap((statement): Forward[] => [
      ...importedNames(path, statement).flatMap(({ module, imported, local }): Forward[] => {
        if (imported !== undefined) return [{ module, name: { original: imported, exported: local } }];
        // `pub use http;` makes its names those of a module, `export * as all` those of an object.
        return tag === "rust" ? [{ module, name: undefined }] : [];
      }),
      ...allOf(statement).map((module) => ({ module, name: undefined })),
    ])
    .filter(({ module }) => !own.has(module.split("::")[0]));
}

const rustExport = /^[ \t]*pub\s+use\s+(?:::)?(?!crate\b|self\b|super\b)\w[^;]*;/gm;
const rustModule = /^[ \t]*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)/gm;
/** Not of a module beside it. */
const scriptExport = /^[ \t]*export\s+(?:type\s+)?(?:\*|\{[^}]*\})\s*from\s*["'](?!\.)[^"']+["']/gm;

/** The module of which a statement exports everything: `pub use a::b::*`, `export * from "a"`. */
function allOf(statement: string): string[] {
  const script = /^\s*export\s+(?:type\s+)?\*\s*from\s*["']([^"']+)["']/.exec(statement)?.[1];
  const rust = /^\s*pub\s+use\s+(?:::)?((?:\w+::)*\w+)::(?:\*|\{[^]*\*)/.exec(statement)?.[1];
  const module = script ?? rust;
  return module === undefined ? [] : [module];
}

/** What a file exports under another name than it has in the file that declares it, in the same package or another one. */
export function renamesIn(path: string, text: string): { original: string; exported: string }[] {
  const { tag, family } = languageOf(path);
  const form = path.endsWith("__init__.py") ? pythonExport : renames[tag === "rust" ? tag : family];
  if (form === undefined || !/\sas\s/.test(text)) return [];
  return Array.from(text.matchAll(form), ([statement]) => statement).flatMap((statement) =>
    Array.from(statement.matchAll(/([\w$]+)\s+as\s+([\w$]+)/g), ([, original = "", exported = ""]) => ({
      original,
      exported,
    })),
  );
}

const pythonExport = /^from\s+[\w.]+\s+import\s+(?:\([^)]*\)|.*)/gm;
const renames: Readonly<Record<string, RegExp>> = {
  rust: /^[ \t]*pub\s+use\s[^;]*;/gm,
  script: /^[ \t]*export\s+(?:type\s+)?\{[^}]*\}/gm,
};
