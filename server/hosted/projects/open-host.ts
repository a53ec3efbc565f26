import type { HostKind } from "../../protocol/followed-accounts.ts";
import { type GitHost, openGitHost, openInstallation } from "../git-hosts/git-host.ts";
import type { HostFetches } from "../git-hosts/host-fetches.ts";
import { findAccess, type GitAccess } from "../secrets/git-access.ts";
import type { Store } from "../store/store.ts";
import { type AccessServices, readAccess } from "./private-sources.ts";

/** What the APIs of git hosts are read with. */
export interface HostServices extends AccessServices {
  store: Store;
  fetches: HostFetches;
  /** Hosts that may have a private address. */
  allowHosts: readonly string[];
}

/** An account of a git host: an organization, a group, a workspace or a person. */
export interface HostPlace {
  kind: HostKind;
  host: string;
  account: string;
}

/**
 * The API of a host with what a project has for an account there: its token or its connection to GitHub; undefined if it has
 * neither. @throws SecretsKeyInvalid, RepositoryFailed (GitHub makes no token)
 */
export async function openHost(
  { store, keys, githubApp, fetches, allowHosts }: HostServices,
  project: string,
  { kind, host, account }: HostPlace,
  { signal }: { signal: AbortSignal },
): Promise<{ api: GitHost; access: GitAccess | undefined }> {
  const accesses = await store.asProject(project, (queries) => readAccess(queries, { keys, githubApp, project }));
  const access = findAccess(accesses, `https://${host}/${account}/any`);
  const credential = await access?.openApi({ signal });
  const options = { host, credential, allowHosts, ...fetches };
  const isInstallation = access?.table === "github_installation";
  return { api: isInstallation ? openInstallation(options) : openGitHost({ ...options, kind }), access };
}
