import { verifyText } from "../citations/verify-text.ts";
import type { VerifyReply, VerifyRequest } from "../protocol/verify.ts";
import type { Resources } from "../resources/resources.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { openTargetsQuietly } from "./open.ts";
import type { KnownResources } from "./known-resources.ts";
import { nameOf, type Places, selectTargets } from "./targets.ts";

export interface VerifyContext {
  known: KnownResources;
  places: Places;
  resources: Resources;
}

/** A text may name any number of commits; no more than these are fetched. */
const commitLimit = 20;

/** What a text cites, checked against the resources that a question would be asked of. Asks no model. */
export async function verify(
  { text, resources: asked = [] }: VerifyRequest,
  { known, places, resources }: VerifyContext,
  { signal }: { signal: AbortSignal },
): Promise<VerifyReply> {
  const targets = selectTargets(asked, known, places);
  const owned: Snapshot[] = [];
  const own = (snapshot: Snapshot) => owned.push(snapshot);
  const atCommit = new Map<string, Promise<Snapshot | undefined>>();

  /** Fetched for this check only; what cannot be had counts as another revision than the one that is there. */
  const openAt = (resource: string, commit: string): Promise<Snapshot | undefined> => {
    const key = `${resource}\0${commit}`;
    const opening = atCommit.get(key) ?? openCommit(resource, commit);
    if (atCommit.size < commitLimit) atCommit.set(key, opening);
    return opening;
  };
  const openCommit = async (resource: string, commit: string): Promise<Snapshot | undefined> => {
    const target = targets.find((candidate) => nameOf(candidate) === resource);
    if (target?.type !== "git" || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit) || atCommit.size >= commitLimit) {
      return undefined;
    }
    try {
      const snapshot = await resources.open(
        { type: "git", canonical: resource, url: target.url, branch: commit },
        { signal },
      );
      own(snapshot);
      return snapshot;
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  };
  try {
    const { snapshots } = await openTargetsQuietly(targets, { resources, areNamed: asked.length > 0, own, signal });
    const citations = await verifyText(text, { snapshots, openAt, signal });
    return { citations, snapshots: snapshots.map(({ info }) => info) };
  } finally {
    await Promise.all(owned.map((snapshot) => snapshot[Symbol.asyncDispose]()));
  }
}
