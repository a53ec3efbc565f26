import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { CitewellError } from "../../server/errors.ts";
import { toAbsolutePath } from "../../server/lib/absolute-path.ts";
import {
  type KindName,
  kindOf,
  kinds,
  type OneOff,
  pathOf,
  referenceForms,
} from "../../server/protocol/kinds/kinds.ts";
import { packageReference } from "../../server/protocol/kinds/names.ts";
import { isPackage } from "../../server/protocol/kinds/package.ts";
import { isOneOff } from "../../server/protocol/reference.ts";
import { gitHubUrl, parseTyped } from "../../server/protocol/typed-reference.ts";
import { quoteValue } from "../../server/protocol/validation.ts";
import type { Terminal } from "../terminal.ts";

/** The reference that a text is. A bare word is a folder if there is one of that name, else a package. */
export async function detectReference(
  text: string,
  type: KindName | undefined,
  { cwd, homeDirectory }: Terminal,
): Promise<OneOff> {
  if (text.trim() === "") throw notAdded(text, "it is empty");
  const typed = parseTyped(text);
  const hasFolder = await isFolder(text, cwd);
  if (type === "local" && !hasFolder && isOneOff(typed) && typed.type !== type) {
    throw notAdded(text, "it is not a folder (--type local)");
  }
  const url = gitHubUrl(text);
  if (type === undefined && !hasFolder && url !== undefined) {
    const hint = `for the repository: citewell add ${url}; for a folder: citewell add ./${text.trim()}`;
    throw new CitewellError("InvalidUsage", `there is no folder ${quoteValue(text)}, and a repository needs its URL`, {
      hint,
    });
  }
  const usual = hasFolder ? "local" : typed.type === "name" ? "npm" : undefined;
  const wanted = type ?? usual;
  const reference = wanted === undefined || typed.type === wanted ? typed : kinds[wanted].readAs(text);
  if (!isOneOff(reference)) {
    throw notAdded(text, reference.type === "invalid" ? reference.reason : "it is a configured name");
  }
  const written = pathOf(reference);
  if (written === undefined) return reference;
  const absolute = kindOf(reference).readAs(toAbsolutePath(written, { folder: cwd, homeDirectory }));
  return isOneOff(absolute) ? absolute : reference;
}

/** The absolute path of a reference if nothing is there. */
export function missingPath(reference: OneOff, { cwd, homeDirectory }: Terminal): string | undefined {
  const written = pathOf(reference);
  if (written === undefined) return undefined;
  const absolute = toAbsolutePath(written, { folder: cwd, homeDirectory });
  return existsSync(absolute) ? undefined : absolute;
}

/** @throws InvalidUsage (options for git with another kind of resource, where they would have no effect) */
export function requireGit(
  reference: OneOff,
  { branch, searchPath }: { branch?: string; searchPath: readonly string[] },
): void {
  if (reference.type === "git" || (branch === undefined && searchPath.length === 0)) return;
  throw new CitewellError("InvalidUsage", `-b and -s are for git repositories, and ${reference.canonical} is not one`, {
    hint: isPackage(reference)
      ? `a version is part of the name: citewell add ${packageReference(reference.type, reference.package, "<version>")}`
      : "to read only a part, add that folder",
  });
}

function notAdded(text: string, reason: string): CitewellError {
  return new CitewellError("InvalidUsage", `${quoteValue(text)} cannot be added: ${reason}`, {
    hint: `give a package name, ${referenceForms}; --type says which it is`,
  });
}

async function isFolder(text: string, cwd: string): Promise<boolean> {
  const found = await stat(path.resolve(cwd, text)).catch(() => undefined);
  return found?.isDirectory() ?? false;
}
