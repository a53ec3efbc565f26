import type { PackageUse } from "./find-uses.ts";
import { escapeExpression } from "../lib/escape-expression.ts";

/**
 * The files of a package that an import of a part of it may mean, as an expression for their paths: `uuid/v4`,
 * `pydantic.generics`, `org.mockito.runners.MockitoJUnitRunner`; undefined for an import of the package itself.
 */
export function moduleFiles(
  { module, name }: Pick<PackageUse, "module" | "name">,
  language: string,
): RegExp | undefined {
  if (module === undefined) return undefined;
  switch (language) {
    case "java":
    case "kotlin":
    case "scala": {
      // A class has a file of its own; its members and inner classes are in it.
      const ofClass = /^(.*?\.[A-Z]\w*)/.exec(module)?.[1];
      return new RegExp(String.raw`(?:^|/)${path(ofClass ?? `${module}.${name}`)}\.(?:java|kt|scala)$`);
    }
    case "python":
      return module.includes(".")
        ? new RegExp(String.raw`(?:^|/)${path(module)}(?:\.pyi?|/__init__\.pyi?)$`)
        : undefined;
    case "js":
    case "jsx":
    case "ts":
    case "tsx": {
      const inside = /^(?:@[^/]+\/)?[^/]+\/(.+)$/.exec(module)?.[1];
      if (inside === undefined) return undefined;
      const own = escapeExpression(inside.replace(/\.[cm]?js$/, ""));
      return new RegExp(String.raw`^${own}(?:\.d)?(?:\.[cm]?[jt]sx?|\.json|/index\.[cm]?[jt]sx?)$`);
    }
    default:
      return undefined;
  }
}

function path(dotted: string): string {
  return escapeExpression(dotted.replaceAll(".", "/"));
}

/**
 * The files of a package that say what a module exports: `jinja2/__init__.py`, `src/body/mod.rs` of `hyper::body`, all files
 * of a folder in Go; undefined where the language has no such files.
 */
export function exportingFiles(module: string, language: string): RegExp | undefined {
  switch (language) {
    case "python":
      return new RegExp(String.raw`(?:^|/)${path(module)}(?:\.pyi?|/__init__\.pyi?)$`);
    case "rust": {
      const inside = module.split("::").slice(1).join("/");
      return inside === ""
        ? /^src\/lib\.rs$/
        : new RegExp(String.raw`^src/${escapeExpression(inside)}(?:\.rs|/mod\.rs)$`);
    }
    case "go": {
      const parts = module.split("/").map(escapeExpression);
      const folders = parts.map((_, index) => parts.slice(index).join("/"));
      return new RegExp(String.raw`^(?:${folders.join("|")})/[^/]+\.go$`);
    }
    default:
      return undefined;
  }
}

/** Whether the `exports` of a `package.json` have an import of a part of the package, or may have it by a pattern. */
export function isExported({ module = "" }: Pick<PackageUse, "module">, manifest: string): boolean {
  const inside = /^(?:@[^/]+\/)?[^/]+\/(.+)$/.exec(module)?.[1] ?? "";
  return manifest.includes(`"./${inside}"`) || /"\.\/[^"]*\*[^"]*"\s*:/.test(manifest);
}
