import { appendFile, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { initProject, type StorageMode } from "../../server/config/init.ts";
import { CitewellError, codeOf } from "../../server/errors.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { configLocation } from "../app/open-app.ts";
import { openPrompts } from "../input/prompts.ts";
import { type Terminal, write } from "../terminal.ts";

/** Options of `citewell init`. */
export interface InitOptions extends CommonOptions {
  force?: boolean;
  storage?: StorageMode;
  /** `false` is `--no-gitignore`. */
  gitignore: boolean;
}

/** Creates the project's configuration, and makes git ignore the project's data directory. */
export async function init(options: InitOptions, terminal: Terminal): Promise<number> {
  const storage = options.storage ?? (await askStorage(options, terminal));
  const created = await initProject(configLocation(terminal), { storage, replaces: options.force === true });
  const ignored = storage === "local" && options.gitignore ? await ignoreData(terminal) : undefined;
  if (options.json === true) {
    await write(terminal.stdout, jsonText({ path: created.path, storage, gitignore: ignored ?? null }));
    return exitCodes.ok;
  }
  const note = ignored === undefined ? "" : `added .citewell/ to ${ignored}\n`;
  await write(
    terminal.stdout,
    `created ${created.path}; fetched resources and conversations go to ${created.dataDirectory}\n${note}`,
  );
  return exitCodes.ok;
}

async function askStorage(options: InitOptions, terminal: Terminal): Promise<StorageMode> {
  const missing = new CitewellError("InvalidUsage", "no storage location was given (--storage)", {
    hint: "--storage local stores them in ./.citewell, --storage global in the directory that all projects share",
  });
  const prompts = await openPrompts(terminal, options, missing);
  const chosen = await prompts.select("Where should fetched resources be stored?", [
    { value: "local", label: "in this project", hint: "./.citewell, with this project's conversations" },
    { value: "global", label: "in the shared directory", hint: "fetched once for all" },
  ]);
  return chosen === "local" ? "local" : "global";
}

const entry = ".citewell/";

/** The ignore file that was added to; undefined outside of a git repository, and where it is in it already. */
async function ignoreData({ cwd }: Terminal): Promise<string | undefined> {
  if (!(await isInRepository(cwd))) return undefined;
  const file = path.join(cwd, ".gitignore");
  const text = await readIfThere(file);
  if (text.split(/\r?\n/).some((line) => /^\/?\.citewell\/?\s*$/.test(line))) return undefined;
  const separator = text === "" || text.endsWith("\n") ? "" : "\n";
  await appendFile(file, `${separator}${entry}\n`);
  return file;
}

/** A repository has a folder `.git`; a worktree or submodule has a file of that name. */
async function isInRepository(folder: string): Promise<boolean> {
  const found = await stat(path.join(folder, ".git")).catch(() => undefined);
  if (found !== undefined) return true;
  const parent = path.dirname(folder);
  return parent !== folder && isInRepository(parent);
}

async function readIfThere(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return "";
    throw error;
  });
}
