import type { GitCall, GitResult } from "./git-call.ts";
import { createProcessGroups } from "./git-process-group.ts";
import { runSimpleGit } from "./git-simple.ts";

export interface GitRunner {
  /**
   * Runs git to its end, whatever its exit code. Rejects with the signal's reason once no process of it is left.
   * @throws ToolMissing, RepositoryTimeout, RepositoryFailed
   */
  run(args: readonly string[], call: GitCall): Promise<GitResult>;
}

/** What may reach a host: a checkout, too, as a partial clone fetches what it lacks. Any other command cannot. */
const transfers: ReadonlySet<string> = new Set(["ls-remote", "fetch", "checkout", "clone"]);

/** Git's two ways to run (docs/decisions/0004-git-processes.md), chosen by the command. */
export function createGitRunner(): GitRunner {
  const groups = createProcessGroups();
  return {
    async run(args, call) {
      call.signal.throwIfAborted();
      const [command = ""] = args;
      return transfers.has(command) ? groups.run(args, call) : runSimpleGit(args, call);
    },
  };
}
