import { CitewellError } from "../../server/errors.ts";
import { removeResource } from "../../server/config/config.ts";
import { exitCodes } from "../exit-codes.ts";
import { jsonText } from "../json.ts";
import { configLocation } from "../open-app.ts";
import type { CommonOptions } from "../program.ts";
import { type Terminal, write } from "../terminal.ts";

export interface RemoveOptions extends CommonOptions {
  global?: boolean;
}

/** Removes a resource from the file that names it. What is on disk of it stays until `clear`. */
export async function remove(name: string | undefined, options: RemoveOptions, terminal: Terminal): Promise<number> {
  if (name === undefined) {
    throw new CitewellError("InvalidUsage", "no resource was named (name)", { hint: "run: citewell resources" });
  }
  const { path } = await removeResource(configLocation(terminal), name);
  if (options.json === true) await write(terminal.stdout, jsonText({ success: true, name, savedTo: path }));
  else await write(terminal.stdout, `removed ${name} from ${path}\n`);
  return exitCodes.ok;
}
