import { readdir } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { gitEnvironment } from "../../config/environment.ts";
import type { Node } from "../../node.ts";
import type { TenantSources } from "../../tenant.ts";
import type { GitHubApp } from "../github/github-app.ts";
import { readInstallationAccess } from "../github/installations.ts";
import { credentialVariables, findAccess, type GitAccess, gitHostOf, readGitAccess } from "../secrets/git-access.ts";
import type { SealingKeys } from "../secrets/sealing-keys.ts";
import { allRows } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import type { ProjectServices } from "./project-app.ts";

/** Services for reading a project's private repositories. */
export interface AccessServices {
  keys: SealingKeys;
  githubApp: GitHubApp | undefined;
}

/** The credentials of a project: its tokens and its connected GitHub accounts. */
export async function readAccess(
  queries: Pick<Queries, "query">,
  { keys, githubApp, project }: AccessServices & { project: string },
): Promise<GitAccess[]> {
  const [tokens, accounts] = await Promise.all([
    readGitAccess(queries, { keys, project }),
    githubApp === undefined ? [] : readInstallationAccess(queries, { app: githubApp, project }),
  ]);
  return [...tokens, ...accounts];
}

/**
 * The repositories that a project has a token or a GitHub account for. They are fetched with it and kept for the
 * project only, including public ones. Each token and account has its own folder, so that snapshots fetched with a
 * removed one are not read with another.
 */
export function openPrivateSources(
  { config, location }: ProjectServices,
  project: string,
  accesses: readonly GitAccess[],
): TenantSources[] {
  const environment = gitEnvironment(location);
  return accesses.map(({ id }) => ({
    directory: path.join(privateFolder(config.dataDirectory, project), id),
    includes: (target) => "url" in target && findAccess(accesses, target.url)?.id === id,
    async gitEnvironmentFor(url, { signal }) {
      const credential = await findAccess(accesses, url)?.open(url, { signal });
      if (credential === undefined) return environment;
      return { ...environment, ...credentialVariables({ host: gitHostOf(url), credential }) };
    },
  }));
}

/** The folders of private repositories. */
interface PrivateStores {
  store: Pick<Store, "asProject">;
  node: Pick<Node, "privateStore">;
  dataDirectory: string;
}

/** Removes what was fetched with tokens and accounts that projects had when this node last ran. */
export async function removeOldPrivate(stores: PrivateStores): Promise<void> {
  const names = await readdir(path.join(stores.dataDirectory, "projects")).catch(() => []);
  for (const project of names.filter((name) => z.uuid().safeParse(name).success)) {
    await removeUnusedPrivate(stores, project);
  }
}

/**
 * Removes what was fetched with tokens and accounts that a project has no more. Snapshots that a question reads stay.
 */
export async function removeUnusedPrivate(
  { store, node, dataDirectory }: PrivateStores,
  project: string,
): Promise<void> {
  const folder = privateFolder(dataDirectory, project);
  const stored = await readdir(folder).catch(() => []);
  if (stored.length === 0) return;
  const result = await store.asProject(project, ({ query }) =>
    query(
      `select id from git_token where project = $1 union all select id from github_installation where project = $1`,
      [project],
    ),
  );
  const used = new Set(allRows(z.object({ id: z.string() }), result).map(({ id }) => id));
  for (const id of stored) if (!used.has(id)) await node.privateStore(path.join(folder, id)).clear();
}

function privateFolder(dataDirectory: string, project: string): string {
  return path.join(dataDirectory, "projects", project, "private");
}
