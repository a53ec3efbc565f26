import * as z from "zod";
import { createScanner, findNodeAtLocation, getLocation, type JSONPath, type Node, parseTree } from "jsonc-parser";
import type { ConfigCompletion, Span } from "../../protocol/config-language.ts";
import { defaultSettings } from "../../protocol/settings.ts";
import type { Lookups, Place } from "./lookups.ts";
import { spanOf } from "./nodes.ts";
import type { ConfigSchema, Rule } from "./schema.ts";
import { type Choice, findChoices } from "./choices.ts";
import { kinds } from "../../protocol/kinds/kinds.ts";

/** What completions are made from, besides the text. */
export interface CompletionContext {
  schema: ConfigSchema;
  lookups: Lookups;
  place: Place;
}

/** The completions at an offset, best first. */
export async function complete(text: string, offset: number, context: CompletionContext): Promise<ConfigCompletion[]> {
  if (isInComment(text, offset)) return [];
  const tree = parseTree(text, [], { allowTrailingComma: true });
  if (tree?.type !== "object") return text.trim() === "" ? [whole(text)] : [];
  const { path, isAtPropertyKey, previousNode } = getLocation(text, offset);
  const isInNode = previousNode !== undefined && offset <= previousNode.offset + previousNode.length;
  // Nothing to complete after a closing quote.
  if (isInNode && previousNode.type === "string" && isBehind(text, offset, previousNode)) return [];
  if (!isInNode && previousNode !== undefined) return [];
  const span = isInNode ? spanOf(previousNode) : wordAt(text, offset);
  if (isAtPropertyKey) return completeKey(text, span, { ...context, tree, path: path.slice(0, -1) });
  const typed = isInNode && previousNode.type === "string" ? text.slice(span.start + 1, offset) : "";
  if (isResource(path)) return isInNode ? [] : completeResource(text, span);
  const choices = await findChoices(path, { ...context, tree, typed });
  return choices.map((choice) => toCompletion(choice, text, span));
}

async function completeKey(
  text: string,
  span: Span,
  { schema, lookups, tree, path }: CompletionContext & { tree: Node; path: JSONPath },
): Promise<ConfigCompletion[]> {
  const object = findNodeAtLocation(tree, path);
  if (object !== undefined && isBehind(text, span.start, object)) return [];
  const taken = (object?.children ?? []).flatMap((property) => {
    const [key] = property.children ?? [];
    return key === undefined || key.offset === span.start ? [] : [String(key.value)];
  });
  const hasValue = nextToken(text, span.end) === ":";
  const comma = hasValue ? "" : commaAfter(text, span.end);
  const item = (key: string, rule: Rule | undefined, detail: string | undefined): ConfigCompletion => {
    const value = hasValue ? "" : `: ${valueSnippet(key, rule)}${comma}`;
    return {
      label: key,
      kind: "key",
      ...(detail === undefined ? {} : { detail }),
      ...(rule?.description === undefined ? {} : { documentation: rule.description }),
      edit: { ...span, text: `${escapeSnippet(JSON.stringify(key))}${value}` },
      isSnippet: true,
      goesOn: !hasValue,
    };
  };
  if (path.length === 1 && path[0] === "providerOptions") {
    const { all } = await lookups.providers();
    const free = all.filter(({ id }) => !taken.includes(id));
    return free.map(({ id, name }) => item(id, schema([...path, id], tree), name));
  }
  const rule = schema(path, tree);
  const keys = rule?.keys.filter((key) => !taken.includes(key)) ?? [];
  const required = keys.filter((key) => rule?.required.includes(key));
  const ordered = [...required, ...keys.filter((key) => !required.includes(key))];
  return ordered.map((key) => item(key, schema([...path, key], tree), required.includes(key) ? "required" : undefined));
}

function valueSnippet(key: string, rule: Rule | undefined): string {
  switch (rule?.type ?? "") {
    case "array":
      return "[$1]";
    case "object":
      return "{$1}";
    case "integer":
    case "number": {
      const [, initial = ""] = Object.entries(defaultSettings).find(([name]) => name === key) ?? [];
      return `\${1:${initial}}`;
    }
    default:
      return typeof rule?.default === "string" ? `"\${1:${rule.default}}"` : '"$1"';
  }
}

function isResource([first, second, ...rest]: JSONPath): boolean {
  return first === "resources" && typeof second === "number" && rest.length === 0;
}

function completeResource(text: string, span: Span): ConfigCompletion[] {
  const comma = commaAfter(text, span.end);
  return resourceSnippets.map(({ label, documentation, text: snippet }) => ({
    label,
    kind: "resource",
    documentation,
    edit: { ...span, text: snippet + comma },
    isSnippet: true,
    goesOn: false,
  }));
}

function whole(text: string): ConfigCompletion {
  const edit = { start: 0, end: text.length, text: fileSnippet };
  return { label: "{ … }", kind: "resource", detail: "A configuration", edit, isSnippet: true, goesOn: false };
}

/** After a folder the cursor stays inside the string, so that the user can continue with a slash. */
function toCompletion(choice: Choice, text: string, span: Span): ConfigCompletion {
  const { value, label = value, kind, detail, documentation } = choice;
  const isFolder = kind === "folder";
  const quoted = JSON.stringify(value);
  const written = isFolder ? `${escapeSnippet(quoted.slice(0, -1))}$0"` : quoted;
  return {
    label,
    kind,
    ...(detail === undefined ? {} : { detail }),
    ...(documentation === undefined ? {} : { documentation }),
    edit: { ...span, text: written + commaAfter(text, span.end) },
    isSnippet: isFolder,
    goesOn: false,
  };
}

/** A comma, if another property or item follows. */
function commaAfter(text: string, offset: number): string {
  const next = nextToken(text, offset);
  return next === "" || /^[}\],:]/.test(next) ? "" : ",";
}

/** The text of the next token; comments are skipped. */
function nextToken(text: string, offset: number): string {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return text.slice(scanner.getTokenOffset(), scanner.getPosition());
}

/** Whether an offset is behind the closing quote of a string, or the closing brace of an object. */
function isBehind(text: string, offset: number, node: Pick<Node, "type" | "offset" | "length">): boolean {
  const last = node.type === "object" ? "}" : '"';
  const isClosed = node.length > 1 && text[node.offset + node.length - 1] === last;
  return isClosed && offset >= node.offset + node.length;
}

/** The span of the word being typed without quotes. */
function wordAt(text: string, offset: number): Span {
  const before = /[\w$.@/-]*$/.exec(text.slice(0, offset))?.[0].length ?? 0;
  const after = /^[\w$.@/-]*/.exec(text.slice(offset))?.[0].length ?? 0;
  return { start: offset - before, end: offset + after };
}

function isInComment(text: string, offset: number): boolean {
  const scanner = createScanner(text, false);
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    const start = scanner.getTokenOffset();
    if (start >= offset) return false;
    const token = text.slice(start, scanner.getPosition());
    const isLine = token.startsWith("//");
    if ((isLine || token.startsWith("/*")) && offset < start + token.length + (isLine ? 1 : 0)) return true;
  }
  return false;
}

/** Escapes `$`, `}` and `\` for a snippet. */
function escapeSnippet(text: string): string {
  return text.replace(/[\\$}]/g, "\\$&");
}

/** A resource of each kind, with placeholders. Editors replace tabs by their indentation. */
const resourceSnippets: readonly { label: string; documentation: string; text: string }[] = Object.entries(kinds).map(
  ([type, { schema, snippet }]) => {
    const fields = Object.entries({ type, name: "${2:name}", ...snippet });
    return {
      label: type,
      documentation: z.globalRegistry.get(schema.shape["type"])?.description ?? "",
      text: `{\n\t${fields.map(([key, value]) => `"${key}": "${value}"`).join(",\n\t")}\n}`,
    };
  },
);

/** The snippet for an empty file. */
const fileSnippet = '{\n\t"resources": [\n\t\t$0\n\t]\n}\n';
