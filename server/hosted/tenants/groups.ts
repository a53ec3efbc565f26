import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { GroupName } from "../../protocol/followed-accounts.ts";
import type { Project } from "../../protocol/hosted.ts";
import { describeIssues } from "../../protocol/validation.ts";
import { allRows } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import { recordAudit } from "./audit.ts";
import { requireRegistered } from "./resource-names.ts";

/** Resources that can be named together, as `@backend`. */
const Group = z.object({
  name: z.string(),
  /** In alphabetical order. */
  resources: z.array(z.string()),
  /** Whether they are those of a followed account; else people chose them. */
  isFollowed: z.boolean(),
});
export type Group = z.infer<typeof Group>;

/** The groups of a project with the resources that the reader of the transaction may see. One without any does not exist. */
export async function listGroups({ query }: Pick<Queries, "query">, project: string): Promise<Group[]> {
  const result = await query(
    `select name, array_agg(resource order by resource) as resources, bool_or(is_followed) as "isFollowed" from (
       select a.group_name as name, r.name as resource, true as is_followed
         from followed_account a join resource r on r.followed = a.id where a.project = $1 and r.project = $1
       union all
       select name, resource, false from resource_group where project = $1) member
     group by name order by lower(name), name`,
    [project],
  );
  return allRows(Group, result);
}

/** Replaces the resources of a group that people made; without any, it is removed. @throws InvalidRequest, ResourceNotFound */
export async function saveGroup(
  { store, project: { id: project }, actor }: { store: Store; project: Pick<Project, "id">; actor: string },
  { name: given, resources }: { name: string; resources: readonly string[] },
): Promise<void> {
  const { data: name, error } = GroupName.safeParse(given.replace(/^@/, ""));
  if (name === undefined) throw new CitewellError("InvalidRequest", describeIssues(error, given));
  await store.asProject(project, async (queries) => {
    await requireRegistered(queries, project, resources);
    const groups = await listGroups(queries, project);
    const same = groups.find((group) => group.name.toLowerCase() === name.toLowerCase());
    if (same !== undefined && (same.isFollowed || same.name !== name)) {
      throw new CitewellError("InvalidRequest", `the group @${same.name} exists`, { hint: "choose another name" });
    }
    await queries.query("delete from resource_group where project = $1 and name = $2", [project, name]);
    await queries.query("insert into resource_group (project, name, resource) select $1, $2, unnest($3::text[])", [
      project,
      name,
      [...new Set(resources)],
    ]);
    const action = resources.length === 0 ? "group.removed" : "group.saved";
    await recordAudit(queries, project, { actor, action, target: `@${name}`, detail: { resources: resources.length } });
  });
}
