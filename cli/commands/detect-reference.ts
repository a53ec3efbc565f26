import { stat } from "node:fs/promises";
import path from "node:path";
import { CitewellError } from "../../server/errors.ts";
import { toAbsolutePath } from "../../server/lib/absolute-path.ts";
import { parseReference, type Reference } from "../../server/protocol/reference.ts";
import { parseTyped } from "../../server/protocol/typed-reference.ts";
import type { ResourceSpec } from "../../server/protocol/resource.ts";
import { quoteValue } from "../../server/protocol/validation.ts";
import type { OneOff } from "../../server/resources/resources.ts";
import type { Terminal } from "../terminal.ts";

/** What the text names. A bare word is a folder where there is one of that name, else a package. */
export async function detectReference(
  text: string,
  type: ResourceSpec["type"] | undefined,
  { cwd, homeDirectory }: Terminal,
): Promise<OneOff> {
  if (text.trim() === "") throw notAdded(text, "it is empty");
  const reference = parseTyped(text);
  const isUrl = reference.type === "git" || reference.type === "npm" || /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  if (type === "local" && isUrl && !(await isFolder(text, cwd)))
    throw notAdded(text, "it is not a folder (--type local)");
  if (type === "local" || (type === undefined && (reference.type === "local" || (await isFolder(text, cwd))))) {
    const absolute = toAbsolutePath(text, { folder: cwd, homeDirectory });
    return { type: "local", canonical: absolute, path: absolute };
  }
  if (type === "npm" || (type === undefined && reference.type === "name")) return toPackage(reference, text);
  if (reference.type === "npm" || reference.type === "git") return reference;
  throw notAdded(text, reference.type === "invalid" ? reference.reason : "not an HTTPS git URL");
}

function notAdded(text: string, reason: string): CitewellError {
  return new CitewellError("InvalidUsage", `${quoteValue(text)} cannot be added: ${reason}`, {
    hint: "give an HTTPS git URL, a folder, a package name or npm:<package>; --type says which it is",
  });
}

function toPackage(reference: Reference, text: string): OneOff {
  if (reference.type === "npm") return reference;
  const parsed = parseReference(`npm:${text}`);
  if (parsed.type === "npm") return parsed;
  throw new CitewellError("InvalidUsage", `${quoteValue(text)} is not a package`, { hint: "write npm:<package>" });
}

async function isFolder(text: string, cwd: string): Promise<boolean> {
  const found = await stat(path.resolve(cwd, text)).catch(() => undefined);
  return found?.isDirectory() ?? false;
}
