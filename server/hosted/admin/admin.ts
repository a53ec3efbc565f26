import type * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { type Admin, adminMethods } from "../../protocol/hosted.ts";
import { describeIssues } from "../../protocol/validation.ts";
import type { Store } from "../store/store.ts";
import { createKey, listKeys, revokeKey } from "../tenants/keys.ts";
import { createProject, findProject, listProjects } from "../tenants/projects.ts";

/** The operator's methods over a store. Inputs are checked: they may come from another process. */
export function createAdmin(store: Store): { [Name in keyof Admin]: (input: unknown) => ReturnType<Admin[Name]> } {
  return {
    async createProject(raw) {
      const { name } = parse(adminMethods.createProject.input, raw);
      return createProject(store, name);
    },
    async listProjects() {
      return { projects: await listProjects(store) };
    },
    async createKey(raw) {
      const { project: name, ...options } = parse(adminMethods.createKey.input, raw);
      const project = await findProject(store, name);
      return { ...(await createKey(store, project, options)), project: project.name };
    },
    async listKeys(raw) {
      const { project } = parse(adminMethods.listKeys.input, raw);
      return { keys: await listKeys(store, await findProject(store, project)) };
    },
    async revokeKey(raw) {
      const { project, key } = parse(adminMethods.revokeKey.input, raw);
      return revokeKey(store, await findProject(store, project), key);
    },
  };
}

/** @throws InvalidRequest */
function parse<Schema extends z.ZodType>(schema: Schema, raw: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(raw);
  if (success) return data;
  throw new CitewellError("InvalidRequest", describeIssues(error, raw));
}
