import { type GitResource, searchPathsOf } from "../../protocol/kinds/git-fields.ts";
import type { GitReference } from "../../protocol/kinds/git.ts";
import { type KindServices, type KindSource, namedTarget, policyOf } from "../kind-source.ts";
import { createGit, type Git, type GitSpec } from "./git.ts";

/** Opens and refreshes resources of the kind `git`; server/protocol/kinds/git.ts has their shapes. */
export function openGitKind(services: KindServices): KindSource<GitResource, GitReference> {
  const { refresh } = services;
  const git = gitOf(services);
  return {
    open: (target, options) => git.open(toGitSpec(target), { ...policyOf(target, refresh), ...options }),
    openStored: (target, options) =>
      git.openStored(toGitSpec(target), { isOneOff: policyOf(target, refresh).isOneOff, ...options }),
    openHistory: (target, options) => git.openHistory(toGitSpec(target), options),
    refresh: (spec, options) => git.refresh(toGitSpec(spec), options),
    describe: (spec) => git.describe(toGitSpec(spec), policyOf(spec, refresh)),
    listBranches: (url, options) => git.listBranches(url, options),
  };
}

/** Git, with the settings and credentials of the user. */
export function gitOf({
  store,
  allowHosts,
  gitEnvironment: environment,
  gitEnvironmentFor: environmentFor,
  location: { isAnonymous: hidesNetwork },
  now,
}: KindServices): Git {
  return createGit({ environment, environmentFor, allowHosts, hidesNetwork, store, now });
}

function toGitSpec(target: GitResource | GitReference): GitSpec {
  const { url, branch } = target;
  return { ...namedTarget(target), url, branch, searchPaths: searchPathsOf(target) };
}
