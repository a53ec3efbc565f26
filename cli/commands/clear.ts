import { readdir } from "node:fs/promises";
import path from "node:path";
import type { ResourceListing } from "../../server/protocol/resource.ts";
import { CitewellError } from "../../server/errors.ts";
import type { ServerOptions } from "../definitions/global-options.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { connectApp } from "../app/open-app.ts";
import { canPrompt, openPrompts } from "../input/prompts.ts";
import { formatSize, formatTable } from "../render/table.ts";
import { type Terminal, write } from "../terminal.ts";

/** Options of `citewell clear`. */
export interface ClearOptions extends ServerOptions {
  yes?: boolean;
  dryRun?: boolean;
}

/** Deletes the downloaded copies. At a terminal it lists them and asks first; elsewhere it does not: the contract has no `--yes`. */
export async function clear(options: ClearOptions, terminal: Terminal): Promise<number> {
  const { signal, stdout } = terminal;
  const isAsking = options.yes !== true && options.dryRun !== true && canPrompt(terminal, options);
  await using app = await connectApp(terminal, options);
  if (options.dryRun === true || isAsking) {
    const [{ resourcesDirectory }, { resources }] = await Promise.all([
      app.getConfig({}, { signal }),
      app.listResources({}, { signal }),
    ]);
    const fetched = resources.filter(({ fetchedAt }) => fetchedAt !== null);
    const isEmpty = fetched.length === 0 && options.server === undefined && (await isUnused(resourcesDirectory));
    if (isEmpty && options.json !== true) {
      await write(stdout, `nothing to delete: there are no downloaded copies in ${resourcesDirectory}\n`);
      return exitCodes.ok;
    }
    if (options.dryRun === true) {
      const names = fetched.map(({ name }) => name);
      const document = { directory: resourcesDirectory, resources: names };
      await write(stdout, options.json === true ? jsonText(document) : describe(resourcesDirectory, fetched));
      return exitCodes.ok;
    }
    await write(terminal.stderr, describe(resourcesDirectory, fetched));
    await confirmed(options, terminal);
  }
  const { cleared } = await app.clear({}, { signal });
  await write(
    stdout,
    options.json === true ? jsonText({ cleared }) : `deleted the downloaded copies of ${cleared} ${plural(cleared)}\n`,
  );
  return exitCodes.ok;
}

/** Also without copies of resources that are no longer configured. */
async function isUnused(directory: string): Promise<boolean> {
  const snapshots = await readdir(path.join(directory, "snapshots")).catch(() => []);
  return snapshots.length === 0;
}

async function confirmed(options: ClearOptions, terminal: Terminal): Promise<void> {
  const prompts = await openPrompts(terminal, options, needsYes());
  if (!(await prompts.confirm("Delete them all?"))) throw new CitewellError("Cancelled", "nothing was deleted");
}

function needsYes(): CitewellError {
  return new CitewellError("InvalidUsage", "clear deletes all downloaded copies: confirm it with --yes", {
    hint: "citewell clear --dry-run shows what would be deleted",
  });
}

function describe(directory: string, fetched: readonly ResourceListing[]): string {
  const rows = fetched.map(({ name, sizeBytes }) => [`  ${name}`, sizeBytes === null ? "" : formatSize(sizeBytes)]);
  return `downloaded copies in ${directory}, including those of resources that are no longer configured:\n${formatTable(rows)}`;
}

function plural(count: number): string {
  return count === 1 ? "resource" : "resources";
}
