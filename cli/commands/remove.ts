import { loadConfig, removeResource } from "../../server/config/config.ts";
import { CitewellError } from "../../server/errors.ts";
import type { ServerOptions } from "../definitions/global-options.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { configLocation, connectApp } from "../app/open-app.ts";
import { openPrompts } from "../input/prompts.ts";
import { type Terminal, write } from "../terminal.ts";

/** Options of `citewell remove`. */
export interface RemoveOptions extends ServerOptions {
  global?: boolean;
  dryRun?: boolean;
}

/** Removes a resource from the file that lists it. Its snapshots stay on disk until `clear`. */
export async function remove(name: string | undefined, options: RemoveOptions, terminal: Terminal): Promise<number> {
  if (options.server !== undefined && options.global === true) {
    throw new CitewellError("InvalidUsage", "--global and --server cannot be used together");
  }
  const wanted = name ?? (await pickResource(options, terminal));
  if (options.dryRun === true) return showWhatWouldGo(wanted, options, terminal);
  const savedTo = await removeFrom(wanted, options, terminal);
  if (options.json === true) await write(terminal.stdout, jsonText({ success: true, name: wanted, savedTo }));
  else await write(terminal.stdout, `removed ${wanted} from ${savedTo}\n`);
  return exitCodes.ok;
}

/** @throws ResourceNotFound */
async function showWhatWouldGo(name: string, options: RemoveOptions, terminal: Terminal): Promise<number> {
  const from = options.server ?? (await fileThatHolds(name, options, terminal));
  const names = options.server === undefined ? [name] : await serversNames(options, terminal);
  if (from === undefined || !names.includes(name)) {
    throw new CitewellError("ResourceNotFound", `no resource named ${JSON.stringify(name)}`, {
      hint: "citewell resources lists the names",
    });
  }
  const text = `would remove ${name} from ${from}\n`;
  await write(terminal.stdout, options.json === true ? jsonText({ wouldRemove: name, savedTo: from }) : text);
  return exitCodes.ok;
}

async function fileThatHolds(
  name: string,
  { global: isGlobal }: RemoveOptions,
  terminal: Terminal,
): Promise<string | undefined> {
  const { projectFile, globalFile } = await loadConfig(configLocation(terminal));
  const files = isGlobal === true ? [globalFile] : [projectFile, globalFile];
  return files.find(({ resources }) => resources.includes(name))?.path;
}

async function pickResource(options: RemoveOptions, terminal: Terminal): Promise<string> {
  const missing = new CitewellError("InvalidUsage", "no resource was given (name)", {
    hint: "run: citewell resources",
  });
  const prompts = await openPrompts(terminal, options, missing);
  const choices = await listChoices(options, terminal);
  if (choices.length === 0) throw new CitewellError("ResourceNotFound", "no resource is configured");
  return prompts.select("Which resource should be removed?", choices);
}

async function listChoices(options: RemoveOptions, terminal: Terminal): Promise<{ value: string; label: string }[]> {
  const names =
    options.server === undefined ? await ownNames(options, terminal) : await serversNames(options, terminal);
  return names.map((name) => ({ value: name, label: name }));
}

async function ownNames({ global: isGlobal }: RemoveOptions, terminal: Terminal): Promise<readonly string[]> {
  const { globalFile, resources } = await loadConfig(configLocation(terminal));
  return isGlobal === true ? globalFile.resources : resources.map(({ name }) => name);
}

async function serversNames(options: RemoveOptions, terminal: Terminal): Promise<readonly string[]> {
  await using app = await connectApp(terminal, options);
  const { resources } = await app.listResources({}, { signal: terminal.signal });
  return resources.map(({ name }) => name);
}

/** Where it was removed from: a file, or the server. */
async function removeFrom(name: string, options: RemoveOptions, terminal: Terminal): Promise<string> {
  if (options.server === undefined) {
    const level = options.global === true ? { level: "global" as const } : {};
    const { path } = await removeResource(configLocation(terminal), name, level);
    return path;
  }
  await using app = await connectApp(terminal, options);
  await app.removeResource({ name }, { signal: terminal.signal });
  return options.server;
}
