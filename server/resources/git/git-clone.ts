import { lstat, mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { CitewellError } from "../../errors.ts";
import { renameWhenFree } from "../../lib/rename.ts";
import { ownedName } from "../../lib/owner.ts";
import { createAddressRule, type Lookup } from "./address.ts";
import { gitEnvironment } from "./git-environment.ts";

import { createGitRoutes } from "./git-routes.ts";
import { progressReader } from "./git-tree.ts";
import { requireGit } from "./git-version.ts";
import { createGitRunner } from "./run-git.ts";
import type { OnProgress } from "../source.ts";
import { storing } from "../storage.ts";

/** Where to clone to, and how to reach the host. */
export interface CloneOptions {
  /** The user's environment: PATH, HOME, proxies, certificates. */
  environment: Readonly<Record<string, string>>;
  /** Exact names of git hosts that may have a private address. */
  allowHosts: readonly string[];
  signal: AbortSignal;
  onProgress: OnProgress;
  lookup?: Lookup | undefined;
}

const limits = {
  ask: { silentMs: 30_000, totalMs: 30_000 },
  clone: { silentMs: 60_000, totalMs: 2 * 3600_000 },
};

/**
 * Makes a full clone for the user, with history. The host is reached like that of every repository (address rule,
 * redirects, no prompts, hooks or filters); none of these settings remains in the clone. The clone is complete or
 * absent; an existing file or folder in its place is not touched.
 * @throws AlreadyExists, AddressNotAllowed, RepositoryNotFound, RepositoryFailed, RepositoryTimeout, ToolMissing,
 * StorageFailed
 */
export async function cloneRepository(url: string, directory: string, options: CloneOptions): Promise<void> {
  const { environment, allowHosts, signal, onProgress, lookup } = options;
  await requireAbsent(directory);
  const runner = createGitRunner();
  const rule = createAddressRule({ allowHosts, lookup });
  const routes = createGitRoutes({
    runner,
    rule,
    environmentFor: async () => environment,
    answerMs: limits.ask.totalMs,
  });
  await requireGit(runner, {
    environment: gitEnvironment(environment, { settings: [] }),
    limits: limits.ask,
    signal,
  });
  const parent = path.dirname(directory);
  const unfinished = path.join(parent, ownedName(".clone"));
  await storing(parent, () => mkdir(parent, { recursive: true }));
  try {
    await routes.reach(
      url,
      (route) =>
        runner.run(["clone", "--progress", "--", route.url, unfinished], {
          directory: parent,
          environment: route.environment,
          purpose: `cloning ${url}`,
          limits: limits.clone,
          signal,
          onErrorOutput: progressReader(onProgress),
        }),
      { signal, directory: parent },
    );
    await requireAbsent(directory);
    await storing(directory, () => renameWhenFree(unfinished, directory));
  } finally {
    await rm(unfinished, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * The file with the ignore rules of this computer for the repository around a folder (`info/exclude`), also for a
 * worktree or submodule; undefined outside a repository.
 */
export async function findExcludeFile(
  folder: string,
  { environment, signal }: Pick<CloneOptions, "environment" | "signal">,
): Promise<string | undefined> {
  const { code, stdout } = await createGitRunner().run(["rev-parse", "--git-path", "info/exclude"], {
    directory: folder,
    environment: gitEnvironment(environment, { settings: [] }),
    purpose: "looking for a repository",
    limits: limits.ask,
    signal,
  });
  const file = stdout.replace(/\r?\n$/, "");
  return code === 0 && file !== "" ? path.resolve(folder, file) : undefined;
}

async function requireAbsent(directory: string): Promise<void> {
  const found = await lstat(directory).catch(() => undefined);
  if (found === undefined) return;
  throw new CitewellError("AlreadyExists", `${directory} already exists; nothing was overwritten`, {
    hint: "remove or rename it first",
  });
}
