import { existsSync } from "node:fs";
import path from "node:path";
import { findPrograms, isProgram } from "../find-program.ts";
import { readSettings, settingsFile } from "../agent-settings/change.ts";
import { mcpClients } from "../agent-settings/client-list.ts";
import {
  type ClientPlaces,
  type McpClient,
  type McpCommand,
  type McpScope,
  serverName,
} from "../agent-settings/clients.ts";
import { readServer } from "../agent-settings/settings.ts";
import { type Finding, fail, fromError, ok } from "./check.ts";

/**
 * Whether the entries of `citewell mcp local` still start, in every client that is known. Nothing is started: a project's
 * file may name any program.
 */
export async function checkAgents(places: ClientPlaces): Promise<Finding[]> {
  const scopes: readonly McpScope[] = ["user", "project"];
  const checks = mcpClients.flatMap((client) => scopes.map((scope) => checkEntry(client, scope, places)));
  const found = (await Promise.all(checks)).flatMap((finding) => finding ?? []);
  return found.length > 0 ? found : [ok("agents", "none has an entry for citewell; citewell mcp local writes one")];
}

async function checkEntry(client: McpClient, scope: McpScope, places: ClientPlaces): Promise<Finding | undefined> {
  const check = `agent ${client.id}`;
  const file = settingsFile(client, scope, places);
  if (file === undefined) return undefined;
  try {
    const text = await readSettings(file);
    // A file that is broken and none of ours is not our user's question.
    const server = text.includes(serverName) ? readServer(text.replace(/^\uFEFF/, ""), client, { file }) : undefined;
    if (server === undefined) return undefined;
    const fault = faultOf(server, places);
    if (fault === undefined) return ok(check, `its entry can start, in ${file}`);
    return fail(check, `${fault}, which ${file} names`, `citewell mcp local -c ${client.id} -s ${scope}`);
  } catch (error) {
    return fromError(check, error, "warn", "correct the file");
  }
}

/** What keeps the command from starting. */
function faultOf({ command, args }: Pick<McpCommand, "command" | "args">, places: ClientPlaces): string | undefined {
  if (!path.isAbsolute(command)) {
    return findPrograms(command, places).length > 0 ? undefined : `${command} is not on PATH`;
  }
  if (!isProgram(command)) return `there is no program ${command}`;
  const missing = args.find((argument) => path.isAbsolute(argument) && !existsSync(argument));
  return missing === undefined ? undefined : `there is no file ${missing}`;
}
