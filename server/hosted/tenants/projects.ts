import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { Project } from "../../protocol/hosted.ts";
import { describeIssues } from "../../protocol/validation.ts";
import { allRows, firstRow, Timestamp } from "../store/rows.ts";
import type { Store } from "../store/store.ts";
import { recordAudit } from "./audit.ts";

const columns = `id, name, created_at as "createdAt"`;
const ProjectRow = Project.extend({ createdAt: Timestamp });

/** @throws InvalidRequest (the name), AlreadyExists */
export async function createProject(store: Store, name: string): Promise<Project> {
  const parsed = Project.shape.name.safeParse(name);
  if (!parsed.success) throw new CitewellError("InvalidRequest", describeIssues(parsed.error, name));
  const result = await store.query(
    `insert into project (name) values ($1) on conflict (name) do nothing returning ${columns}`,
    [name],
  );
  const project = firstRow(ProjectRow, result);
  if (project === undefined) {
    throw new CitewellError("AlreadyExists", `a project named "${name}" already exists`, {
      hint: "choose another name; citewell hosted project list shows those that exist",
    });
  }
  await store.asProject(project.id, (queries) =>
    recordAudit(queries, project.id, { actor: "operator", action: "project.created", target: name }),
  );
  return project;
}

/** All projects, oldest first. */
export async function listProjects(store: Store): Promise<Project[]> {
  return allRows(ProjectRow, await store.query(`select ${columns} from project order by created_at, name`));
}

/** The project of a name; without a name, the only one. @throws ProjectNotFound, InvalidRequest (several) */
export async function findProject(store: Store, name: string | undefined): Promise<Project> {
  const projects = await listProjects(store);
  const names = projects.map((project) => project.name);
  const found = name === undefined ? projects[0] : projects.find((project) => project.name === name);
  if (name === undefined && projects.length > 1) {
    throw new CitewellError("InvalidRequest", `there are several projects: ${names.join(", ")}`, {
      hint: "name one with --project",
    });
  }
  if (found !== undefined) return found;
  const message = name === undefined ? "there is no project" : `no project named "${name}"`;
  throw new CitewellError("ProjectNotFound", message, {
    hint: names.length === 0 ? "run: citewell hosted project create <name>" : `there are ${names.join(", ")}`,
  });
}

/** Creates the first project of a new service; undefined if there is one already. Nodes may start together. */
export async function createFirstProject(store: Store, name: string): Promise<Project | undefined> {
  const isEmpty = await store.query("select not exists (select from project) as empty");
  if (firstRow(z.object({ empty: z.boolean() }), isEmpty)?.empty !== true) return undefined;
  try {
    return await createProject(store, name);
  } catch (error) {
    if (error instanceof CitewellError && error.tag === "AlreadyExists") return undefined;
    throw error;
  }
}
