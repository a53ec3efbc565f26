import { isDeepStrictEqual } from "node:util";
import { getNodeValue, findNodeAtLocation, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import * as z from "zod";
import { removeProperty, setValue } from "../../server/config/edit.ts";
import { CitewellError } from "../../server/errors.ts";
import { type McpClient, type McpCommand, serverName } from "./clients.ts";
import { readTomlTable, removeTomlTable, setTomlTable, tomlFault } from "./toml-table.ts";
import { readYamlEntry, removeYamlEntry, setYamlEntry, yamlFault } from "./yaml-map.ts";

const TomlValues = z.record(z.string(), z.union([z.string(), z.array(z.string()), z.record(z.string(), z.string())]));

export interface AddServerOptions {
  file: string;
  command: McpCommand;
  /** The environment of the person whose settings they are; only names go into the file. */
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * A client's settings with our server in them. What else is there stays as it is, comments and all; so does what was
 * added to our own entry.
 * @throws ConfigInvalid: the file cannot be read, and is left alone
 */
export function addServer(text: string, client: McpClient, { file, command, env }: AddServerOptions): string {
  return addEntry(text, client, { file, entry: client.entry(command, { env }) });
}

/** The same with any entry of ours. @throws ConfigInvalid */
export function addEntry(
  text: string,
  client: McpClient,
  { file, entry: wanted }: { file: string; entry: Record<string, unknown> },
): string {
  const existing = existingEntry(text, client, file);
  const entry = changedFields(existing ?? {}, wanted);
  const place = { parent: client.key, name: serverName };
  if (existing !== undefined && Object.keys(entry).length === 0) return text;
  if (client.format === "toml") return setTomlTable(text, place, TomlValues.parse(entry));
  if (client.format === "yaml") return setYamlEntry(text, place, entry);
  const source = text.trim() === "" ? "{}\n" : text;
  if (existing === undefined) return setValue(source, [client.key, serverName], entry);
  return Object.entries(entry).reduce(
    (edited, [key, value]) => setValue(edited, [client.key, serverName, key], value),
    source,
  );
}

/** The same without it. Nothing is left of what adding it made: an empty text says that there need be no file. */
export function removeServer(text: string, client: McpClient, { file }: { file: string }): string {
  if (existingEntry(text, client, file) === undefined) return text;
  const place = { parent: client.key, name: serverName };
  if (client.format !== "json") {
    const edited = client.format === "toml" ? removeTomlTable(text, place) : removeYamlEntry(text, place);
    return edited.trim() === "" ? "" : edited;
  }
  const without = removeProperty(text, [client.key], serverName);
  const tidy = /^\{\s*\}$/.test(objectText(without, client.key)) ? removeProperty(without, [], client.key) : without;
  return /^\s*\{\s*\}\s*$/.test(tidy) ? "" : tidy;
}

/** How a client's settings start our server; undefined where they do not. @throws ConfigInvalid */
export function readServer(
  text: string,
  client: McpClient,
  { file }: { file: string },
): Pick<McpCommand, "command" | "args"> | undefined {
  const entry = existingEntry(text, client, file);
  if (entry === undefined) return undefined;
  // Cline has the command one level down; opencode has it in one list with the arguments; Goose calls it `cmd`.
  const holder = Entry.safeParse(entry["transport"]).data ?? entry;
  const command = z.string().safeParse(holder["command"] ?? holder["cmd"]).data;
  const args = Texts.safeParse(holder["args"]).data ?? [];
  if (command !== undefined) return { command, args };
  const [first, ...rest] = Texts.safeParse(holder["command"]).data ?? [];
  return first === undefined ? undefined : { command: first, args: rest };
}

const Texts = z.array(z.string());
const Entry = z.record(z.string(), z.unknown());

/** The fields to write: those that differ. Lists of names and objects keep what is in them already. */
function changedFields(existing: Record<string, unknown>, entry: Record<string, unknown>): Record<string, unknown> {
  const merged = Object.entries(entry).map(([key, value]) => [key, mergeValue(key, existing[key], value)] as const);
  return Object.fromEntries(merged.filter(([key, value]) => !isDeepStrictEqual(existing[key], value)));
}

function mergeValue(key: string, existing: unknown, value: unknown): unknown {
  const [held, given] = [Entry.safeParse(existing).data, Entry.safeParse(value).data];
  // A transport is all ours; of variables a user's own value counts.
  if (held !== undefined && given !== undefined)
    return key === "transport" ? { ...held, ...given } : { ...given, ...held };
  const [names, ours] = [Texts.safeParse(existing).data, Texts.safeParse(value).data];
  return key === "env_vars" && names !== undefined && ours !== undefined ? [...new Set([...names, ...ours])] : value;
}

function existingEntry(text: string, client: McpClient, file: string): Record<string, unknown> | undefined {
  const place = { parent: client.key, name: serverName };
  if (text.trim() === "") return undefined;
  if (client.format === "toml") {
    const fault = tomlFault(text, place);
    if (fault !== undefined) throw unreadable(file, fault);
    return readTomlTable(text, place);
  }
  if (client.format === "yaml") {
    const fault = yamlFault(text, place);
    if (fault !== undefined) throw unreadable(file, fault);
    return readYamlEntry(text, place);
  }
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [fault] = errors;
  if (fault !== undefined) throw unreadable(file, `${printParseErrorCode(fault.error)} at ${fault.offset}`);
  if (root?.type !== "object") throw unreadable(file, "it is no JSON object");
  const servers = findNodeAtLocation(root, [client.key]);
  if (servers !== undefined && servers.type !== "object") throw unreadable(file, `"${client.key}" is not an object`);
  const node = findNodeAtLocation(root, [client.key, serverName]);
  if (node === undefined) return undefined;
  const { data } = Entry.safeParse(getNodeValue(node));
  if (data === undefined) throw unreadable(file, `"${client.key}.${serverName}" is not an object`);
  return data;
}

function objectText(text: string, key: string): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root === undefined ? undefined : findNodeAtLocation(root, [key]);
  return node === undefined ? "" : text.slice(node.offset, node.offset + node.length);
}

function unreadable(file: string, reason: string): CitewellError {
  return new CitewellError("ConfigInvalid", `${file} cannot be edited: ${reason}`, {
    hint: "put it right by hand; nothing was changed",
  });
}
