import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { CitewellError } from "../errors.ts";
import { nearest } from "../lib/nearest.ts";
import { ConfigFile } from "../protocol/config.ts";
import { GitResource, LocalResource, NpmResource } from "../protocol/resource.ts";
import { describeIssues, formatField } from "../protocol/validation.ts";

export interface ParsedConfig {
  value: ConfigFile;
  /** Keys that mean nothing to us, in sentences; they stay in the file. */
  warnings: readonly string[];
}

/**
 * The text of a configuration file, checked. `file` is for messages.
 * @throws ConfigInvalid (not JSONC, or a value that breaks a rule; the message has path, line and column)
 */
export function parseConfig(text: string, file: string): ParsedConfig {
  const at = (node: Node | undefined) => `${file}:${positionOf(text, node?.offset ?? 0)}`;
  const { tree, raw } = parseObject(text, file);
  const keys = keysOf(tree);
  const repeated = firstRepeated(keys.map((key) => String(key.value)));
  if (repeated !== undefined) {
    throw configInvalid(at(keys[repeated.index]), `the key "${repeated.value}" is there twice`);
  }
  const parsed = ConfigFile.safeParse(raw);
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path ?? [];
    throw configInvalid(at(findNearestNode(tree, field)), describeIssues(parsed.error, raw));
  }
  const names = (parsed.data.resources ?? []).map(({ name }) => name);
  const taken = firstRepeated(names);
  if (taken !== undefined) {
    const field = ["resources", taken.index, "name"];
    const rule = `resources[${names.indexOf(taken.value)}] has this name already`;
    throw configInvalid(at(findNearestNode(tree, field)), `${formatField(field)}: "${taken.value}": ${rule}`);
  }
  const warnings = unknownKeys(tree, parsed.data).map(({ key, fault }) => `${at(key)}: ${fault}`);
  return { value: parsed.data, warnings };
}

export function configInvalid(where: string, what: string, cause?: unknown): CitewellError {
  return new CitewellError("ConfigInvalid", `${where}: ${what}`, {
    hint: "correct the file; it was left as it is",
    cause,
  });
}

interface Parsed {
  tree: Node;
  raw: unknown;
}

function parseObject(text: string, file: string): Parsed {
  const errors: ParseError[] = [];
  const parsed = parseText(text, errors, file);
  const [error] = errors;
  if (error !== undefined) {
    const name = printParseErrorCode(error.error);
    throw configInvalid(`${file}:${positionOf(text, error.offset)}`, expectations[name] ?? name);
  }
  if (parsed?.tree.type === "object") return parsed;
  throw configInvalid(`${file}:${positionOf(text, parsed?.tree.offset ?? 0)}`, "an object was expected: { … }");
}

/** The parser calls itself for every level, which a hostile file can make too many. */
function parseText(text: string, errors: ParseError[], file: string): Parsed | undefined {
  try {
    const tree = parseTree(text, errors, { allowTrailingComma: true });
    return tree === undefined ? undefined : { tree, raw: getNodeValue(tree) };
  } catch (cause) {
    throw configInvalid(file, "lists and objects are nested too deeply", cause);
  }
}

/** What stands for the parser's error names. */
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

/** The node of a field; of one that is missing, what it is missing from. */
function findNearestNode(tree: Node, field: readonly PropertyKey[]): Node | undefined {
  const path = field.filter((key) => typeof key !== "symbol");
  const node = findNodeAtLocation(tree, path);
  return node === undefined && path.length > 0 ? findNearestNode(tree, path.slice(0, -1)) : node;
}

const resourceShapes = { git: GitResource.shape, local: LocalResource.shape, npm: NpmResource.shape };

/** At the top and in resources; a provider may have options that we do not know. */
function unknownKeys(tree: Node, { resources = [] }: ConfigFile): { key: Node; fault: string }[] {
  return [
    ...keysBeside(Object.keys(ConfigFile.shape), tree),
    ...resources.flatMap(({ type }, index) =>
      keysBeside(Object.keys(resourceShapes[type]), findNodeAtLocation(tree, ["resources", index])),
    ),
  ];
}

function keysBeside(known: readonly string[], object: Node | undefined): { key: Node; fault: string }[] {
  const unknown = keysOf(object).filter((key) => !known.includes(String(key.value)));
  return unknown.map((key) => {
    const [close] = nearest(String(key.value), known, { limit: 1 });
    return { key, fault: `unknown key "${key.value}"${close === undefined ? "" : `: did you mean "${close}"?`}` };
  });
}

function keysOf(object: Node | undefined): Node[] {
  return (object?.children ?? []).flatMap((property) => property.children?.[0] ?? []);
}

/** The first value that was there before, with the index of its second place. */
function firstRepeated(values: readonly string[]): { value: string; index: number } | undefined {
  const seen = new Set<string>();
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) return { value, index };
    seen.add(value);
  }
  return undefined;
}

/** Line and column, 1-based, the column in UTF-16 units. */
function positionOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n");
  return `${lines.length}:${(lines.at(-1) ?? "").length + 1}`;
}
