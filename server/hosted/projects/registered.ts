import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import type { FetchState, HostedResource, UnreadableResource } from "../../protocol/hosted.ts";
import { limits, splitRevision } from "../../protocol/resource-fields.ts";
import { quoteValue } from "../../protocol/validation.ts";
import type { Fetches } from "../jobs/fetches.ts";
import type { Group } from "../tenants/groups.ts";
import type { ProjectParts } from "./project-app.ts";

/** What a call about a project's resources works with. */
export interface ProjectCall extends ProjectParts {
  signal: AbortSignal;
}

/** The resources of the project with the state of their fetches. */
export async function listFetched({
  app,
  fetches,
  signal,
}: Pick<ProjectCall, "app" | "fetches" | "signal">): Promise<HostedResource[]> {
  const { resources } = await app.listResources({}, { signal });
  const states = await fetches.states();
  return resources.map((listing) => ({ ...listing, fetch: states.get(listing.name) ?? unknownState }));
}

/** Which resources a list shows. */
export interface ListFilter {
  /** Words that their name or source contains. */
  words?: string | undefined;
  group?: string | undefined;
  state?: FetchState["state"] | undefined;
}

/** The resources of a project, and those of them that a filter leaves. */
export interface Filtered {
  all: States;
  /** In alphabetical order. */
  found: States;
  groups: readonly Group[];
}

/** The names of the resources that a filter leaves, with the state of their fetches. @throws ResourceNotFound (no such group) */
export async function filterResources(
  { words = "", group, state }: ListFilter,
  parts: Pick<ProjectCall, "fetches" | "groups" | "sources">,
): Promise<Filtered> {
  const [all, groups, sourceOf] = await Promise.all([parts.fetches.states(), parts.groups(), parts.sources()]);
  const members = group === undefined ? undefined : requireGroup(group, groups).resources;
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const found = [...all].filter(([name, fetch]) => {
    const text = `${name} ${sourceOf.get(name) ?? ""}`.toLowerCase();
    const isInGroup = members === undefined || members.includes(name);
    return isInGroup && (state === undefined || fetch.state === state) && wanted.every((word) => text.includes(word));
  });
  return { all, found: new Map(found.toSorted(([a], [b]) => a.localeCompare(b, "en"))), groups };
}

/** @throws ResourceNotFound */
function requireGroup(name: string, groups: readonly Group[]): Group {
  const plain = name.replace(/^@/, "").toLowerCase();
  const found = groups.find((group) => group.name.toLowerCase() === plain);
  if (found !== undefined) return found;
  throw new CitewellError("ResourceNotFound", `no group named ${quoteValue(name)}`, {
    hint:
      groups.length === 0 ? "there are no groups" : `the groups are ${groups.map((one) => `@${one.name}`).join(", ")}`,
  });
}

/** The state of a resource's fetch. */
export async function fetchOf(name: string, fetches: Fetches): Promise<FetchState> {
  return (await fetches.states()).get(name) ?? unknownState;
}

/**
 * Requests the newest revisions of a resource, of a group's resources, or of all. @returns which, with their state.
 * @throws ResourceNotFound
 */
export async function requestSync(name: string | undefined, call: ProjectCall): Promise<HostedResource[]> {
  if (name === undefined) {
    await call.fetches.request();
    return listFetched(call);
  }
  const unusable = (await call.unreadable()).find((one) => one.name === name);
  if (unusable !== undefined) throw unreadableError(unusable);
  const states = await call.fetches.states();
  const { about } = states.has(name) ? { about: [name] } : await selectResources([name], call);
  const names = about.filter((one) => states.has(one));
  if (names.length === 0) throw new CitewellError("ResourceNotFound", `no resource named ${quoteValue(name)}`);
  await call.fetches.request(names);
  return (await listFetched(call)).filter((resource) => names.includes(resource.name));
}

const unknownState: FetchState = {
  state: "waiting",
  since: null,
  failure: null,
  nextTryAt: null,
  needsToken: null,
  progress: null,
};

/** The resources that the arguments of a call name. */
export const NamedResources = z
  .object({
    resources: z.array(z.string()).default([]),
    resource: z.string().optional(),
    before: z.string().optional(),
  })
  .transform(({ resources, resource, before }) => [
    ...resources,
    ...[resource, before].filter((name) => name !== undefined),
  ]);

/** The smallest group with all of some resources. */
export function groupWith(names: readonly string[], groups: readonly Group[]): string | undefined {
  const wider = groups.filter(({ resources }) => names.every((name) => resources.includes(name)));
  const smallest = wider.toSorted((a, b) => a.resources.length - b.resources.length)[0];
  return smallest && `@${smallest.name}`;
}

/** What a request is about. */
export interface Selection {
  /** The names that it passes on; none if it names a group: then `parts` has its resources only. */
  names: readonly string[];
  /** All names, with those of the resources of groups; none: all resources. */
  about: readonly string[];
  parts: ProjectParts;
  /** What was read of all resources for it, as `requireKnown` needs them. */
  states?: States | undefined;
}

/**
 * The resources that names mean. A name that no resource has may be a group's, with or without its `@`. The resources of a
 * group are opened as all of a project are: one that is away does not end a question about the others.
 * @throws ResourceNotFound (no such group)
 */
export async function selectResources(names: readonly string[], parts: ProjectParts): Promise<Selection> {
  if (names.length === 0) return { names, about: names, parts };
  const states = await parts.fetches.statesForQuestion(names.map((name) => splitRevision(name).name));
  const own: Selection = { names, about: names, parts, states };
  const isKnown = (name: string) => states.has(name) || states.has(splitRevision(name).name);
  const unknown = names.filter((name) => !isKnown(name));
  if (unknown.length === 0 && names.length <= limits.resourcesPerRequest) return own;
  const groups = await parts.groups();
  const isGroup = (name: string) => groups.some((group) => group.name.toLowerCase() === name.toLowerCase());
  const membersOf = (name: string) =>
    name.startsWith("@") || isGroup(name) ? requireGroup(name, groups).resources : [name];
  const about = [...new Set(names.flatMap((name) => (isKnown(name) ? [name] : membersOf(name))))];
  // Names of nothing are refused where they are read.
  if (unknown.some((name) => about.includes(name))) return { names: about, about, parts };
  const revision = about.find((name) => !states.has(name));
  if (revision !== undefined) {
    throw new CitewellError("InvalidRequest", `${quoteValue(revision)} cannot be named together with a group`, {
      hint: "a group is read at the registered revisions: name its resources one by one",
    });
  }
  return { names: [], about, parts: parts.narrowTo(about) };
}

/** The state of the fetches of some resources, by name. */
export type States = ReadonlyMap<string, FetchState>;

/**
 * The named resources, or all, with the state of their fetches, which `selectResources` may have read. Only registered ones are allowed, also at another revision
 * (`zod@v3`), although the operations can open others.
 * @throws ResourceNotFound, ResourceNotOffered
 */
export async function requireKnown(
  names: readonly string[],
  { fetches, unreadable }: Pick<ProjectCall, "fetches" | "unreadable">,
  read?: States,
): Promise<States> {
  const named = new Set(names.map((name) => splitRevision(name).name));
  const [states, unusable] = await Promise.all([read ?? fetches.statesForQuestion([...named]), unreadable()]);
  const namedUnusable = unusable.find(({ name }) => named.has(name));
  if (namedUnusable !== undefined) throw unreadableError(namedUnusable);
  const unknown = names.find((name) => !states.has(splitRevision(name).name));
  if (unknown !== undefined) throw new CitewellError("ResourceNotFound", `no resource named ${quoteValue(unknown)}`);
  const isUsable = (name: string) => unusable.every((one) => one.name !== name);
  return new Map([...states].filter(([name]) => (named.size === 0 ? isUsable(name) : named.has(name))));
}

export function unreadableError({ name, reason }: UnreadableResource): CitewellError {
  return new CitewellError("ResourceNotOffered", `${quoteValue(name)} cannot be used: ${reason}`, {
    hint: "an admin of the project can remove the resource, or the operator updates the service",
  });
}

/** Refuses a question about all resources where there are none. @throws ResourceNotFound */
export function requireSome(asked: States): void {
  if (asked.size > 0) return;
  throw new CitewellError("ResourceNotFound", "there is no resource to answer from", {
    hint: "an admin of the project adds a repository or a package first",
  });
}

/** The resources that are answered from their last snapshot, because their last fetch failed. */
export async function findOutdated(
  asked: States,
  { app, signal }: Pick<ProjectCall, "app" | "signal">,
): Promise<{ name: string; fetch: FetchState }[]> {
  const failed = [...asked].filter(([, { state }]) => state === "failed");
  if (failed.length === 0) return [];
  const { resources } = await app.listResources({}, { signal });
  const onDisk = new Set(resources.filter(({ revision }) => revision !== null).map(({ name }) => name));
  return failed.filter(([name]) => onDisk.has(name)).map(([name, fetch]) => ({ name, fetch }));
}
