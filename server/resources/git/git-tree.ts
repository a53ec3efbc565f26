import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { searchPathNotFound } from "../search-paths.ts";
import { fileSizeLimitBytes, type SkippedFile } from "../snapshot.ts";
import type { OnProgress } from "../source.ts";
import { tooLargeReason } from "../walk.ts";
import type { GitLimits } from "./git-call.ts";
import { gitFailure } from "./git-failures.ts";
import type { GitRoutes } from "./git-routes.ts";
import type { GitRunner } from "./run-git.ts";

/** Fetches the files of commits. */
export interface GitTrees {
  /**
   * Fills an empty folder with the files of one commit: only those in the search paths, if any, and without those that
   * are too large to read. No repository remains, so that reading can never reach the network.
   * @throws SearchPathNotFound, BranchNotFound (no such commit), StorageFailed, and the errors of `reach` in git-routes
   */
  fetch(
    url: string,
    directory: string,
    options: { commit: string; searchPaths: readonly string[]; signal: AbortSignal; onProgress: OnProgress },
  ): Promise<{ skipped: SkippedFile[] }>;
}

/** The entry of a commit at a path. */
interface TreeEntry {
  /** `blob` (a file or link), `tree` (a folder) or `commit` (a submodule). */
  type: string;
  id: string;
  path: string;
}

/**
 * Overrides the repository's attributes: files are checked out byte for byte, so that lines are those shown by the
 * host, and no filter runs.
 */
const attributes = "* -text !eol -ident -filter -working-tree-encoding\n";

/** Fetches with shallow, sparse, partial clones. */
export function createGitTrees({
  runner,
  routes,
  environment,
  limits,
}: {
  runner: GitRunner;
  routes: GitRoutes;
  /** Git's environment for commands that reach no host. */
  environment: Readonly<Record<string, string>>;
  limits: GitLimits;
}): GitTrees {
  return {
    async fetch(url, directory, { commit, searchPaths, signal, onProgress }) {
      const isSparse = searchPaths.length > 0;
      const repository = path.join(directory, ".git");
      const filter = isSparse ? "blob:none" : `blob:limit=${fileSizeLimitBytes + 1}`;
      const options = { directory, environment, limits, signal, onErrorOutput: progressReader(onProgress) };
      const run = async (args: string[], environment = options.environment) => {
        // With search paths, the checkout fetches the files, without reporting progress.
        const patient = { ...limits, silentMs: limits.totalMs };
        const call = { ...options, environment, purpose: `reading ${url}`, limits: patient };
        const result = await runner.run(args, call);
        if (result.code !== 0) throw gitFailure(result.stderr, { url, directory });
        return result.stdout;
      };
      await mkdir(path.join(repository, "info"), { recursive: true });
      await writeFile(path.join(repository, "info", "attributes"), attributes);
      // Not --quiet: simple-git waits 50 ms longer for a command without output.
      await run(["init", "--template="]);

      const { route } = await routes.reach(
        url,
        ({ url, environment }) => {
          const depth = ["--depth=1", "--no-tags", "--no-recurse-submodules"];
          const args = ["fetch", "--progress", ...depth, `--filter=${filter}`, "--", url, commit];
          return runner.run(args, { ...options, environment, purpose: `fetching ${url}` });
        },
        { signal, directory },
      );

      const entries = parseEntries(await run(["ls-tree", "-r", "-t", "-z", commit]));
      for (const searchPath of searchPaths) requireEntry(entries, searchPath);
      const absent = isSparse ? new Set<string>() : parseMissing(await run(missingObjects(commit)));
      const tooLarge = entries.filter(({ id }) => absent.has(id));
      const patterns = isSparse
        ? searchPaths.map((searchPath) => `/${escapePattern(searchPath)}`)
        : ["/*", ...tooLarge.map((entry) => `!/${escapePattern(entry.path)}`)];
      await writeFile(path.join(repository, "info", "sparse-checkout"), `${patterns.join("\n")}\n`);
      // Without --force, git compares the files afterwards and reads the repository's .gitmodules, which may be invalid.
      await run(["checkout", "--force", "--progress", "--detach", commit], route.environment);
      await rm(repository, { recursive: true, maxRetries: 3 });

      const submodules = entries.filter((entry) => entry.type === "commit" && isWithin(entry.path, searchPaths));
      return {
        skipped: [
          ...tooLarge.map((entry) => ({ path: entry.path, reason: `${tooLargeReason()}, not fetched` })),
          ...submodules.map((entry) => ({ path: entry.path, reason: "a submodule, not fetched" })),
        ],
      };
    },
  };
}

/** With --missing=print, objects omitted by the host are listed with a question mark and not fetched. */
function missingObjects(commit: string): string[] {
  return ["rev-list", "--objects", "--no-object-names", "--missing=print", commit];
}

function parseMissing(output: string): Set<string> {
  return new Set(output.split("\n").flatMap((line) => (line.startsWith("?") ? [line.slice(1)] : [])));
}

/** `<mode> <type> <id>\t<path>`, terminated by NUL: https://git-scm.com/docs/git-ls-tree */
function parseEntries(output: string): TreeEntry[] {
  return output.split("\0").flatMap((line) => {
    const [, type = "", id = "", name = ""] = /^\d+ (\w+) (\w+)\t(.*)$/s.exec(line) ?? [];
    return name === "" ? [] : [{ type, id, path: name }];
  });
}

function requireEntry(entries: readonly TreeEntry[], searchPath: string): void {
  const types = new Map(entries.map((entry) => [entry.path, entry.type]));
  if (types.has(searchPath)) return;
  let folder = path.posix.dirname(searchPath);
  while (folder !== "." && types.get(folder) !== "tree") folder = path.posix.dirname(folder);
  const above = folder === "." ? "" : folder;
  const folders = entries
    .filter((entry) => entry.type === "tree" && path.posix.dirname(entry.path) === folder)
    .map((entry) => path.posix.basename(entry.path));
  throw searchPathNotFound(searchPath, { folder: above, folders });
}

function isWithin(file: string, searchPaths: readonly string[]): boolean {
  return searchPaths.length === 0 || searchPaths.some((own) => file === own || file.startsWith(`${own}/`));
}

/** A path as a pattern of `info/sparse-checkout` that matches nothing else; patterns cannot contain line ends. */
function escapePattern(file: string): string {
  return file
    .replace(/[\\*?[\]]/g, "\\$&")
    .replace(/ +$/, (spaces) => spaces.replaceAll(" ", "\\ "))
    .replace(/[\r\n]/g, "?");
}

const stages: Record<string, string> = {
  "Receiving objects": "receiving files",
  "Resolving deltas": "unpacking files",
  "Updating files": "writing files",
};

/** Git writes `Receiving objects:  16% (1/6)` repeatedly on one line. */
export function progressReader(onProgress: OnProgress): (text: string) => void {
  return (text) => {
    const last = [...text.matchAll(/(Receiving objects|Resolving deltas|Updating files): +(\d+)%/g)].at(-1);
    const message = stages[last?.[1] ?? ""];
    if (message !== undefined) onProgress({ phase: "fetch", fraction: Number(last?.[2]) / 100, message });
  };
}
