import { withoutComments } from "../source/calls.ts";
import { findImportBindings, type ImportBinding } from "../source/import-bindings.ts";
import { importTest } from "../source/grammars.ts";
import { languageOf } from "../source/languages.ts";
import { createOwnNames, type OwnNames } from "./own-names.ts";

/**
 * How a line uses a name: it imports it from the package or names what it imports (`import`); it takes it from what is
 * imported (`member`: `z.string`), or from what is made of that (`derived`: `app.del`); it takes it from something that the
 * text does not connect with the package (`other`); it passes it as an argument's name or a key (`option`).
 */
export type UseForm = "import" | "member" | "derived" | "other" | "option";

/** A line that uses a name which may be a package's. */
export interface PackageUse {
  name: string;
  /** What stands before it: `z` of `z.string`, `req` of `req.param`; of an option, the function or class that takes it. */
  owner: string | undefined;
  /** What the file imports that the owner is: `BaseModel`; undefined if it is the module, or unknown. */
  ownerIs: string | undefined;
  form: UseForm;
  /** What the owner may be, by the line that made it: a class, or the function that returned it. */
  types: readonly string[];
  /** 1-based. */
  line: number;
  text: string;
  /** The module that it is imported from, where it is. */
  module: string | undefined;
}

/** Longer lines are minified code or data. */
const lineLimit = 400;
/** The most lines of a call that an argument's name is looked for. */
const callLimit = 15;

/**
 * The lines of a file that use what it imports from a package, by text; none of a file that imports nothing of it.
 * @param isOfPackage whether an import is of the package
 */
export async function findUses(
  path: string,
  lines: readonly string[],
  isOfPackage: (binding: ImportBinding) => Promise<boolean>,
): Promise<PackageUse[]> {
  const bindings: FoundBinding[] = [];
  const others = new Set<string>();
  for (const binding of [...findImportBindings(path, lines), ...pathsOf(path, lines)]) {
    if (await isOfPackage(binding)) bindings.push(binding);
    else if (binding.imported === undefined && !/^[./@#]/.test(binding.module)) others.add(binding.local);
  }
  if (bindings.length === 0) return [];
  const byLocal = new Map(bindings.map((binding) => [binding.local, binding]));
  const own = createOwnNames(byLocal.keys());
  const uses = bindings.map(({ module, imported, line }): PackageUse => {
    const text = lines[line - 1] ?? "";
    return {
      name: imported ?? module,
      owner: undefined,
      ownerIs: undefined,
      types: [],
      form: "import",
      line,
      text,
      module,
    };
  });
  const importLines = new Set(bindings.filter(({ isPath }) => isPath !== true).map(({ line }) => line));
  const isImport = importTest(path);
  const hasElements = ["js", "jsx", "tsx"].includes(languageOf(path).tag);
  for (const [index, text] of lines.entries()) {
    if (text.length > lineLimit || isImport(text) || importLines.has(index + 1)) continue;
    const code = withoutComments(text);
    own.read(code);
    const seen = new Set<string>();
    for (const { index: at, 0: name } of code.matchAll(/[A-Za-z_$][\w$]+/g)) {
      const use = useAt({ name, code, at, index, lines, byLocal, others, own, hasElements });
      const key = `${use?.owner}.${name}`;
      if (use === undefined || seen.has(key)) continue;
      seen.add(key);
      uses.push({ ...use, line: index + 1, text });
    }
  }
  return uses;
}

interface FoundBinding extends ImportBinding {
  /** Whether the line names it by its path, and is no import. */
  isPath?: true;
}

interface Word {
  name: string;
  code: string;
  at: number;
  index: number;
  lines: readonly string[];
  byLocal: ReadonlyMap<string, ImportBinding>;
  /** The names of other packages' modules. */
  others: ReadonlySet<string>;
  own: OwnNames;
  /** Whether the language writes elements: `<Route exact>`. */
  hasElements: boolean;
}

type Use = Omit<PackageUse, "line" | "text">;

function useAt(word: Word): Use | undefined {
  const { name, code, at, byLocal } = word;
  const [, owner, sign] =
    /((?:(?:[A-Za-z_$][\w$]*(?:\.|::))*[A-Za-z_$][\w$]*|[)\]}"'`])?)\s*(\?\.|(?<!\.)\.|::)$/.exec(
      code.slice(Math.max(0, at - 80), at),
    ) ?? [];
  if (owner !== undefined) return memberUse(word, { written: owner, isPath: sign === "::" });
  const binding = byLocal.get(name);
  if (binding === undefined) {
    return optionForm.test(code.slice(at + name.length)) ? (optionUse(word) ?? attributeUse(word)) : attributeUse(word);
  }
  // The element is used where it begins.
  if (code.endsWith("</", at)) return undefined;
  const { imported, module } = binding;
  const isCall = /^\s*\(/.test(code.slice(at + name.length));
  return imported === undefined && !isCall
    ? undefined
    : { name: imported ?? module, owner: undefined, ownerIs: undefined, types: [], form: "import", module };
}

function memberUse(
  { name, code, at, index, lines, byLocal, others, own }: Word,
  { written, isPath }: { written: string; isPath: boolean },
): Use | undefined {
  const isNamed = /^[A-Za-z_$]/.test(written);
  const [root = "", ...path] = written.split(/\.|::/);
  const owner = isNamed ? (path.at(-1) ?? root) : undefined;
  const binding = byLocal.get(root);
  if (binding !== undefined && (path.length === 0 || isPath)) {
    const { module, type } = isPath ? pathTo(binding, path) : { module: binding.module, type: binding.imported };
    return { name, owner, ownerIs: type, types: [], form: "member", module };
  }
  if ((ofLanguage.has(root) || others.has(root)) && !own.has(root)) return undefined;
  const isDerived = isNamed ? own.has(root) : own.continues(code.slice(0, at));
  const above = lines.slice(Math.max(0, index - callLimit), index).join("\n");
  const types = !isNamed
    ? typesOfChain(`${above}\n${code.slice(0, at)}`, own)
    : path.length === 0
      ? own.typesOf(root)
      : [];
  return { name, owner, ownerIs: undefined, types, form: isDerived ? "derived" : "other", module: undefined };
}

/** What a chain of calls at the end of a text begins with: `Arg` of `Arg::new("x").required(true).`. */
function typesOfChain(text: string, own: OwnNames): readonly string[] {
  const path: string[] = [];
  let rest = text;
  for (let sign = chainSign.exec(rest); sign !== null; sign = chainSign.exec(rest)) {
    rest = withoutArguments(rest.slice(0, sign.index));
    const name = /[A-Za-z_$][\w$]*$/.exec(rest);
    if (name === null) return [];
    path.unshift(name[0]);
    rest = rest.slice(0, name.index);
  }
  const [root = "", next = ""] = path;
  if (!own.has(root)) return [];
  const type = [root, next].find((one) => /^[A-Z]/.test(one));
  return type === undefined ? own.typesOf(root) : [type];
}

const chainSign = /\s*\??(?:\.|::)\s*$/;

/** A text without the brackets at its end. */
function withoutArguments(text: string): string {
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    const character = text[at] ?? "";
    if (")]".includes(character)) depth++;
    else if (depth === 0) return text.slice(0, at + 1);
    else if ("([".includes(character)) depth--;
  }
  return "";
}

/** What a path of Rust goes through: modules, which are lower-case, and at its end perhaps a type. */
function pathTo(
  { module, imported }: ImportBinding,
  path: readonly string[],
): { module: string; type: string | undefined } {
  const parts = [...(imported === undefined ? [] : [imported]), ...path];
  const first = parts.findIndex((part) => !/^[a-z]/.test(part));
  const modules = first === -1 ? parts : parts.slice(0, first);
  return { module: [module, ...modules].join("::"), type: first === -1 ? undefined : parts.at(-1) };
}

/** What every program has: its members are not the package's. */
const ofLanguage = new Set(
  "console process Math JSON Object Array Number String Date Symbol Reflect Buffer globalThis window document System fmt os sys module exports".split(
    " ",
  ),
);

/** `key: value` and `key=value`; not `key == value`, `key => value` and `key::name`. */
const optionForm = /^\s*(?::(?!:)|=(?![=>]))/;

/** A named argument, a key of an object, or what a class sets: of the function or the class, which must be the package's. */
function optionUse({ name, code, at, index, lines, own }: Word): Use | undefined {
  const before = code.slice(0, at);
  const isFirst = before.trim() === "";
  const called = calledBefore(
    [...lines.slice(Math.max(0, index - (isFirst ? callLimit : 0)), index), before].join("\n"),
  );
  const isOfCall = called !== undefined && (own.has(called.root) || (called.root === "" && own.continues(before)));
  const owner = isOfCall ? called.name : isFirst ? classAround(lines, index, own) : undefined;
  if (owner === undefined) return undefined;
  const types = own.typesOf(isOfCall ? called.root : owner);
  return { name, owner, ownerIs: undefined, types, form: "option", module: undefined };
}

/** An attribute of an element: `exact` of `<Route exact path="/">`. */
function attributeUse({ name, code, at, index, lines, own, hasElements }: Word): Use | undefined {
  if (!hasElements) return undefined;
  if (!/\s$/.test(code.slice(0, at) || " ") || !/^\s*(?:=(?!=)|\/?>|[A-Za-z{]|$)/.test(code.slice(at + name.length)))
    return undefined;
  const above = lines.slice(Math.max(0, index - callLimit), index);
  const owner = elementBefore([...above, code.slice(0, at)].join("\n"));
  const root = owner?.split(".")[0];
  if (owner === undefined || root === undefined || !own.has(root)) return undefined;
  const last = owner.split(".").at(-1) ?? owner;
  return { name, owner: last, ownerIs: undefined, types: [], form: "option", module: undefined };
}

/** The component whose tag is open at the end of a text, outside of the values of its attributes. */
function elementBefore(text: string): string | undefined {
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    const character = text[at];
    if (character === "}") depth++;
    else if (character === "{") depth--;
    if (depth < 0 || (depth === 0 && character === ">")) return undefined;
    if (depth === 0 && character === "<") return /^<([A-Z][\w$]*(?:\.[\w$]+)*)\s/.exec(text.slice(at))?.[1];
  }
  return undefined;
}

/** Deeper keys of an object are data, such as the schema that an option has. */
const nestingLimit = 2;

/** The function whose brackets are open at the end of a text; the root is empty if it is a member of a result. */
function calledBefore(text: string): { name: string; root: string } | undefined {
  let depth = 0;
  let nesting = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    if (text[at] === "{") nesting++;
    if (text[at] === "}") nesting--;
    if (nesting > nestingLimit) return undefined;
    if (text[at] === ")") depth++;
    if (text[at] !== "(" || depth-- > 0) continue;
    const [, dot = "", path = ""] =
      /(\.?)([A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*)\s*$/.exec(text.slice(Math.max(0, at - 200), at)) ?? [];
    const parts = path.split(/\.|::/);
    return path === "" ? undefined : { name: parts.at(-1) ?? "", root: dot === "" ? (parts[0] ?? "") : "" };
  }
  return undefined;
}

/** The class whose body a line is directly in, by indentation, if it or one around it is made of what is the package's. */
function classAround(lines: readonly string[], index: number, own: OwnNames): string | undefined {
  const indentOf = (line: string) => line.length - line.trimStart().length;
  let indent = indentOf(lines[index] ?? "");
  let found: string | undefined;
  for (let at = index - 1; at >= 0 && indent > 0; at--) {
    const line = lines[at] ?? "";
    if (line.trim() === "" || indentOf(line) >= indent) continue;
    const name = /^\s*class\s+(\w+)/.exec(line)?.[1];
    if (name === undefined) return undefined;
    found ??= name;
    if (own.has(name)) return found;
    indent = indentOf(line);
  }
  return undefined;
}

/** Rust needs no import for a path: `serde_json::from_str`. */
function pathsOf(path: string, lines: readonly string[]): FoundBinding[] {
  if (languageOf(path).tag !== "rust") return [];
  const roots = new Map<string, FoundBinding>();
  for (const [index, text] of lines.entries()) {
    if (text.length > lineLimit || /^\s*(?:pub\s+)?use\s/.test(text)) continue;
    for (const [, root = ""] of withoutComments(text).matchAll(/(?<![\w:])([a-z]\w*)::/g)) {
      if (!roots.has(root))
        roots.set(root, { module: root, imported: undefined, local: root, line: index + 1, isPath: true });
    }
  }
  return [...roots.values()];
}
