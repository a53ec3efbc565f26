import { CitewellError, messageOf } from "../../errors.ts";
import { untilAborted } from "../../lib/abort.ts";
import type { Context } from "../../operations/context.ts";
import type { Handlers } from "../../protocol/operations.ts";
import { isLoginFailure } from "../../resources/git/git-failures.ts";
import type { OnProgress } from "../../resources/source.ts";
import { foldEvents } from "../../transports/fold-events.ts";
import { findAccess, type GitAccess, gitHostOf, recordAccessUse } from "../secrets/git-access.ts";
import { firstRow } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import { type AccessServices, readAccess } from "./private-sources.ts";
import { unreadableError } from "./registered.ts";
import { readStored, StoredResource } from "./stored-spec.ts";

/** What the fetch of a resource works with. */
export interface FetchServices extends AccessServices {
  store: Store;
  /** The operations of the project. */
  app: Pick<Handlers, "refreshResource">;
}

/**
 * Fetches the newest revision of a project's resource. Records whether the token or GitHub account that was used still
 * works, or which host needs one.
 * @throws what opening throws; SecretsKeyInvalid, ResourceNotOffered
 */
export async function fetchResource(
  { app, ...services }: FetchServices,
  { project, resource }: { project: string; resource: string },
  { signal, onProgress }: { signal: AbortSignal; onProgress?: OnProgress | undefined },
): Promise<void> {
  const { store } = services;
  const [stored, accesses] = await store.asProject(project, (queries) =>
    Promise.all([readSpec(queries, { project, resource }), readAccess(queries, { ...services, project })]),
  );
  if (stored !== undefined && "unreadable" in stored) throw unreadableError(stored.unreadable);
  const url = stored !== undefined && "url" in stored.spec ? stored.spec.url : undefined;
  const access = url === undefined ? undefined : findAccess(accesses, url);
  let error: unknown;
  let isOpened = false;
  try {
    // Without it, git would report a repository that needs a login.
    if (url !== undefined) await access?.open(url, { signal });
    isOpened = true;
    await foldEvents("refreshResource", app.refreshResource({ name: resource }, { signal }), {
      signal,
      onEvent: (event) => event.type === "progress" && onProgress?.(event),
    });
  } catch (failure) {
    signal.throwIfAborted();
    error = access === undefined ? failure : explain(failure, access);
  }
  const isMissing = error instanceof CitewellError && error.tag === "RepositoryNotFound";
  await store.asProject(project, async (queries) => {
    await queries.query("update job set needs_token = $3 where project = $1 and resource = $2", [
      project,
      resource,
      isMissing && access === undefined && url !== undefined ? gitHostOf(url) : null,
    ]);
    if (access === undefined) return;
    // Other failures do not mean that the token is invalid, and one unreadable repository does not mean that the app was removed.
    const isRefused = access.table === "git_token" ? isMissing && isLoginFailure(error) : !isOpened;
    if (error === undefined || isRefused) {
      await recordAccessUse(queries, { project, access, failure: isRefused ? messageOf(error) : undefined });
    }
  });
  if (error !== undefined) throw error;
}

/** Records the size of the current snapshot of a resource on disk, which counts for its project. */
export async function recordDiskBytes(
  store: Pick<Store, "asProject">,
  { tenant: { config, resources } }: Context,
  { project, resource, signal }: { project: string; resource: string; signal: AbortSignal },
): Promise<void> {
  const spec = config.resources.find(({ name }) => name === resource);
  const { diskBytes = null } = spec === undefined ? {} : await resources.describe(spec, { signal });
  await store.asProject(project, ({ query }) =>
    query("update resource set disk_bytes = $3 where project = $1 and name = $2", [project, resource, diskBytes]),
  );
}

/** Indexes the current snapshot of a resource ahead of its first question. A failure is only logged, because questions index too. */
export async function indexResource(
  { tenant: { config, resources }, node: { retrieval }, log }: Context,
  resource: string,
  { signal, onProgress = () => {} }: { signal: AbortSignal; onProgress?: OnProgress | undefined },
): Promise<void> {
  const spec = config.resources.find(({ name }) => name === resource);
  try {
    await using snapshot = spec && (await resources.openStored(spec, { signal }));
    if (snapshot === undefined) return;
    const { length: count } = snapshot.files;
    const reportIndexed = (fraction: number) =>
      onProgress({ phase: "index", fraction, message: `indexing ${Math.round(fraction * count)} of ${count} files` });
    reportIndexed(0);
    await using preparation = retrieval.prepare(snapshot, { onProgress: reportIndexed });
    await untilAborted(preparation.done, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.warn("resource-not-indexed", { resource, error: messageOf(error) });
  }
}

async function readSpec({ query }: Queries, { project, resource }: { project: string; resource: string }) {
  const result = await query("select name, spec from resource where project = $1 and name = $2", [project, resource]);
  const row = firstRow(StoredResource, result);
  return row && readStored(row);
}

/** Adds to a failure the role of the token or the account in it. */
function explain(error: unknown, { table, host, name }: GitAccess): unknown {
  if (!(error instanceof CitewellError) || error.tag !== "RepositoryNotFound") return error;
  const { cause } = error;
  if (table === "github_installation") {
    const message = `${error.message}, or the GitHub App of ${name} may not read it`;
    const hint = `an owner of ${name} can give the app access in the settings of the account, under GitHub Apps`;
    return new CitewellError("RepositoryNotFound", message, { hint, cause });
  }
  const message = isLoginFailure(error)
    ? `${host} refused the project's token "${name}": it has expired, was revoked, or may not read this repository`
    : `${error.message}, or the project's token "${name}" may not read it`;
  return new CitewellError("RepositoryNotFound", message, {
    hint: "replace the token, or give it access to the repository",
    cause,
  });
}
