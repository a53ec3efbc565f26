import * as vscode from "vscode";
import type { ResourceSpec } from "../../../server/protocol/resource.ts";
import { askForResource } from "./add-wizard.ts";
import type { Draft } from "./draft.ts";
import type { Parts } from "./parts.ts";
import { removeAdded } from "./remove.ts";
import { kindOf, type OneOff, pathOf } from "../../../server/protocol/kinds/kinds.ts";
import { freeName, specOf } from "./spec.ts";
import { requireFolders } from "./trust.ts";

/** Asks, adds, and fetches what was added. */
export async function addByWizard(parts: Parts, start: Draft = {}): Promise<void> {
  const listings = await parts.tree.load();
  const spec = await askForResource({ taken: listings.map(({ name }) => name), start });
  if (spec === undefined) return;
  const added = await save([spec], parts);
  await fetchAdded(added, parts);
}

/** Adds dropped or selected resources with guessed settings; one message reports it and offers to undo. */
export async function addAll(references: readonly OneOff[], parts: Parts): Promise<void> {
  const fetched = references.filter((reference) => kindOf(reference).isFetched);
  const allowed = fetched.length < references.length && !(await requireFolders()) ? fetched : references;
  const specs = await nameAll(allowed, parts);
  if (specs.length === 0) return;
  const added = await save(specs, parts);
  if (added.length === 0) return;
  // Nothing waits for a message to be read.
  offerUndo(added, parts).catch(parts.showError);
  await fetchAdded(added, parts);
}

/** Writes them to the configuration. A failure is shown and does not stop the others. */
export async function save(
  specs: readonly ResourceSpec[],
  { server, selection, changes, showError }: Parts,
): Promise<ResourceSpec[]> {
  const added: ResourceSpec[] = [];
  const faults: unknown[] = [];
  for (const spec of specs) {
    await server.request("addResource", spec).then(
      (kept) => added.push(kept),
      (error: unknown) => faults.push(error),
    );
  }
  // If a selection is in use, the new resource joins it.
  if (selection.names.length > 0 && added.length > 0) {
    await selection.set([...selection.names, ...added.map(({ name }) => name)]);
  }
  if (added.length > 0) changes.fire("resources");
  if (faults.length > 0) void showError(faults[0]);
  return added;
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

async function offerUndo(added: readonly ResourceSpec[], parts: Parts): Promise<void> {
  const undo = vscode.l10n.t("Undo");
  const [first] = added;
  const message =
    first !== undefined && added.length === 1
      ? vscode.l10n.t("Added the resource {0}.", first.name)
      : vscode.l10n.t("Added {0} resources.", added.length);
  const chosen = await vscode.window.showInformationMessage(message, undo);
  if (chosen === undo) await removeAdded(added, parts);
}
