import { CitewellError } from "../../../errors.ts";
import { quoteValue } from "../../../protocol/validation.ts";
import type { HistoryRepository } from "./history-repository.ts";

const resolveMs = 5000;

/** The name of a commit, branch or tag, perhaps with `^` or `~2` behind it. Nothing else that git reads as a revision. */
const revisionName = /^(?![-.])(?!.*(?:\.\.|@\{))[^\s:?*[\\^~\p{Cc}]+(?:[\^~]\d{0,9})*$/u;

/**
 * The full id of a commit that is named by its id, a branch or a tag.
 * @throws BranchNotFound (no such commit, or several), RepositoryTimeout, RepositoryFailed, ToolMissing
 */
export async function resolveRevision(
  repository: Pick<HistoryRepository, "run">,
  written: string,
  { signal }: { signal: AbortSignal },
): Promise<string> {
  const run = (args: readonly string[]) =>
    repository.run(["rev-parse", ...args], { signal, timeMs: resolveMs, contents: [] });
  if (revisionName.test(written)) {
    const { stdout } = await run(["--verify", "--quiet", "--end-of-options", `${written}^{commit}`]);
    const [id = ""] = stdout.split("\n");
    if (id !== "") return id;
    const [prefix] = /^[0-9a-f]{4,63}/.exec(written) ?? [];
    const candidates = prefix === undefined ? "" : (await run([`--disambiguate=${prefix}`])).stdout;
    if (candidates.trim().split("\n").length > 1) {
      throw new CitewellError("BranchNotFound", `several ids begin with ${quoteValue(written)}`, {
        hint: "give more digits of its id",
      });
    }
  }
  throw new CitewellError("BranchNotFound", `no commit, branch or tag ${quoteValue(written)} in this history`, {
    hint: "give the id of a commit, at least 7 digits, or a tag",
  });
}

/**
 * Whether a branch or a tag still has a commit: after a forced push it may be there, and belong to nothing.
 * @throws RepositoryTimeout, RepositoryFailed, ToolMissing
 */
export async function isInHistory(
  repository: Pick<HistoryRepository, "run" | "revision">,
  commit: string,
  { signal }: { signal: AbortSignal },
): Promise<boolean> {
  const run = (args: readonly string[]) => repository.run(args, { signal, timeMs: resolveMs, contents: [] });
  const { code } = await run(["merge-base", "--is-ancestor", commit, repository.revision]);
  if (code === 0) return true;
  const refs = ["refs/heads", "refs/remotes", "refs/tags"];
  const { stdout } = await run(["for-each-ref", "--count=1", "--format=%(refname)", "--contains", commit, ...refs]);
  return stdout !== "";
}
