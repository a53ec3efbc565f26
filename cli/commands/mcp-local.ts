import { CitewellError } from "../../server/errors.ts";
import { agentSnippet } from "../agent-settings/agent-snippet.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { type Change, planChange, saveChange, settingsFile } from "../agent-settings/change.ts";
import { mcpClients } from "../agent-settings/client-list.ts";
import {
  commonEntry,
  findClient,
  isPresent,
  type McpClient,
  type McpScope,
  nearestClients,
  serverName,
} from "../agent-settings/clients.ts";
import { isIgnored, type OwnCommand, ownCommand, portableCommand } from "../agent-settings/command.ts";
import { addServer, removeServer } from "../agent-settings/settings.ts";
import { openPrompts } from "../input/prompts.ts";
import { formatChange } from "../render/change.ts";
import { type Terminal, write } from "../terminal.ts";

/** Options of `citewell mcp local`. */
export interface McpLocalOptions extends CommonOptions {
  client: string[];
  scope?: McpScope;
  remove?: boolean;
  yes?: boolean;
  dryRun?: boolean;
}

/** An entry that the user has to paste: the client has no file that can be edited, or is not known. */
interface Paste {
  client: string;
  /** The place in the client; undefined if it is not known. */
  into?: string;
  entry: Record<string, unknown>;
}

/** The steps that all clients share. */
interface Plan {
  changes: Change[];
  pastes: Paste[];
  /** Requests that cannot be met, as sentences. */
  refusals: { message: string; hint: string }[];
  warnings: string[];
  /** What the user has to do afterwards. */
  next: string[];
}

/** Writes this server into the settings of editors and agents: shows what it will change, and asks. */
export async function mcpLocal(given: McpLocalOptions, terminal: Terminal): Promise<number> {
  const options = given.client.length === 0 ? await chooseClients(given, terminal) : given;
  const own = ownCommand(terminal);
  const plan = await planAll(options, { terminal, own });
  const changes = plan.changes.filter(({ before, after }) => before !== after);
  const isAsked = options.yes !== true && options.dryRun !== true && changes.length > 0;
  const isQuiet = options.quiet === true && !isAsked;
  if (options.json !== true) await write(terminal.stdout, describePlan(plan, { isQuiet }));
  if (isAsked) {
    const missing = new CitewellError("InvalidUsage", "nothing was written: there is no terminal for confirmation", {
      hint: "give --yes to write it",
    });
    const prompts = await openPrompts(terminal, options, missing);
    if (!(await prompts.confirm("Write this?"))) throw new CitewellError("Cancelled", "nothing was changed");
  }
  if (options.dryRun !== true) for (const change of changes) await saveChange(change);
  if (options.json === true) await write(terminal.stdout, jsonText(toJson(plan, own)));
  else if (!isQuiet && options.remove !== true && options.dryRun !== true)
    await write(terminal.stdout, describeRest(plan));
  if (plan.refusals.length === 0) return exitCodes.ok;
  const message = plan.refusals.map((refusal) => refusal.message).join("; ");
  throw new CitewellError("InvalidUsage", message, { hint: plan.refusals.map((refusal) => refusal.hint).join("; ") });
}

/** Those that are installed come first. */
async function chooseClients(options: McpLocalOptions, terminal: Terminal): Promise<McpLocalOptions> {
  const present = mcpClients.filter((client) => isPresent(client, terminal));
  const absent = mcpClients.filter((client) => !present.includes(client));
  const list = (clients: readonly McpClient[]) => clients.map(({ id }) => id).join(", ");
  const known = present.length === 0 ? `: ${list(absent)}` : `. Found here: ${list(present)}; others: ${list(absent)}`;
  const missing = new CitewellError("InvalidUsage", "no editor or agent was given (--client)", {
    hint: `give --client, one or more${known}`,
  });
  const prompts = await openPrompts(terminal, options, missing);
  const choices = [
    ...present.map(({ id, name }) => ({ value: id, label: name, hint: "found here" })),
    ...absent.map(({ id, name }) => ({ value: id, label: name })),
  ];
  const client = await prompts.selectSome("Which editors and agents should use Citewell?", choices);
  const hasBoth = client.some((id) => findClient(id)?.files.project !== undefined);
  if (options.scope !== undefined || !hasBoth) return { ...options, client };
  const scope = await prompts.select("For whom?", [
    { value: "user", label: "for you, in every folder" },
    { value: "project", label: "for this folder, in files that a team may share" },
  ]);
  return { ...options, client, ...(scope === "user" ? { scope } : {}) };
}

async function planAll(
  options: McpLocalOptions,
  { terminal, own }: { terminal: Terminal; own: OwnCommand },
): Promise<Plan> {
  const plan: Plan = { changes: [], pastes: [], refusals: [], warnings: [], next: [] };
  const clients = new Map(options.client.map((name) => [findClient(name)?.id ?? name, findClient(name)]));
  for (const [name, client] of clients) {
    if (client === undefined) planUnknown(name, { plan, options, own });
    else if (client.pasteInto === undefined) await planClient(client, { plan, options, terminal, own });
    else planPaste(client, client.pasteInto, { plan, options, terminal, own });
  }
  return plan;
}

function planPaste(
  { name: client, key, entry }: McpClient,
  into: string,
  { plan, options, terminal, own }: PlanOptions,
): void {
  if (options.remove !== true) {
    plan.pastes.push({ client, into, entry: { [key]: { [serverName]: entry(own.command, terminal) } } });
    return;
  }
  plan.refusals.push({ message: `${client} has no file that can be edited`, hint: `remove the entry under: ${into}` });
}

interface PlanOptions {
  plan: Plan;
  options: McpLocalOptions;
  terminal: Terminal;
  own: OwnCommand;
}

function planUnknown(name: string, { plan, options, own }: Omit<PlanOptions, "terminal">): void {
  if (options.remove !== true) plan.pastes.push({ client: name, entry: commonEntry(own.command) });
  const close = nearestClients(name);
  const known = mcpClients.map(({ id }) => id).join(", ");
  plan.refusals.push({
    message: `no client ${JSON.stringify(name)} is known`,
    hint:
      close.length > 0 ? `did you mean ${close.join(" or ")}?` : `paste the entry into its settings. Known: ${known}`,
  });
}

async function planClient(client: McpClient, { plan, options, terminal, own }: PlanOptions): Promise<void> {
  const scope = options.scope ?? (client.files.project === undefined ? "user" : "project");
  const file = settingsFile(client, scope, terminal);
  if (file === undefined) {
    const hint = `give --scope ${scope === "user" ? "project" : "user"} for ${client.name}`;
    plan.refusals.push({ message: `${client.name} has no settings for a ${scope}`, hint });
    return;
  }
  const portable = scope === "project" ? portableCommand(terminal) : undefined;
  const command = portable ?? own.command;
  const edit =
    options.remove === true
      ? (text: string) => removeServer(text, client, { file })
      : (text: string) => addServer(text, client, { file, command, env: terminal.env });
  const change = await planChange({ client, scope, file, edit });
  plan.changes.push(change);
  if (options.remove === true) return;
  plan.warnings.push(...(await warningsFor(change, { terminal, own, isPortable: portable !== undefined })));
  const next = client.next?.[scope];
  if (next !== undefined) plan.next.push(`${client.name}: ${next}`);
}

async function warningsFor(
  { client, scope, file }: Change,
  { terminal, own, isPortable }: { terminal: Terminal; own: OwnCommand; isPortable: boolean },
): Promise<string[]> {
  const isShared = scope === "project" && !isPortable && !(await isIgnored(file, terminal));
  const withheld = client.withholds?.filter((name) => terminal.env[name]) ?? [];
  return [
    ...(isShared ? [`${file} names paths of this computer, and a team may commit it. ${sharingHint(terminal)}`] : []),
    ...(isPortable ? [] : own.warnings.map((text) => `${text}: citewell doctor says when to run this again.`)),
    ...(withheld.length === 0
      ? []
      : [`${client.name} does not pass ${withheld.join(", ")} on. To store a key run: citewell connect`]),
  ];
}

function sharingHint({ platform }: Terminal): string {
  const own = "For your own settings give --scope user";
  return platform === "win32" ? `${own}.` : `${own}, to share it put citewell on PATH and run this again.`;
}

function describePlan({ changes, pastes, warnings }: Plan, { isQuiet }: { isQuiet: boolean }): string {
  const shown = isQuiet ? [] : changes.map(describeChange);
  const pasted = pastes.map(({ client, into, entry }) => {
    const where =
      into === undefined ? "paste this into its settings, in the shape that it takes" : `paste into ${into}`;
    return `${client}: ${where}\n${JSON.stringify(entry, null, 2)}\n`;
  });
  const noted = isQuiet ? [] : [...new Set(warnings)].map((warning) => `! ${warning}\n`);
  return [...shown, ...pasted, ...(noted.length === 0 ? [] : [noted.join("")])].join("\n");
}

function describeChange({ client, file, before, after }: Change): string {
  const shown = before === after ? "  nothing to change\n" : formatChange(before, after);
  return `${client.name}: ${file}\n${shown}`;
}

function describeRest({ changes, pastes, next }: Plan): string {
  const steps = next.length === 0 ? "" : `\nStill to do:\n${next.map((step) => `  ${step}\n`).join("")}`;
  const isAny = changes.length > 0 || pastes.length > 0;
  return isAny ? `${steps}\nOptional, for AGENTS.md, CLAUDE.md or a skill:\n\n${agentSnippet}` : steps;
}

function toJson({ changes, pastes, warnings, next }: Plan, { command }: OwnCommand): Record<string, unknown> {
  const files = changes.map(({ client, scope, file, before, after }) => ({
    client: client.id,
    scope,
    file,
    changed: before !== after,
  }));
  return { files, pastes, warnings: [...new Set(warnings)], next, ...command, snippet: agentSnippet };
}
