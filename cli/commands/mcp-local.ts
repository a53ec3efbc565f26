import { existsSync, realpathSync } from "node:fs";
import { lstat, mkdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { CitewellError, codeOf, messageOf } from "../../server/errors.ts";
import { nearest } from "../../server/lib/nearest.ts";
import { replaceFile } from "../../server/lib/replace-file.ts";
import { agentSnippet } from "../agent-snippet.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { exitCodes } from "../exit-codes.ts";
import { jsonText } from "../json.ts";
import { type McpClient, mcpClients, type McpCommand, type McpScope } from "../mcp-clients.ts";
import { addServer, removeServer } from "../mcp-settings.ts";
import { openPrompts } from "../prompts.ts";
import { formatChange } from "../render/change.ts";
import { type Terminal, write } from "../terminal.ts";

export interface McpLocalOptions extends CommonOptions {
  client: string[];
  scope?: McpScope;
  remove?: boolean;
  yes?: boolean;
}

interface Change {
  client: McpClient;
  file: string;
  before: string;
  after: string;
  edit(text: string): string;
}

/** Writes this server into the settings of editors and agents: shows what it will change, and asks. */
export async function mcpLocal(options: McpLocalOptions, terminal: Terminal): Promise<number> {
  const clients = await chooseClients(options, terminal);
  const command = commandOf(terminal);
  const planned: Change[] = [];
  for (const client of clients) planned.push(await plan(client, { options, terminal, command }));
  const changes = planned.filter(({ before, after }) => before !== after);
  const isAsked = options.yes !== true && changes.length > 0;
  if (options.json !== true) await write(terminal.stdout, planned.map(describe).join("\n"));
  if (isAsked) {
    const missing = new CitewellError("InvalidUsage", "nothing was written: there is nobody to ask", {
      hint: "give --yes to write it",
    });
    const prompts = await openPrompts(terminal, options, missing);
    if (!(await prompts.confirm("Write this?"))) throw new CitewellError("Cancelled", "nothing was changed");
  }
  for (const change of changes) await save(change);
  if (options.json === true) {
    const files = planned.map(({ client, file, before, after }) => ({
      client: client.id,
      file,
      changed: before !== after,
    }));
    await write(terminal.stdout, jsonText({ files, ...command, snippet: agentSnippet }));
  } else if (options.remove !== true) {
    await write(terminal.stdout, `\nOptional, for AGENTS.md, CLAUDE.md or a skill:\n\n${agentSnippet}`);
  }
  return exitCodes.ok;
}

async function chooseClients({ client: ids, ...options }: McpLocalOptions, terminal: Terminal): Promise<McpClient[]> {
  const names = mcpClients.map(({ id }) => id);
  if (ids.length === 0) {
    const missing = new CitewellError("InvalidUsage", "for which editor or agent?", {
      hint: `give --client, one or more of: ${names.join(", ")}`,
    });
    const prompts = await openPrompts(terminal, options, missing);
    const choices = mcpClients.map(({ id, name }) => ({ value: id, label: name }));
    return chooseClients({ ...options, client: await prompts.selectSome("Which of them?", choices) }, terminal);
  }
  return [...new Set(ids)].map((id) => {
    const found = mcpClients.find((candidate) => candidate.id === id);
    if (found !== undefined) return found;
    const close = nearest(id, names);
    throw new CitewellError("InvalidUsage", `no client ${JSON.stringify(id)}`, {
      hint: close.length > 0 ? `did you mean ${close.join(" or ")}?` : `there are: ${names.join(", ")}`,
    });
  });
}

/** Absolute on both ends: clients start it in folders of their own, with a PATH of their own, and no shell. */
function commandOf({ program: { runtime, file } }: Terminal): McpCommand {
  const command = { command: runtime, args: [realpathSync(file), "mcp"] };
  return "electron" in process.versions ? { ...command, env: { ELECTRON_RUN_AS_NODE: "1" } } : command;
}

async function plan(
  client: McpClient,
  { options, terminal, command }: { options: McpLocalOptions; terminal: Terminal; command: McpCommand },
): Promise<Change> {
  const scope = options.scope ?? (client.files.project === undefined ? "user" : "project");
  const candidates = client.files[scope]?.(terminal);
  const [first] = candidates ?? [];
  if (candidates === undefined || first === undefined) {
    throw new CitewellError("InvalidUsage", `${client.name} has no settings of a ${scope}`, {
      hint: `give --scope ${scope === "user" ? "project" : "user"}`,
    });
  }
  const file = candidates.find((candidate) => existsSync(candidate)) ?? first;
  const edit = keepingMark((text) =>
    options.remove === true ? removeServer(text, client, { file }) : addServer(text, client, { file, command }),
  );
  const before = await readText(file);
  return { client, file, before, after: edit(before), edit };
}

/** The mark of UTF-8 that some editors of Windows put first is no part of the text. */
function keepingMark(edit: (text: string) => string): (text: string) => string {
  return (marked) => {
    const mark = marked.startsWith("\uFEFF") ? "\uFEFF" : "";
    const edited = edit(marked.slice(mark.length));
    return edited === "" ? "" : mark + edited;
  };
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "";
    throw new CitewellError("ConfigInvalid", `${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function describe({ client, file, before, after }: Change): string {
  const shown = before === after ? "  nothing to change\n" : formatChange(before, after);
  return `${client.name}: ${file}\n${shown}`;
}

/** Edits the file as it is now: its own program may have written to it while the change was shown. */
async function save({ client, file, edit }: Change): Promise<void> {
  const after = edit(await readText(file));
  const present = await stat(file).catch(() => undefined);
  // Another file would take its place, whatever its mode.
  if (present !== undefined && (present.mode & 0o222) === 0) {
    throw new CitewellError("StorageFailed", `${file} is read-only`, { hint: "make it writable, or edit it by hand" });
  }
  try {
    const isLink = present !== undefined && (await lstat(file)).isSymbolicLink();
    if (after === "" && !isLink) {
      await rm(file, { force: true });
      return;
    }
    await mkdir(path.dirname(file), { recursive: true });
    // What a link leads to stays, with nothing in it.
    await replaceFile(file, after === "" && client.format === "json" ? "{}\n" : after);
  } catch (error) {
    throw new CitewellError("StorageFailed", `${file} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}
