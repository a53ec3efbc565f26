import { kindOf } from "../../server/protocol/kinds/kinds.ts";
import type { ResourceListing } from "../../server/protocol/resource.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { connectApp } from "../app/open-app.ts";
import type { ServerOptions } from "../definitions/global-options.ts";
import { stateOf } from "../output/resource-state.ts";
import { formatFor } from "../render/table.ts";
import { type Terminal, write } from "../terminal.ts";

/** Lists the configured resources: what each is, and what is on disk of it. */
export async function resources(options: ServerOptions, terminal: Terminal): Promise<number> {
  await using app = await connectApp(terminal, options);
  const list = await app.listResources({}, { signal: terminal.signal });
  if (options.json === true) {
    await write(terminal.stdout, jsonText(list));
    return exitCodes.ok;
  }
  if (list.resources.length === 0) await write(terminal.stderr, "no resource is configured; run: citewell add\n");
  const rows = list.resources.map((resource) => toRow(resource, Date.now()));
  await write(terminal.stdout, formatFor(terminal.stdout, rows));
  return exitCodes.ok;
}

/** Name, kind, origin, and state on disk. */
export function toRow(resource: ResourceListing, now: number): string[] {
  return [resource.name, resource.type, kindOf(resource).origin(resource), stateOf(resource, now)];
}
