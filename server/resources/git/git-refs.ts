import { CitewellError } from "../../errors.ts";
import { nearest } from "../../lib/nearest.ts";
import type { BranchList } from "../../protocol/resource.ts";
import type { GitLimits } from "./git-call.ts";
import { outsideRepository, anyDirectory } from "./git-environment.ts";
import type { GitRoutes } from "./git-routes.ts";
import type { GitRunner } from "./run-git.ts";

/** What a branch or tag of a repository points to. */
export interface Revision {
  /** The branch or tag, without `refs/…`. */
  branch: string;
  /** The full id of the commit. */
  commit: string;
}

/** What a one-off URL without a branch is tried with, in this order (spec/service.md, "One-off resources"). */
export const usualBranches = ["main", "master", "trunk", "dev"];

export interface GitRefs {
  /**
   * The first of the branches that is there (a branch goes before a tag of the same name).
   * @throws BranchNotFound with the branches that are there, and what `reach` of git-routes throws
   */
  find(
    url: string,
    branches: readonly string[],
    options: { signal: AbortSignal; isOneOff: boolean },
  ): Promise<Revision>;
  /** What the host has, in its order. @throws what `reach` of git-routes throws */
  list(url: string, options: { signal: AbortSignal }): Promise<BranchList>;
}

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
        // An annotated tag is an object of its own; what it points to is listed with ^{}.
        const commit =
          refs.get(`refs/heads/${branch}`) ?? refs.get(`refs/tags/${branch}^{}`) ?? refs.get(`refs/tags/${branch}`);
        if (commit !== undefined) return { branch, commit };
      }
      const all = await list(url, ["HEAD", "refs/heads/*"], signal);
      throw branchNotFound(url, branches, { refs: all, isOneOff });
    },
    async list(url, { signal }) {
      const refs = await list(url, ["HEAD", "refs/heads/*", "refs/tags/*"], signal);
      const branches = namesBelow("refs/heads/", refs);
      // Several may stand where HEAD does.
      const likely = [...usualBranches.filter((branch) => branches.includes(branch)), ...branches];
      const main = likely.find((branch) => refs.get(`refs/heads/${branch}`) === refs.get("HEAD")) ?? null;
      const tags = namesBelow("refs/tags/", refs).filter((tag) => !tag.endsWith("^{}"));
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
          purpose: `asking ${route.url} for its branches`,
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
  if (isOneOff) {
    return new CitewellError("BranchNotFound", `${url} has none of the branches ${wanted.join(", ")}`, {
      hint: `add it as a named resource: citewell add ${url} --branch NAME, where NAME is one of ${there}`,
    });
  }
  return new CitewellError("BranchNotFound", `${url} has no branch or tag ${JSON.stringify(wanted[0])}`, {
    hint: `branches: ${there}`,
  });
}

/** Names like the wanted one, then the repository's main branch, then the others. */
function bestFirst(
  heads: string[],
  { wanted, main, refs }: { wanted: string; main: string | undefined; refs: Map<string, string> },
): string[] {
  const mains = heads.filter((head) => main !== undefined && refs.get(`refs/heads/${head}`) === main);
  return [...new Set([...nearest(wanted, heads), ...mains, ...heads])];
}
