import * as vscode from "vscode";
import type { ResourceListing } from "../../../server/protocol/resource.ts";
import { ServerError } from "../../server-error.ts";
import { isRow, type Row } from "./rows.ts";
import type { ResourceTree } from "./tree.ts";

/**
 * The resource that a command is for: that of the row or of the name that it was given, else the one that is selected,
 * else one that the person picks; undefined where they pick none.
 * @throws ServerError (ResourceNotFound: the row is older than the configuration), and those of `load`
 */
export async function findResource(
  target: unknown,
  { tree, selected }: { tree: Pick<ResourceTree, "load">; selected: Row | undefined },
): Promise<ResourceListing | undefined> {
  const listings = await tree.load();
  const find = (wanted: string | undefined) => listings.find(({ name }) => name === wanted);
  const wanted = nameOf(target);
  const found = find(wanted ?? nameOf(selected));
  if (found !== undefined) return found;
  if (wanted !== undefined) {
    throw new ServerError({
      tag: "ResourceNotFound",
      error: vscode.l10n.t("no resource named {0} is configured any more", JSON.stringify(wanted)),
    });
  }
  const items = listings.map((listing) => ({ label: listing.name, listing }));
  const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Which Resource?") });
  return chosen?.listing;
}

/** The arguments of a menu, a key or another command. */
export function nameOf(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  return isRow(target) && target.type !== "more" ? target.listing.name : undefined;
}
