import * as z from "zod";
import type { App } from "../../app.ts";
import { CitewellError, messageOf } from "../../errors.ts";
import { untilAborted } from "../../lib/abort.ts";
import type { Context } from "../../operations/context.ts";
import { isLoginFailure } from "../../resources/git/git-failures.ts";
import type { OnProgress } from "../../resources/source.ts";
import { foldEvents } from "../../transports/fold-events.ts";
import { type GitAccess, readGitAccess, recordTokenUse } from "../secrets/git-access.ts";
import { gitHostOf } from "../secrets/git-tokens.ts";
import type { SealingKeys } from "../secrets/sealing-keys.ts";
import { firstRow } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";

/** What the fetch of a resource works with. */
export interface FetchServices {
  store: Store;
  keys: SealingKeys;
  /** The operations of the project. */
  app: App;
}

/**
 * Fetches the newest revision of a project's resource, and records what became of the token that was used, or which host
 * needs one.
 * @throws what opening throws; SecretsKeyInvalid
 */
export async function fetchResource(
  { store, keys, app }: FetchServices,
  { project, resource }: { project: string; resource: string },
  { signal, onProgress }: { signal: AbortSignal; onProgress?: OnProgress | undefined },
): Promise<void> {
  const [host, tokens] = await store.asProject(project, (queries) =>
    Promise.all([hostOf(queries, { project, resource }), readGitAccess(queries, { keys, project })]),
  );
  const token = tokens.find((one) => one.host === host);
  let error: unknown;
  try {
    // Without it, git would report a repository that needs a login.
    await token?.open();
    await foldEvents("refreshResource", app.refreshResource({ name: resource }, { signal }), {
      signal,
      onEvent: (event) => event.type === "progress" && onProgress?.(event),
    });
  } catch (failure) {
    signal.throwIfAborted();
    error = token === undefined ? failure : explain(failure, token);
  }
  const isMissing = error instanceof CitewellError && error.tag === "RepositoryNotFound";
  await store.asProject(project, async (queries) => {
    await queries.query("update job set needs_token = $3 where project = $1 and resource = $2", [
      project,
      resource,
      isMissing && token === undefined ? (host ?? null) : null,
    ]);
    // Other failures say nothing of the token.
    const isRefused = isMissing && isLoginFailure(error);
    if (token !== undefined && (error === undefined || isRefused)) {
      await recordTokenUse(queries, { project, token, failure: isRefused ? messageOf(error) : undefined });
    }
  });
  if (error !== undefined) throw error;
}

/** Indexes the current snapshot of a resource, so that its first questions need not. A failure is logged: they try again. */
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

async function hostOf({ query }: Queries, { project, resource }: { project: string; resource: string }) {
  const result = await query("select spec->>'url' as url from resource where project = $1 and name = $2", [
    project,
    resource,
  ]);
  const url = firstRow(z.object({ url: z.string().nullable() }), result)?.url ?? undefined;
  return url === undefined ? undefined : gitHostOf(url);
}

/** The same failure, with what the token has to do with it. */
function explain(error: unknown, { host, name }: GitAccess): unknown {
  if (!(error instanceof CitewellError) || error.tag !== "RepositoryNotFound") return error;
  const message = isLoginFailure(error)
    ? `${host} refused the project's token "${name}": it has expired, was revoked, or may not read this repository`
    : `${error.message}, or the project's token "${name}" may not read it`;
  return new CitewellError("RepositoryNotFound", message, {
    hint: "replace the token, or give it access to the repository",
    cause: error.cause,
  });
}
