import { CitewellError } from "../../server/errors.ts";
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

/** Adds to the error of a missing folder which relative `-r` option named it, and from where that was resolved. */
export function explainMissingFolder(error: unknown, options: readonly string[], terminal: Terminal): unknown {
  if (!(error instanceof CitewellError) || error.tag !== "PathNotFound") return error;
  const relative = options.filter((text) => text.startsWith("."));
  const written = relative.find((text) => error.message.endsWith(` ${toAbsoluteReference(text, terminal)}`));
  if (written === undefined) return error;
  const hint = `-r ${written} was resolved from ${terminal.cwd}; ${error.hint ?? "give an existing folder"}`;
  return new CitewellError(error.tag, error.message, { hint, cause: error });
}
