import { showInvisibleInLine } from "../../server/protocol/invisible.ts";
import type { Unavailable } from "../../server/protocol/resource.ts";
import { type Terminal, write } from "../terminal.ts";

/** Names on standard error what could not be opened, as `ask` does. */
export async function reportUnavailable(
  unavailable: readonly Unavailable[] = [],
  stderr: Terminal["stderr"],
): Promise<void> {
  for (const { resource, error } of unavailable)
    await write(stderr, `without ${showInvisibleInLine(resource)}: ${showInvisibleInLine(error)}\n`);
}
