import path from "node:path";
import { gitEnvironment } from "../../config/environment.ts";
import { messageOf } from "../../errors.ts";
import type { TenantSources } from "../../tenant.ts";
import { credentialVariables, type GitAccess } from "../secrets/git-access.ts";
import { gitHostOf } from "../secrets/git-tokens.ts";
import type { ProjectServices } from "./project-app.ts";

/** The folder of what was fetched with a project's tokens: nobody else's snapshots are there. */
export function privateFolder(dataDirectory: string, project: string): string {
  return path.join(dataDirectory, "projects", project, "private");
}

/**
 * The repositories of the hosts that a project has tokens for: these are fetched with them, and kept for the project alone,
 * public ones too. Undefined without tokens. A token that does not open is left out; the fetch job reports it.
 */
export async function openPrivateSources(
  { config, location, log }: ProjectServices,
  project: string,
  tokens: readonly GitAccess[],
): Promise<TenantSources | undefined> {
  if (tokens.length === 0) return undefined;
  const hosts = new Set(tokens.map(({ host }) => host));
  const credentials: { host: string; credential: string }[] = [];
  for (const { host, open } of tokens) {
    try {
      credentials.push({ host, credential: await open() });
    } catch (error) {
      log.warn("git-token-unreadable", { project, host, error: messageOf(error) });
    }
  }
  return {
    directory: privateFolder(config.dataDirectory, project),
    includes: (target) => "url" in target && hosts.has(gitHostOf(target.url)),
    gitEnvironment: { ...gitEnvironment(location), ...credentialVariables(credentials) },
  };
}
