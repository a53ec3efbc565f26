import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import * as z from "zod";
import { CitewellError } from "../errors.ts";
import { nearest } from "../lib/nearest.ts";
import { ConfigFile } from "../protocol/config.ts";
import { kinds } from "../protocol/kinds/kinds.ts";
import type { ResourceSpec } from "../protocol/resource.ts";
import { describeIssues, formatField, listIssues, quoteValue } from "../protocol/validation.ts";

/** The valid content of a configuration file. */
export interface ParsedConfig {
  value: ConfigFile;
  /** The index in the file's list of each resource in `value`. */
  positions: readonly number[];
  /** Invalid resources. They remain in the file. */
  ignored: readonly IgnoredResource[];
  /** The top-level keys whose invalid values are ignored. They remain in the file. */
  ignoredKeys: readonly string[];
  /** Ignored values and resources, and unknown keys, in sentences. */
  warnings: readonly string[];
}

/** An invalid resource, while the rest of the file applies. */
export interface IgnoredResource {
  /** The index in the file's list. */
  index: number;
  /** As written; undefined if it has none, or if another resource has the name. */
  name: string | undefined;
  /** A sentence with path, line, column, reason and what to do. */
  message: string;
}

/** A message about a place in the text. Offsets are in UTF-16 units. */
export interface Fault {
  offset: number;
  length: number;
  message: string;
}

/** A key that the schema does not have. */
export interface UnknownKey extends Fault {
  /** The most similar known key. */
  nearest: string | undefined;
}

/** The result of checking a text on its own. Without a `refusal` there is a `value`. */
export interface CheckedConfig {
  /** The tree, as far as the text can be parsed. */
  tree: Node | undefined;
  /** Whether the text is one JSONC object, valid or not. */
  isObject: boolean;
  value: ConfigFile | undefined;
  positions: readonly number[];
  ignored: readonly (Omit<IgnoredResource, "message"> & { fault: Fault })[];
  /** Invalid values at the top level, by key. */
  ignoredKeys: ReadonlyMap<string, Fault>;
  /** The first fault for which the whole text is refused. */
  refusal: Fault | undefined;
  /** All faults. */
  faults: readonly Fault[];
  unknownKeys: readonly UnknownKey[];
  /** Repeated keys below the top level: the last one applies. */
  repeatedKeys: readonly Fault[];
}

/**
 * Checks the text of a configuration file. Invalid resources and values are set aside, so that the rest can be used and
 * the file can be edited. `file` is used in messages.
 * @throws ConfigInvalid (not JSONC, or an invalid value that cannot be ignored; the message has path, line and column)
 */
export function parseConfig(text: string, file: string): ParsedConfig {
  const { value, positions, ignored, ignoredKeys, refusal, unknownKeys, repeatedKeys } = checkConfig(text);
  const say = ({ offset, message }: Fault) => `${file}:${positionOf(text, offset)}: ${message}`;
  if (value === undefined) throw configInvalid(refusal === undefined ? file : say(refusal));
  const reports = ignored.map(({ index, name, fault }) => ({ index, name, message: say(ignoring(fault, name)) }));
  const values = [...ignoredKeys.values()].map((fault) => `${say(fault)} — it is ignored until it is corrected`);
  const warnings = [...values, ...reports.map(({ message }) => message), ...[...unknownKeys, ...repeatedKeys].map(say)];
  return { value, positions, ignored: reports, ignoredKeys: [...ignoredKeys.keys()], warnings };
}

/** Checks a text and reports every fault with its place. */
export function checkConfig(text: string): CheckedConfig {
  const errors: ParseError[] = [];
  const parsed = parseText(text, errors);
  const { tree, raw } = parsed ?? {};
  const unreadable = { tree, isObject: false, unknownKeys: [], repeatedKeys: [] };
  if (parsed === undefined) return { ...unreadable, ...refused([tooDeep]) };
  if (errors.length > 0) return { ...unreadable, ...refused(errors.map(describeError)) };
  if (tree?.type !== "object") return { ...unreadable, ...refused([faultAt(tree, "an object was expected: { … }")]) };
  const repeatedKeys = descendantsOf(tree).flatMap(repeatedIn);
  return { tree, isObject: true, unknownKeys: unknownKeys(tree), repeatedKeys, ...checkValues(tree, raw) };
}

type CheckedValues = Pick<CheckedConfig, "value" | "positions" | "ignored" | "ignoredKeys" | "refusal" | "faults">;

/**
 * A list that is none cannot be edited. Without the address of a provider, its key and the user's code would go to the
 * provider's usual server; without a limit of costs, more would be spent.
 */
const neverIgnored: ReadonlySet<PropertyKey> = new Set(["resources", "providerOptions", "maxCostUsd", "maxTokens"]);

function checkValues(tree: Node, raw: unknown): CheckedValues {
  const repeated = repeatedIn(tree);
  if (repeated.length > 0) return refused(repeated);
  const parsed = ConfigFile.safeParse(raw);
  if (parsed.success) return withoutTakenNames(parsed.data, tree);
  const { error } = parsed;
  const faults = listIssues(error, raw).map(({ path, fault }) => ({
    path,
    ...faultAt(findNearestNode(tree, path), fault),
  }));
  const bad = new Map<number, Fault>();
  const ignoredKeys = new Map<string, Fault>();
  for (const fault of faults) {
    const [key, index] = fault.path;
    if (key === "resources" && typeof index === "number") addFault(bad, index, fault);
    else if (typeof key === "string" && !neverIgnored.has(key)) addFault(ignoredKeys, key, fault);
    else {
      const refusal = faultAt(findNearestNode(tree, error.issues[0]?.path ?? []), describeIssues(error, raw));
      return { ...refused(faults), refusal };
    }
  }
  return withoutBadResources(tree, { raw, bad, ignoredKeys, faults });
}

function addFault<Key>(faults: Map<Key, Fault>, key: Key, fault: Fault): void {
  const before = faults.get(key);
  faults.set(key, before === undefined ? fault : { ...before, message: `${before.message}; ${fault.message}` });
}

interface Bad {
  raw: unknown;
  bad: ReadonlyMap<number, Fault>;
  ignoredKeys: ReadonlyMap<string, Fault>;
  faults: readonly Fault[];
}

/** All faults are in resources and in values that can be ignored. */
function withoutBadResources(tree: Node, { raw, bad, ignoredKeys, faults }: Bad): CheckedValues {
  const { resources, ...others } = z.looseObject({ resources: z.array(z.unknown()).optional() }).parse(raw);
  const file = Object.fromEntries(Object.entries(others).filter(([key]) => !ignoredKeys.has(key)));
  const positions = [...(resources ?? []).keys()].filter((index) => !bad.has(index));
  const list = resources === undefined ? {} : { resources: positions.map((index) => resources[index]) };
  const rest = withoutTakenNames(ConfigFile.parse({ ...file, ...list }), tree, positions);
  const ignored = [...bad].map(([index, fault]) => ({ index, name: writtenName(resources?.[index]), fault }));
  return { ...rest, ignored: [...ignored, ...rest.ignored], ignoredKeys, faults: [...faults, ...rest.faults] };
}

function withoutTakenNames(
  value: ConfigFile,
  tree: Node,
  positions: readonly number[] = [...(value.resources ?? []).keys()],
): CheckedValues {
  const { resources = [] } = value;
  const taken = takenNames(resources, { tree, positions });
  const isKept = (index: number) => !taken.has(positions[index] ?? index);
  const ignored = [...taken].map(([index, fault]) => ({ index, name: undefined, fault }));
  return {
    value:
      value.resources === undefined ? value : { ...value, resources: resources.filter((_, index) => isKept(index)) },
    positions: positions.filter((_, index) => isKept(index)),
    ignored,
    ignoredKeys: new Map(),
    refusal: undefined,
    faults: ignored.map(({ fault }) => fault),
  };
}

function writtenName(resource: unknown): string | undefined {
  return z.object({ name: z.string() }).safeParse(resource).data?.name;
}

function ignoring(fault: Fault, name: string | undefined): Fault {
  const removal =
    name === undefined ? "" : `, or run: citewell remove ${/^[\w@./-]+$/.test(name) ? name : quoteValue(name)}`;
  return { ...fault, message: `${fault.message} — this resource is ignored; correct it${removal}` };
}

/** A `ConfigInvalid` about `what`. */
export function configInvalid(what: string, cause?: unknown): CitewellError {
  return new CitewellError("ConfigInvalid", what, { hint: "correct the file; it was not changed", cause });
}

function refused(faults: readonly Fault[]): CheckedValues {
  return { value: undefined, positions: [], ignored: [], ignoredKeys: new Map(), refusal: faults[0], faults };
}

function faultAt(node: Node | undefined, message: string): Fault {
  return { offset: node?.offset ?? 0, length: node?.length ?? 0, message };
}

const tooDeep: Fault = { offset: 0, length: 0, message: "lists and objects are nested too deeply" };

/** Undefined if it is nested too deeply: the parser is recursive, and a hostile file could exhaust the stack. */
function parseText(text: string, errors: ParseError[]): { tree: Node | undefined; raw: unknown } | undefined {
  try {
    const tree = parseTree(text, errors, { allowTrailingComma: true });
    return { tree, raw: tree && getNodeValue(tree) };
  } catch {
    return undefined;
  }
}

function describeError({ error, offset, length }: ParseError): Fault {
  const name = printParseErrorCode(error);
  return { offset, length, message: expectations[name] ?? name };
}

/** Sentences for the parser's error names. */
const expectations: Record<string, string> = {
  CloseBraceExpected: "a '}' was expected",
  CloseBracketExpected: "a ']' was expected",
  ColonExpected: "a ':' was expected",
  CommaExpected: "a ',' was expected",
  EndOfFileExpected: "nothing was expected after the object",
  InvalidCharacter: "a string must not contain a control character",
  InvalidEscapeCharacter: 'in a string, a backslash stands before one of " \\ / b f n r t u only',
  InvalidNumberFormat: "a number was expected",
  InvalidSymbol: "a value, or a key in double quotes, was expected",
  InvalidUnicode: "four hexadecimal digits were expected after \\u",
  PropertyNameExpected: "a key in double quotes was expected",
  UnexpectedEndOfComment: "the comment has no end (*/)",
  UnexpectedEndOfNumber: "a digit was expected",
  UnexpectedEndOfString: 'the string has no end (") on its line',
  ValueExpected: "a value was expected",
};

/** The node of a field; of a missing field, the node that should contain it. */
function findNearestNode(tree: Node, field: readonly PropertyKey[]): Node | undefined {
  const path = field.filter((key) => typeof key !== "symbol");
  const node = findNodeAtLocation(tree, path);
  return node === undefined && path.length > 0 ? findNearestNode(tree, path.slice(0, -1)) : node;
}

const resourceKeys = new Map<string, string[]>(
  Object.entries(kinds).map(([type, { schema }]) => [type, Object.keys(schema.shape)]),
);

/** Unknown keys at the top level and in resources; a provider may have options unknown to us. */
function unknownKeys(tree: Node): UnknownKey[] {
  const resources = findNodeAtLocation(tree, ["resources"]);
  return [
    ...unknownKeysOf(Object.keys(ConfigFile.shape), tree),
    ...(resources?.type === "array" ? (resources.children ?? []) : []).flatMap((resource) => {
      const type: unknown = resource.type === "object" ? findNodeAtLocation(resource, ["type"])?.value : undefined;
      const known = resourceKeys.get(String(type));
      return known === undefined ? [] : unknownKeysOf(known, resource);
    }),
  ];
}

function unknownKeysOf(known: readonly string[], object: Node | undefined): UnknownKey[] {
  const unknown = keysOf(object).filter((key) => !known.includes(String(key.value)));
  return unknown.map((key) => {
    const [close] = nearest(String(key.value), known, { limit: 1 });
    const meant = close === undefined ? "" : `: did you mean "${close}"?`;
    return { ...faultAt(key, `unknown key "${key.value}"${meant}`), nearest: close };
  });
}

function keysOf(object: Node | undefined): Node[] {
  if (object?.type !== "object") return [];
  return (object.children ?? []).flatMap((property) => property.children?.[0] ?? []);
}

function repeatedIn(object: Node): Fault[] {
  const keys = keysOf(object);
  return repeatedAmong(keys.map((key) => String(key.value))).map(({ value, index }) =>
    faultAt(keys[index], `the key "${value}" is repeated`),
  );
}

/** The repeated names of resources, by index in the file. */
function takenNames(
  resources: readonly ResourceSpec[],
  { tree, positions }: { tree: Node; positions: readonly number[] },
): Map<number, Fault> {
  const names = resources.map(({ name }) => name);
  const placeOf = (index: number) => positions[index] ?? index;
  return new Map(
    repeatedAmong(names).map(({ value, index }) => {
      const field = ["resources", placeOf(index), "name"];
      const rule = `resources[${placeOf(names.indexOf(value))}] has this name already`;
      return [placeOf(index), faultAt(findNearestNode(tree, field), `${formatField(field)}: "${value}": ${rule}`)];
    }),
  );
}

/** The repeated values, with their later indexes. */
function repeatedAmong(values: readonly string[]): { value: string; index: number }[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) => {
    if (seen.has(value)) return [{ value, index }];
    seen.add(value);
    return [];
  });
}

/** Everything below a node, without recursion: a hostile file could exhaust the stack. */
function descendantsOf(node: Node): Node[] {
  const found = [...(node.children ?? [])];
  for (const below of found) for (const child of below.children ?? []) found.push(child);
  return found;
}

/** Line and column, 1-based, the column in UTF-16 units. */
function positionOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n");
  return `${lines.length}:${(lines.at(-1) ?? "").length + 1}`;
}
