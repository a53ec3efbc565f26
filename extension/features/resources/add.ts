import * as vscode from "vscode";
import type { PlacedResource, ResourceSpec } from "../../../server/protocol/resource.ts";
import { askForResource } from "./add-wizard.ts";
import { projectFile, readConfigTexts, restoreConfig } from "./config-files.ts";
import type { Draft } from "./draft.ts";
import type { Parts } from "./parts.ts";
import { kindOf, type OneOff, pathOf } from "../../../server/protocol/kinds/kinds.ts";
import { freeName, specOf } from "./spec.ts";
import { requireFolders } from "./trust.ts";

/** Asks, adds, and fetches what was added. */
export async function addByWizard(parts: Parts, start: Draft = {}): Promise<void> {
  const listings = await parts.tree.load();
  const spec = await askForResource({ taken: listings.map(({ name }) => name), start });
  if (spec !== undefined) await addSpecs([spec], parts);
}

/** Adds dropped or selected resources with guessed settings. */
export async function addAll(references: readonly OneOff[], parts: Parts): Promise<void> {
  const fetched = references.filter((reference) => kindOf(reference).isFetched);
  const allowed = fetched.length < references.length && !(await requireFolders()) ? fetched : references;
  await addSpecs(await nameAll(allowed, parts), parts);
}

/** Adds them to the open project, and fetches them. A message says where they are kept, and offers every project or undo. */
export async function addSpecs(specs: readonly ResourceSpec[], parts: Parts): Promise<void> {
  if (specs.length === 0) return;
  const added = await save(specs, parts);
  if (added.specs.length === 0) return;
  // Nothing waits for a message to be read.
  report(added, parts).catch(parts.showError);
  await fetchAdded(added.specs, parts);
}

/** Resources that were added together. */
interface Added {
  specs: readonly ResourceSpec[];
  savedTo: PlacedResource["savedTo"];
  /** Removes them again, and a file that was created for them. */
  takeBack(): Promise<void>;
}

/** Writes them to the project's file, or the global one without a project. A failure is shown and does not stop the others. */
async function save(specs: readonly ResourceSpec[], parts: Parts): Promise<Added> {
  const { server, selection, changes, showError } = parts;
  const savedTo = (await projectFile(parts)) === undefined ? "global" : "project";
  const before = await readConfigTexts(parts);
  const added: ResourceSpec[] = [];
  const faults: unknown[] = [];
  for (const spec of specs) {
    await server.request("addResourceTo", { resource: spec, savedTo }).then(
      (kept) => added.push(kept),
      (error: unknown) => faults.push(error),
    );
  }
  const after = await readConfigTexts(parts);
  // If a selection is in use, the new resource joins it.
  if (selection.names.length > 0 && added.length > 0) {
    await selection.set([...selection.names, ...added.map(({ name }) => name)]);
  }
  if (added.length > 0) changes.fire("resources");
  if (faults.length > 0) void showError(faults[0]);
  const takeBack = async () => {
    if (await restoreConfig(before, after)) return;
    for (const { name } of added) await server.request("removeResource", { name });
  };
  return { specs: added, savedTo, takeBack };
}

async function nameAll(references: readonly OneOff[], { tree }: Parts): Promise<ResourceSpec[]> {
  const listings = await tree.load();
  const taken = listings.map(({ name }) => name);
  const specs: ResourceSpec[] = [];
  for (const reference of references) {
    const path = pathOf(reference);
    const isThere = path !== undefined && listings.some((listing) => listing.path === path);
    if (isThere) {
      void vscode.window.showInformationMessage(vscode.l10n.t("{0} is a resource already.", reference.canonical));
      continue;
    }
    const name = freeName(reference, taken);
    taken.push(name);
    specs.push(specOf(reference, { name }));
  }
  return specs;
}

/** Fetches at once, so that a mistyped address shows in its row. Folders need no fetch. */
async function fetchAdded(added: readonly ResourceSpec[], parts: Parts): Promise<void> {
  const listings = await parts.tree.load();
  const missing = listings.filter(({ name, state }) => state === "absent" && added.some((spec) => spec.name === name));
  await Promise.all(missing.filter((listing) => kindOf(listing).isFetched).map(({ name }) => parts.fetch(name)));
}

async function report(added: Added, parts: Parts): Promise<void> {
  const undo = vscode.l10n.t("Undo");
  const everyProject = vscode.l10n.t("Use in Every Project");
  const actions = added.savedTo === "project" ? [undo, everyProject] : [undo];
  const chosen = await vscode.window.showInformationMessage(messageOf(added), ...actions);
  if (chosen === undo) await undoAdding(added, parts);
  if (chosen === everyProject) await keepForEveryProject(added, parts);
}

function messageOf({ specs, savedTo }: Added): string {
  const [first] = specs;
  if (first !== undefined && specs.length === 1) {
    return savedTo === "project"
      ? vscode.l10n.t("Added the resource {0} to this project.", first.name)
      : vscode.l10n.t("Added the resource {0} to every project.", first.name);
  }
  return savedTo === "project"
    ? vscode.l10n.t("Added {0} resources to this project.", specs.length)
    : vscode.l10n.t("Added {0} resources to every project.", specs.length);
}

async function undoAdding({ specs, takeBack }: Added, { stopFetch, selection, changes }: Parts): Promise<void> {
  const names = specs.map(({ name }) => name);
  for (const name of names) stopFetch(name);
  await takeBack();
  await selection.set(selection.names.filter((name) => !names.includes(name)));
  changes.fire("resources");
}

/** Moves them to the global file. One that the file refuses stays in the project. */
async function keepForEveryProject({ specs, takeBack }: Added, { server, changes }: Parts): Promise<void> {
  await takeBack();
  const faults: unknown[] = [];
  for (const spec of specs) {
    await server.request("addResourceTo", { resource: spec, savedTo: "global" }).catch(async (error: unknown) => {
      faults.push(error);
      await server.request("addResourceTo", { resource: spec, savedTo: "project" });
    });
  }
  changes.fire("resources");
  if (faults.length > 0) throw faults[0];
}
