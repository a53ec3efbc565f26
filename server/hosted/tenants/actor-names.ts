import type { Project } from "../../protocol/hosted.ts";
import type { Store } from "../store/store.ts";
import { listKeys } from "./keys.ts";
import { listMembers } from "./members.ts";

/** How the keys and members of a project are shown, by id. */
export async function namesOf(store: Store, project: Pick<Project, "id">): Promise<ReadonlyMap<string, string>> {
  const [keys, members] = [await listKeys(store, project), await listMembers(store, project)];
  return new Map([
    ...keys.map(({ id, name, member }) => [id, `key ${name}${member === null ? "" : ` of ${member}`}`] as const),
    ...members.map(({ account, email }) => [account, email] as const),
  ]);
}

/** How an actor is shown: `key:<id>` or `account:<id>` by its name, any other unchanged. */
export function nameOf(names: ReadonlyMap<string, string>, actor: string): string {
  const [, kind, id = ""] = /^(key|account):(.*)$/.exec(actor) ?? [];
  return names.get(id) ?? (kind === "account" ? `former member ${id.slice(0, 8)}` : actor);
}
