import { CitewellError } from "../../errors.ts";
import type { GitLimits } from "./git-call.ts";
import { anyDirectory, outsideRepository } from "./git-environment.ts";
import type { GitRunner } from "./run-git.ts";

/** The first version with curloptResolve, which pins the checked address. */
const neededVersion = [2, 37] as const;

/**
 * The version of the user's git. `environment` is that of commands that reach no host.
 * @throws ToolMissing (no git, or too old)
 */
export async function requireGit(
  runner: GitRunner,
  { environment, ...call }: { environment: Readonly<Record<string, string>>; limits: GitLimits; signal: AbortSignal },
): Promise<string> {
  const { stdout } = await runner.run(["--version"], {
    directory: anyDirectory,
    environment: { ...environment, ...outsideRepository },
    purpose: "git --version",
    ...call,
  });
  const [, version = "of no known version", major, minor] = /(([0-9]+)\.([0-9]+)[.0-9]*)/.exec(stdout) ?? [];
  const [neededMajor, neededMinor] = neededVersion;
  const isEnough = Number(major) > neededMajor || (Number(major) === neededMajor && Number(minor) >= neededMinor);
  if (isEnough) return version;
  throw new CitewellError("ToolMissing", `git ${version} is too old: ${neededVersion.join(".")} or later is needed`, {
    hint: "update git (https://git-scm.com)",
  });
}
