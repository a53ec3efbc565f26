import { existsSync } from "node:fs";
import { nearest } from "../../server/lib/nearest.ts";
import { editDistance } from "../../server/protocol/edit-distance.ts";
import { findPrograms } from "../find-program.ts";
import { mcpClients } from "./client-list.ts";
import type { Terminal } from "../terminal.ts";

/** Whether a settings file applies to one project or to all of the user's. */
export type McpScope = "project" | "user";
/** What decides where a client keeps its settings. */
export type ClientPlaces = Pick<Terminal, "cwd" | "env" | "homeDirectory" | "platform">;

/** How a client is to start us. */
export interface McpCommand {
  command: string;
  args: string[];
  env?: Record<string, string>;
}

/** An editor or agent, and where it looks for servers. */
export interface McpClient {
  id: string;
  /** Other names that people use for it. */
  aliases?: readonly string[];
  name: string;
  format: "json" | "toml" | "yaml";
  /** The object or table that holds the servers by name. */
  key: string;
  /** The files that it reads, by scope; the first that exists is edited, else the first is created. */
  files: Partial<Record<McpScope, (places: ClientPlaces) => readonly string[]>>;
  /** Where a user pastes the entry, if the client has no file that can be edited. */
  pasteInto?: string;
  entry(command: McpCommand, places: Pick<ClientPlaces, "env">): Record<string, unknown>;
  /** Its commands on PATH, and folders that it creates: either shows that it is installed. */
  programs?: readonly string[];
  folders?: (places: ClientPlaces) => readonly string[];
  /** What its user still has to do before it starts the server, by scope. */
  next?: Partial<Record<McpScope, string>>;
  /** Environment variables that it does not pass to servers and for which no setting helps. */
  withholds?: readonly string[];
}

/** The name of our entry, everywhere. */
export const serverName = "citewell";

/** The client of this id or alias, whatever its case. */
export function findClient(name: string): McpClient | undefined {
  const wanted = name.toLowerCase();
  return mcpClients.find(({ id, aliases = [] }) => id === wanted || aliases.includes(wanted));
}

/** Ids that a name may have been meant for. */
export function nearestClients(name: string): string[] {
  const names = mcpClients.flatMap(({ id, aliases = [] }) => [id, ...aliases]);
  // Two other letters of four make another word: `nope` is no `code`.
  const edits = Math.floor(name.length / 3);
  const isClose = (candidate: string) =>
    candidate.includes(name.toLowerCase()) || editDistance(name.toLowerCase(), candidate) <= edits;
  return nearest(name.toLowerCase(), names.filter(isClose), { limit: 1 }).flatMap(
    (close) => findClient(close)?.id ?? [],
  );
}

/** Whether the client is installed: a command of its own, or a folder or settings that it has created. */
export function isPresent({ programs = [], folders, files }: McpClient, places: ClientPlaces): boolean {
  const traces = [...(folders?.(places) ?? []), ...(files.user?.(places) ?? [])];
  return (
    programs.some((program) => findPrograms(program, places).length > 0) || traces.some((trace) => existsSync(trace))
  );
}

/** What other clients read: most take this shape. */
export function commonEntry(command: McpCommand): Record<string, unknown> {
  return { mcpServers: { [serverName]: command } };
}
