import { isDeepStrictEqual } from "node:util";
import { getNodeValue, findNodeAtLocation, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import * as z from "zod";
import { removeProperty, setValue } from "../server/config/edit.ts";
import { CitewellError } from "../server/errors.ts";
import { type McpClient, type McpCommand, serverName } from "./mcp-clients.ts";
import { isInlineTable, removeTomlTable, setTomlTable } from "./toml-table.ts";

const TomlValues = z.record(z.string(), z.union([z.string(), z.array(z.string()), z.record(z.string(), z.string())]));

/**
 * A client's settings with our server in them. What else is there stays as it is, comments and all; so does what was
 * added to our own entry.
 * @throws ConfigInvalid: the file cannot be read, and is left alone
 */
export function addServer(
  text: string,
  client: McpClient,
  { file, command }: { file: string; command: McpCommand },
): string {
  const entry = client.entry(command);
  if (client.format === "toml") {
    const table = { parent: client.key, name: serverName };
    if (isInlineTable(text, table)) throw unreadable(file, `${client.key}.${serverName} is written inline`);
    return setTomlTable(text, table, TomlValues.parse(entry));
  }
  const source = text.trim() === "" ? "{}\n" : text;
  const existing = existingEntry(source, client, file);
  if (existing === undefined) return setValue(source, [client.key, serverName], entry);
  return Object.entries(entry)
    .filter(([key, value]) => !isDeepStrictEqual(existing[key], value))
    .reduce((edited, [key, value]) => setValue(edited, [client.key, serverName, key], value), source);
}

/** The same without it. Nothing is left of what adding it made: an empty text says that there need be no file. */
export function removeServer(text: string, client: McpClient, { file }: { file: string }): string {
  if (text.trim() === "") return text;
  if (client.format === "toml") {
    const edited = removeTomlTable(text, { parent: client.key, name: serverName });
    return edited.trim() === "" ? "" : edited;
  }
  if (existingEntry(text, client, file) === undefined) return text;
  const without = removeProperty(text, [client.key], serverName);
  const tidy = /^\{\s*\}$/.test(objectText(without, client.key)) ? removeProperty(without, [], client.key) : without;
  return /^\s*\{\s*\}\s*$/.test(tidy) ? "" : tidy;
}

const Entry = z.record(z.string(), z.unknown());

function existingEntry(text: string, client: McpClient, file: string): Record<string, unknown> | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [fault] = errors;
  if (fault !== undefined) throw unreadable(file, `${printParseErrorCode(fault.error)} at ${fault.offset}`);
  if (root?.type !== "object") throw unreadable(file, "it is no JSON object");
  const servers = findNodeAtLocation(root, [client.key]);
  if (servers !== undefined && servers.type !== "object") throw unreadable(file, `"${client.key}" is no object`);
  const node = findNodeAtLocation(root, [client.key, serverName]);
  if (node === undefined) return undefined;
  const { data } = Entry.safeParse(getNodeValue(node));
  if (data === undefined) throw unreadable(file, `"${client.key}.${serverName}" is no object`);
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
