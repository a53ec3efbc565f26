import path from "node:path";
import * as vscode from "vscode";
import { packageReference, type PackageType } from "../../../server/protocol/kinds/names.ts";
import { isPackage } from "../../../server/protocol/kinds/package.ts";
import { parseReference } from "../../../server/protocol/reference.ts";
import type { Server } from "../../context.ts";
import { toServerError } from "../../server-error.ts";
import { fileOf, type Texts, toUri } from "./texts.ts";
import type { CitedFile } from "./uris.ts";

/** Shows a cited file beside the same file of the package as the workspace has it. @throws ServerError */
export async function compareWithInstalled(
  uri: unknown,
  { server, texts }: { server: Server; texts: Texts },
): Promise<void> {
  const citedUri = uri instanceof vscode.Uri ? uri : vscode.window.activeTextEditor?.document.uri;
  const cited = citedUri === undefined ? undefined : fileOf(citedUri);
  if (citedUri === undefined || cited === undefined) return showMessage(vscode.l10n.t("Open a cited file first."));
  const place = await findInPackage(cited, { server, texts });
  if (place === undefined)
    return showMessage(
      vscode.l10n.t("The package of “{0}” is unknown: no package.json above it has a name.", cited.path),
    );
  const version = await installedVersion(place, server);
  if (version === undefined)
    return showMessage(vscode.l10n.t("Your workspace has no version of {0} installed.", place.package));
  const installed = await texts.readAnew({ resource: packageReference(place.type, place.package), path: place.path });
  const name = path.posix.basename(cited.path);
  await vscode.commands.executeCommand(
    "vscode.diff",
    citedUri,
    toUri(installed),
    vscode.l10n.t("{0} (cited ↔ installed {1})", name, version),
  );
}

interface PackageIdentity {
  type: PackageType;
  package: string;
}

/** Which package a file belongs to, and its path in there. */
async function findInPackage(
  cited: CitedFile,
  { server, texts }: { server: Server; texts: Texts },
): Promise<(PackageIdentity & { path: string }) | undefined> {
  const identity = await packageOf(cited.resource, server);
  if (identity !== undefined) return { ...identity, path: cited.path };
  for (const folder of foldersAbove(cited.path)) {
    const named = await nameIn({ ...cited, path: path.posix.join(folder, "package.json") }, texts);
    if (named !== undefined) return { type: "npm", package: named, path: path.posix.relative(folder, cited.path) };
  }
  return undefined;
}

/** The package that a resource is, where it is one. */
async function packageOf(resource: string, server: Server): Promise<PackageIdentity | undefined> {
  const { resources } = await server.request("listResources", {});
  const listing = resources.find(({ name }) => name === resource);
  const target = listing ?? parseReference(resource);
  if (!isPackage(target) || target.package === null) return undefined;
  return { type: target.type, package: target.package };
}

/** The nearest first; the root, too. */
function foldersAbove(file: string): string[] {
  const folder = path.posix.dirname(file);
  return folder === "." ? [""] : [folder, ...foldersAbove(folder)];
}

async function nameIn(manifest: CitedFile, texts: Texts): Promise<string | undefined> {
  try {
    const parsed: unknown = JSON.parse((await texts.read(manifest)).text);
    const isNamed =
      typeof parsed === "object" && parsed !== null && "name" in parsed && typeof parsed.name === "string";
    return isNamed ? String(parsed.name) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || toServerError(error).tag === "FileNotFound") return undefined;
    throw error;
  }
}

async function installedVersion({ type, package: name }: PackageIdentity, server: Server): Promise<string | undefined> {
  const { dependencies } = await server.request("listDependencies", {});
  return dependencies?.find(({ spec }) => spec.type === type && spec.package === name)?.version ?? undefined;
}

function showMessage(message: string): void {
  void vscode.window.showInformationMessage(message);
}
