import type { HostKind } from "../../protocol/followed-accounts.ts";
import { createBitbucket } from "./bitbucket.ts";
import { createGitea } from "./gitea.ts";
import { createGitHub, createGitHubInstallation } from "./github.ts";
import { createGitLab } from "./gitlab.ts";
import { createHostClient, type HostClient, type HostClientOptions } from "./host-client.ts";

/** A repository as its host lists it. */
export interface ListedRepository {
  /** The host's own id, which stays when the repository is renamed. */
  id: string;
  /** With the account: `acme/lib`, `acme/team/lib`. */
  fullName: string;
  /** As git fetches it, without credentials. */
  cloneUrl: string;
  /** Null if the host does not say, or nothing was pushed. */
  defaultBranch: string | null;
  isArchived: boolean;
  isFork: boolean;
  /** Nothing was pushed yet. False if the host does not say. */
  isEmpty: boolean;
  isPrivate: boolean;
  /** Null if the host does not say. */
  sizeBytes: number | null;
}

/** A person at a git host. */
export interface HostPerson {
  /** Stays when the person changes the name. */
  id: string;
  login: string;
}

/** The API of a git host, for one credential. */
export interface GitHost {
  /**
   * All repositories of an account that the credential may see: of an organization or a person, a group with its
   * subgroups, or a workspace. The list is complete: if the host reports more than it returned, this fails.
   * @throws AccountNotFound, AddressNotAllowed, RepositoryFailed, RepositoryTimeout
   */
  list(account: string, options: { signal: AbortSignal }): Promise<ListedRepository[]>;
  /**
   * The ids of the people whom the host names as readers of the code of a repository. Undefined if the host shows the
   * credential no such repository. Those who read it only because it is public are not named.
   * @param repository with the account: `acme/lib`, `acme/team/lib`
   * @throws HostRefusal (the credential may not see the people), AddressNotAllowed, RepositoryFailed, RepositoryTimeout
   */
  readersOf(repository: string, options: { signal: AbortSignal }): Promise<ReadonlySet<string> | undefined>;
  /** The person whose credential it is. @throws AddressNotAllowed, RepositoryFailed, RepositoryTimeout */
  person(options: { signal: AbortSignal }): Promise<HostPerson>;
}

const openers: Readonly<Record<HostKind, (client: HostClient) => GitHost>> = {
  github: createGitHub,
  gitlab: createGitLab,
  gitea: createGitea,
  bitbucket: createBitbucket,
};

/** The API of a host. The credential is sent to this API only. */
export function openGitHost(options: HostClientOptions): GitHost {
  return openers[options.kind](createHostClient(options));
}

/** GitHub's API for an installation of a GitHub App: its account is listed as far as the app was given access. */
export function openInstallation(options: Omit<HostClientOptions, "kind">): GitHost {
  return createGitHubInstallation(createHostClient({ kind: "github", ...options }));
}
