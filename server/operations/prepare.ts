import path from "node:path";
import { untilAborted } from "../lib/abort.ts";
import type { Nothing } from "../protocol/operations.ts";
import type { Prepared } from "../protocol/resource.ts";
import type { Call, Context } from "./context.ts";
import { knownTo } from "./known-resources.ts";

/**
 * Builds the indexes of the open projects, so that the first question finds them. A folder that is open but no project (the
 * home directory, downloads) is indexed by a question only. Aborting ends the wait, not the work.
 */
export async function prepare(_: Nothing, { tenant }: Context, { signal }: Call): Promise<Prepared> {
  const { followed, projects } = tenant;
  if (followed === undefined || projects.isProject === undefined) return { resources: [] };
  const resources: string[] = [];
  for (const project of (await knownTo(tenant)).projects) {
    if (!(await projects.isProject(path.resolve(project.path)))) continue;
    if (await untilAborted(followed.prepare(project), signal)) resources.push(project.name);
  }
  return { resources };
}
