import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import type { FetchState, HostedResource, UnreadableResource } from "../../protocol/hosted.ts";
import type { Handlers } from "../../protocol/operations.ts";
import { splitRevision } from "../../protocol/resource-fields.ts";
import { quoteValue } from "../../protocol/validation.ts";
import type { Fetches } from "../jobs/fetches.ts";
import type { OpenProject } from "./project-app.ts";

/** What a call about a project's resources works with. */
export interface ProjectCall extends Pick<OpenProject, "fetches" | "unreadable"> {
  app: Handlers;
  signal: AbortSignal;
}

/** The resources of the project with the state of their fetches. */
export async function listFetched({ app, fetches, signal }: ProjectCall): Promise<HostedResource[]> {
  const { resources } = await app.listResources({}, { signal });
  const states = await fetches.states();
  return resources.map((listing) => ({ ...listing, fetch: states.get(listing.name) ?? unknownState }));
}

/** The state of a resource's fetch. */
export async function fetchOf(name: string, fetches: Fetches): Promise<FetchState> {
  return (await fetches.states()).get(name) ?? unknownState;
}

/** Requests the newest revision of a resource, or of all. @returns which, with their state. @throws ResourceNotFound */
export async function requestSync(name: string | undefined, call: ProjectCall): Promise<HostedResource[]> {
  const unusable = (await call.unreadable()).find((one) => one.name === name);
  if (unusable !== undefined) throw unreadableError(unusable);
  const chosen = (resources: readonly HostedResource[]) =>
    resources.filter((resource) => name === undefined || resource.name === name);
  if (name !== undefined && chosen(await listFetched(call)).length === 0) {
    throw new CitewellError("ResourceNotFound", `no resource named ${quoteValue(name)}`);
  }
  await call.fetches.request(name === undefined ? undefined : [name]);
  return chosen(await listFetched(call));
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

/** The state of the fetches of some resources, by name. */
export type States = ReadonlyMap<string, FetchState>;

/**
 * The named resources, or all, with the state of their fetches. Only registered ones are allowed, also at another revision
 * (`zod@v3`), although the operations can open others.
 * @throws ResourceNotFound, ResourceNotOffered
 */
export async function requireKnown(
  names: readonly string[],
  { fetches, unreadable }: Pick<ProjectCall, "fetches" | "unreadable">,
): Promise<States> {
  const named = new Set(names.map((name) => splitRevision(name).name));
  const [states, unusable] = await Promise.all([fetches.statesForQuestion([...named]), unreadable()]);
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
