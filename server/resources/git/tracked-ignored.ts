import { gitEnvironment } from "./git-environment.ts";
import { createGitRunner } from "./run-git.ts";

export interface TrackedOptions {
  /** The user's environment: git is found in its PATH. */
  environment: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

/** Longer listings are not worth a wait: then ignored files are skipped. */
const limits = { silentMs: 3000, totalMs: 3000 };

/**
 * The files of a folder that git tracks although they match an ignore file, relative to the folder. Empty where git is not
 * installed or refuses the repository. Nothing that the repository configures is run.
 */
export async function trackedIgnored(folder: string, { environment, signal }: TrackedOptions): Promise<string[]> {
  const settings = [["core.fsmonitor", "false"]] as const;
  try {
    const { code, stdout } = await createGitRunner().run(["ls-files", "-i", "-c", "-z", "--exclude-standard"], {
      directory: folder,
      environment: gitEnvironment(environment, { settings }),
      purpose: "listing tracked files",
      limits,
      signal,
    });
    return code === 0 ? stdout.split("\0").filter((file) => file !== "") : [];
  } catch {
    signal.throwIfAborted();
    return [];
  }
}
