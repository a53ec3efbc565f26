import { findConfigFiles, wipeConfig, type Wiped } from "../../server/config/wipe.ts";
import { CitewellError } from "../../server/errors.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { configLocation } from "../app/open-app.ts";
import { openPrompts } from "../input/prompts.ts";
import { formatTable } from "../render/table.ts";
import { type Terminal, write } from "../terminal.ts";

/** Options of `citewell wipe`. */
export interface WipeOptions extends CommonOptions {
  yes?: boolean;
  dryRun?: boolean;
}

/** Deletes the project's and the global configuration file. Keys and what was fetched stay. */
export async function wipe(options: WipeOptions, terminal: Terminal): Promise<number> {
  const location = configLocation(terminal);
  const { there, missing } = await findConfigFiles(location);
  const isJson = options.json === true;
  if (options.dryRun === true) {
    const rows = [...there.map((file) => ["would remove", file]), ...missing.map((file) => ["missing", file])];
    await write(terminal.stdout, isJson ? jsonText({ wouldRemove: there, missing }) : formatTable(rows));
    return exitCodes.ok;
  }
  if (options.yes !== true) await askFirst(there, options, terminal);
  const wiped = await wipeConfig(location);
  await write(terminal.stdout, isJson ? jsonText(wiped) : formatTable(toRows(wiped)));
  return wiped.failed.length === 0 ? exitCodes.ok : exitCodes.failure;
}

async function askFirst(files: readonly string[], options: WipeOptions, terminal: Terminal): Promise<void> {
  const missing = new CitewellError("InvalidUsage", "deleting the configuration needs confirmation (--yes)", {
    hint: "citewell wipe --yes deletes without confirmation; citewell wipe --dry-run shows what it would",
  });
  const prompts = await openPrompts(terminal, options, missing);
  if (files.length === 0) return;
  await write(terminal.stderr, files.map((file) => `  ${file}\n`).join(""));
  const isSure = await prompts.confirm(files.length === 1 ? "Delete this file?" : "Delete these files?");
  if (!isSure) throw new CitewellError("Cancelled", "nothing was deleted");
}

function toRows({ removed, missing, failed }: Wiped): string[][] {
  return [
    ...removed.map((file) => ["removed", file]),
    ...missing.map((file) => ["missing", file]),
    ...failed.map(({ path, error }) => ["failed", `${path}: ${error}`]),
  ];
}
