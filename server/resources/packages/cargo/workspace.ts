import type { AskedFor, AskedForList, NearDependency } from "../ecosystem.ts";
import type { PackageLocation } from "../package-location.ts";
import { openProject } from "./manifest.ts";
import { chooseFrom, openWorkspaces } from "./version-choice.ts";

/** What the crates of the open projects' workspaces depend on; undefined without a manifest. */
export async function readDependencies(location: PackageLocation): Promise<AskedForList | undefined> {
  const workspaces = await openWorkspaces(location);
  if (workspaces.projects.length === 0) return undefined;
  const asked: AskedFor[] = [];
  for (const opened of workspaces.projects) {
    const members = await opened.project.members();
    const own = new Set(members.map(({ name }) => name));
    for (const crate of new Set([opened.project.crate, ...members])) {
      const around = { ...workspaces, projects: [{ ...opened, project: { ...opened.project, crate } }] };
      for (const { alias, name } of new Map(crate.dependencies.map((it) => [it.alias, it])).values()) {
        const choose = () => chooseFrom({ package: alias }, around);
        const reason = "it is a crate of this workspace";
        asked.push({ name: alias, choose, ...(own.has(name) ? { reason } : {}) });
      }
    }
  }
  return { asked, usual: (name) => chooseFrom({ package: name }, workspaces) };
}

/** The dependencies of the crate around; of a workspace's root that is none, those of its crates, by the lockfile. */
export async function namesNear({ cwd }: PackageLocation): Promise<NearDependency[]> {
  const project = await openProject(cwd);
  if (project === undefined) return [];
  const { crate, lock } = project;
  if (crate.name !== undefined) return crate.dependencies.map(({ alias }) => ({ name: alias }));
  const locals = (await lock())?.locals ?? [];
  const own = new Set(locals.map(({ name }) => name));
  const names = locals.flatMap(({ dependencies }) => dependencies.map((it) => it.replace(/ .*$/, "")));
  return names.filter((name) => !own.has(name)).map((name) => ({ name }));
}
