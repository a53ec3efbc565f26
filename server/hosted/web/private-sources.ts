import path from "node:path";
import { gitEnvironment } from "../../config/environment.ts";
import type { TenantSources } from "../../tenant.ts";
import type { GitHubApp } from "../github/github-app.ts";
import { readInstallationAccess } from "../github/installations.ts";
import { credentialVariables, findAccess, type GitAccess, gitHostOf, readGitAccess } from "../secrets/git-access.ts";
import type { SealingKeys } from "../secrets/sealing-keys.ts";
import type { Queries } from "../store/store.ts";
import type { ProjectServices } from "./project-app.ts";

/** The folder of what was fetched with a project's tokens: nobody else's snapshots are there. */
export function privateFolder(dataDirectory: string, project: string): string {
  return path.join(dataDirectory, "projects", project, "private");
}

/** What reading a project's private repositories needs. */
export interface AccessServices {
  keys: SealingKeys;
  githubApp: GitHubApp | undefined;
}

/** What a project reads repositories with: its tokens, and the GitHub accounts that it is connected to. */
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
 * The repositories that a project has a token or a GitHub account for: these are fetched with it, and kept for the project
 * alone, public ones too. Undefined without any.
 */
export function openPrivateSources(
  { config, location }: ProjectServices,
  project: string,
  accesses: readonly GitAccess[],
): TenantSources | undefined {
  if (accesses.length === 0) return undefined;
  const environment = gitEnvironment(location);
  return {
    directory: privateFolder(config.dataDirectory, project),
    includes: (target) => "url" in target && findAccess(accesses, target.url) !== undefined,
    async gitEnvironmentFor(url, { signal }) {
      const credential = await findAccess(accesses, url)?.open(url, { signal });
      if (credential === undefined) return environment;
      return { ...environment, ...credentialVariables({ host: gitHostOf(url), credential }) };
    },
  };
}
