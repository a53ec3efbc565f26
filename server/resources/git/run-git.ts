import type { GitCall, GitResult } from "./git-call.ts";
import { createProcessGroups } from "./git-process-group.ts";
import { runSimpleGit } from "./git-simple.ts";

/** Runs git. */
export interface GitRunner {
  /**
   * Runs git to its end, whatever its exit code. On cancellation, rejects with the signal's reason once all its
   * processes have ended.
   * @throws ToolMissing, RepositoryTimeout, RepositoryFailed
   */
  run(args: readonly string[], call: GitCall): Promise<GitResult>;
}

/**
 * The commands that may reach a host: checkout, too, because a partial clone fetches missing objects; and those that read
 * history, which have words of users as arguments, and are stopped while they run.
 */
const inGroup: ReadonlySet<string> = new Set([
  "ls-remote",
  "fetch",
  "checkout",
  "clone",
  "log",
  "blame",
  "tag",
  "cat-file",
  "rev-parse",
  "for-each-ref",
  "grep",
  "commit-graph",
  "merge-base",
]);

/** Chooses between the two runners by the command (docs/decisions/0004-git-processes.md). */
export function createGitRunner(): GitRunner {
  const groups = createProcessGroups();
  return {
    async run(args, call) {
      call.signal.throwIfAborted();
      const [command = ""] = args;
      return inGroup.has(command) ? groups.run(args, call) : runSimpleGit(args, call);
    },
  };
}
