import { CitewellError } from "../../errors.ts";
import { nearest } from "../../lib/nearest.ts";
import type { BranchList } from "../../protocol/resource.ts";
import type { GitLimits } from "./git-call.ts";
import { outsideRepository, anyDirectory } from "./git-environment.ts";
import type { GitRoutes } from "./git-routes.ts";
import type { GitRunner } from "./run-git.ts";

/** A branch or tag, and its commit. */
export interface Revision {
  /** The branch without `refs/…`. */
  branch: string;
  /** The full id of the commit. */
  commit: string;
}

/** The branches tried for a one-off URL without a branch, in this order (docs/contract.md, "One-off resources"). */
export const usualBranches = ["main", "master", "trunk", "dev"];

/** Reads branches and tags from the host. */
export interface GitRefs {
  /**
   * The first of the branches that exists (a branch takes precedence over a tag of the same name).
   * @throws BranchNotFound with the existing branches, and the errors of `reach` in git-routes
   */
  find(
    url: string,
    branches: readonly string[],
    options: { signal: AbortSignal; isOneOff: boolean },
  ): Promise<Revision>;
  /** Contacts the host and fails unless the repository can be read. @throws the errors of `reach` in git-routes */
  check(url: string, options: { signal: AbortSignal }): Promise<void>;
  /** The host's branches and tags, in its order. @throws the errors of `reach` in git-routes */
  list(url: string, options: { signal: AbortSignal }): Promise<BranchList>;
}

/** Reads branches and tags with `git ls-remote`. */
export function createGitRefs({
  runner,
  routes,
  limits,
}: {
  runner: GitRunner;
  routes: GitRoutes;
  limits: GitLimits;
}): GitRefs {
  return {
    async find(url, branches, { signal, isOneOff }) {
      const patterns = branches.flatMap((branch) => [
        `refs/heads/${branch}`,
        `refs/tags/${branch}`,
        `refs/tags/${branch}^{}`,
      ]);
      const refs = await list(url, patterns, signal);
      for (const branch of branches) {
        // An annotated tag is an object of its own; the commit is listed with ^{}.
        const commit =
          refs.get(`refs/heads/${branch}`) ?? refs.get(`refs/tags/${branch}^{}`) ?? refs.get(`refs/tags/${branch}`);
        if (commit !== undefined) return { branch, commit };
      }
      const all = await list(url, ["HEAD", "refs/heads/*", "refs/tags/*"], signal);
      throw branchNotFound(url, branches, { refs: all, isOneOff });
    },
    async check(url, { signal }) {
      await list(url, ["HEAD"], signal);
    },
    async list(url, { signal }) {
      const refs = await list(url, ["HEAD", "refs/heads/*", "refs/tags/*"], signal);
      const branches = namesBelow("refs/heads/", refs);
      // Several branches may point to the commit of HEAD: the usual names come first.
      const likely = [...usualBranches.filter((branch) => branches.includes(branch)), ...branches];
      const main = likely.find((branch) => refs.get(`refs/heads/${branch}`) === refs.get("HEAD")) ?? null;
      const tags = tagsAmong(refs);
      return { main, branches, tags };
    },
  };

  async function list(url: string, patterns: string[], signal: AbortSignal): Promise<Map<string, string>> {
    const { result } = await routes.reach(
      url,
      (route) =>
        runner.run(["ls-remote", "--quiet", "--", route.url, ...patterns], {
          directory: anyDirectory,
          environment: { ...route.environment, ...outsideRepository },
          purpose: `listing the branches of ${route.url}`,
          limits,
          signal,
        }),
      { signal },
    );
    const lines = result.stdout.split("\n").map((line) => line.split("\t"));
    return new Map(lines.flatMap(([commit = "", name = ""]) => (name === "" ? [] : [[name, commit] as const])));
  }
}

function namesBelow(folder: string, refs: ReadonlyMap<string, string>): string[] {
  return [...refs.keys()].flatMap((name) => (name.startsWith(folder) ? [name.slice(folder.length)] : []));
}

/** Annotated ones are listed with their commits, too. */
function tagsAmong(refs: ReadonlyMap<string, string>): string[] {
  return namesBelow("refs/tags/", refs).filter((tag) => !tag.endsWith("^{}"));
}

const shownBranches = 10;

function branchNotFound(
  url: string,
  wanted: readonly string[],
  { refs, isOneOff }: { refs: Map<string, string>; isOneOff: boolean },
): CitewellError {
  const heads = namesBelow("refs/heads/", refs);
  if (heads.length === 0) {
    return new CitewellError("BranchNotFound", `${url} is empty: it has no branch yet`, {
      hint: "push a commit to it, or give another URL",
    });
  }
  const shown = bestFirst(heads, { wanted: wanted[0] ?? "", main: refs.get("HEAD"), refs }).slice(0, shownBranches);
  const there = `${shown.join(", ")}${heads.length > shown.length ? `, … (${heads.length})` : ""}`;
  const [only, another] = wanted;
  if (isOneOff && another !== undefined) {
    return new CitewellError("BranchNotFound", `${url} has none of the branches ${wanted.join(", ")}`, {
      hint: `add it as a named resource: citewell add ${url} --branch NAME, where NAME is one of ${there}`,
    });
  }
  const tags = nearest(only ?? "", tagsAmong(refs));
  return new CitewellError("BranchNotFound", `${url} has no branch or tag ${JSON.stringify(only)}`, {
    hint: `branches: ${there}${tags.length === 0 ? "" : `; tags: ${tags.join(", ")}`}`,
  });
}

/** Similar names first, then the repository's main branch, then the others. */
function bestFirst(
  heads: string[],
  { wanted, main, refs }: { wanted: string; main: string | undefined; refs: Map<string, string> },
): string[] {
  const mains = heads.filter((head) => main !== undefined && refs.get(`refs/heads/${head}`) === main);
  return [...new Set([...nearest(wanted, heads), ...mains, ...heads])];
}
