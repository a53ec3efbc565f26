import { toAbsolutePath } from "../../server/lib/absolute-path.ts";
import { pathOf } from "../../server/protocol/kinds/kinds.ts";
import { isOneOff, parseReference } from "../../server/protocol/reference.ts";
import type { Terminal } from "../terminal.ts";

/** A resource as the command line names it, for a server that may run in another folder: paths are absolute. */
export function toAbsoluteReference(text: string, { cwd, homeDirectory }: Terminal): string {
  const reference = parseReference(text);
  const path = isOneOff(reference) ? pathOf(reference) : undefined;
  return path === undefined ? text : toAbsolutePath(path, { folder: cwd, homeDirectory });
}
