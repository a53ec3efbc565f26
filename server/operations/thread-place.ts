import path from "node:path";
import { isOneOff, parseReference } from "../protocol/reference.ts";
import { kindOf, mapPath } from "../protocol/kinds/kinds.ts";
import type { ResourceSpec } from "../protocol/resource.ts";
import type { ThreadTurn } from "../protocol/threads.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { KnownResources } from "./known-resources.ts";
import type { Target } from "./targets.ts";

/** The project of a conversation. */
export interface ThreadPlace {
  /** Whether it is a conversation of the open project. */
  isHere: boolean;
  /** What its names refer to: in another project's conversation, they mean what they meant there. */
  known: KnownResources;
  /** What its last answer is about, as names for `known`. */
  about: readonly string[];
}

/**
 * The rule for every client: a conversation belongs to the project that it began in, and is about its own resources
 * wherever it is continued. A conversation without project belongs to folders without one. One of an earlier version,
 * which has no projects, belongs here if everything it is about is known here.
 */
export function placeOf(turns: readonly ThreadTurn[], known: KnownResources): ThreadPlace {
  const last = turns.findLast(({ resources }) => resources.length > 0) ?? turns.at(-1);
  if (last === undefined) return { isHere: true, known, about: [] };
  const isHere = isThreadHere(last, known);
  const sources = new Map(turns.flatMap((turn) => turn.sources ?? []).map((spec) => [spec.name, spec]));
  const own = isHere ? [...sources.values()].filter(({ name }) => !isNamed(name, known)) : [...sources.values()];
  const others = known.named.filter(({ name }) => own.every((spec) => spec.name !== name));
  return {
    isHere,
    known: { ...known, named: isHere ? [...others, ...own] : [...own, ...others] },
    about: last.resources,
  };
}

/** The same rule for a summary. */
export function isThreadHere(
  { projects, resources }: Pick<ThreadTurn, "projects" | "resources">,
  known: KnownResources,
): boolean {
  const folders = foldersOf(known);
  if (folders.length === 0) return (projects ?? []).length === 0;
  if (projects === undefined) return resources.every((name) => isNamed(name, known) || isOneOff(parseReference(name)));
  return projects.some((folder) => folders.includes(folder));
}

/** The open projects. */
function foldersOf({ projects }: KnownResources): string[] {
  return projects.map((project) => path.resolve(project.path));
}

function isNamed(name: string, { named }: KnownResources): boolean {
  return named.some((spec) => spec.name === name);
}

/** The projects that a turn is stored with: those of its conversation. */
export function projectsOf(turns: readonly ThreadTurn[], { isHere, known }: ThreadPlace): string[] {
  return isHere ? foldersOf(known) : [...(turns.at(-1)?.projects ?? [])];
}

/**
 * The configured resources of a question in a form that opens the same from any folder: paths are absolute, and a
 * package whose version the project decides has the version that was read.
 */
export function sourcesOf(targets: readonly Target[], snapshots: readonly Snapshot[]): ResourceSpec[] {
  return targets.flatMap((target) => {
    if (!("name" in target)) return [];
    const { dependsOnProject = false, isPinned, pin } = kindOf(target);
    const snapshot = snapshots.find(({ resource }) => resource === target.name);
    const isOpen = dependsOnProject && isPinned?.(target) !== true && snapshot !== undefined;
    return [mapPath(isOpen ? (pin?.(target, snapshot.revision) ?? target) : target, (file) => path.resolve(file))];
  });
}
