import path from "node:path";
import type { Config } from "../config/config.ts";
import type { LocalResource } from "../protocol/kinds/local.ts";
import { limits, ResourceName } from "../protocol/resource-fields.ts";
import type { ResourceListing, ResourceSpec, Scope } from "../protocol/resource.ts";
import type { TenantServices } from "./context.ts";

/** What a request can refer to by name, and what it is about when it names nothing. */
export interface KnownResources {
  /** The open projects first, then the configured resources. */
  named: readonly ResourceSpec[];
  projects: readonly LocalResource[];
  /** Those that a configuration file lists. */
  listed: readonly ResourceSpec[];
  /** The resources of a request without names. */
  unnamed: readonly ResourceSpec[];
}

/**
 * The open projects and the configured resources (docs/contract.md, "The open project"). In scope `project`, a request
 * without names is about the projects and what a configuration file lists. The built-in defaults, which no file lists,
 * can be named there: nobody asked to fetch them.
 * @param folders absolute paths
 */
export function knownResources(
  { resources, listed }: Pick<Config, "resources" | "listed">,
  { folders, scope }: { folders: readonly string[]; scope: Scope },
): KnownResources {
  const projects = nameProjects(folders, listed);
  const names = namesOf(projects);
  const without = (specs: readonly ResourceSpec[]) => specs.filter(({ name }) => !names.has(name));
  const listedNames = namesOf(listed);
  const defaults = resources.filter(({ name }) => !listedNames.has(name));
  return {
    named: projects.length === 0 ? resources : [...projects, ...without(listed), ...without(defaults)],
    projects,
    listed,
    unnamed: scope === "project" ? [...projects, ...without(listed)] : resources,
  };
}

/** The same for a caller. */
export async function knownTo(
  { config, projects }: Pick<TenantServices, "config" | "projects">,
  { scope = "project" }: { scope?: Scope | undefined } = {},
): Promise<KnownResources> {
  return knownResources(config, { folders: await projects.folders(), scope });
}

/** Where resources come from; there may be thousands. */
export function originsOf({
  projects,
  listed,
}: Pick<KnownResources, "projects" | "listed">): (spec: ResourceSpec) => ResourceListing["origin"] {
  const [inProjects, inFiles] = [namesOf(projects), namesOf(listed)];
  return ({ name }) => (inProjects.has(name) ? "project" : inFiles.has(name) ? "listed" : "default");
}

function namesOf(specs: readonly ResourceSpec[]): ReadonlySet<string> {
  return new Set(specs.map(({ name }) => name));
}

/** Each by its folder's name. A folder that a file lists keeps the name and the notes that it has there. */
function nameProjects(folders: readonly string[], listed: readonly ResourceSpec[]): LocalResource[] {
  const projects: LocalResource[] = [];
  for (const folder of new Set(folders.map((folder) => path.resolve(folder)))) {
    const configured = listed.find((spec) => spec.type === "local" && path.resolve(spec.path) === folder);
    if (configured?.type === "local") projects.push(configured);
    else projects.push({ type: "local", name: freeName(folder, [...listed, ...projects]), path: folder });
  }
  return projects;
}

/** `app`; where that name is taken `app-project`, `app-project-2`. */
function freeName(folder: string, taken: readonly ResourceSpec[]): string {
  const name = toResourceName(path.basename(folder));
  const candidates = [name, `${name}-project`, ...taken.map((_, index) => `${name}-project-${index + 2}`)];
  return candidates.find((candidate) => taken.every((spec) => spec.name !== candidate)) ?? name;
}

/** Leaves room for what `freeName` appends. */
const nameLength = limits.nameLength - "-project-99".length;

function toResourceName(text: string): string {
  const name = text
    .replace(/[^a-zA-Z0-9._-]+/g, "-")
    .replace(/\.{2,}/g, ".")
    .replace(/^[^a-zA-Z0-9]+/, "")
    .slice(0, nameLength);
  return ResourceName.safeParse(name).success ? name : "project";
}
