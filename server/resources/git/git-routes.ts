import { CitewellError } from "../../errors.ts";
import type { GitEnvironmentFor } from "../kind-source.ts";
import type { AddressRule } from "./address.ts";
import type { GitResult } from "./git-call.ts";
import { gitEnvironment, type GitSetting, readProxy, readUserSettings } from "./git-environment.ts";
import { gitFailure, isNotFound, isRedirect } from "./git-failures.ts";
import type { GitRunner } from "./run-git.ts";

/** A checked route to a repository: its URL, and an environment that lets git connect only there. */
export interface Route {
  url: string;
  environment: Record<string, string>;
}

/** Finds checked routes to repositories. */
export interface GitRoutes {
  /**
   * Runs `use` with a route to the repository; after a redirect again, with a checked route to the target. `directory`
   * is the folder that git writes to, for the message if it cannot.
   * @throws AddressNotAllowed, RepositoryNotFound, RepositoryFailed and similar errors
   */
  reach(
    url: string,
    use: (route: Route) => Promise<GitResult>,
    options: { signal: AbortSignal; directory?: string },
  ): Promise<{ route: Route; result: GitResult }>;
}

/** The dependencies of `createGitRoutes`. */
export interface GitRoutesOptions {
  runner: GitRunner;
  rule: AddressRule;
  /** The user's environment, with the credentials for a repository. */
  environmentFor: GitEnvironmentFor;
  /** Time limit for a redirect's target, in milliseconds. */
  answerMs: number;
}

/** How to reach a host: through a proxy, at these addresses, or (both undefined) at any address of its name. */
export interface Way {
  url: URL;
  proxy: string | undefined;
  addresses: readonly string[] | undefined;
}

/** The user's environment, and the settings for reaching a host in it. */
interface UserSettings {
  user: Readonly<Record<string, string>>;
  settings: readonly GitSetting[];
}

const hopLimit = 5;

/** Routes that obey the address rule. */
export function createGitRoutes({ runner, rule, environmentFor, answerMs }: GitRoutesOptions): GitRoutes {
  return {
    async reach(repositoryUrl, use, { signal, directory }) {
      let url = repositoryUrl;
      for (let hop = 0; hop < hopLimit; hop++) {
        const { way, user, settings } = await findWay(url, { signal }).catch((error: unknown) => {
          throw hop === 0 ? error : refusedTarget(error, repositoryUrl);
        });
        const route = { url: way.url.href, environment: environmentOf(way, { user, settings }) };
        const result = await use(route);
        if (result.code === 0) return { route, result };
        if (isRedirect(result.stderr)) {
          const { askRedirect } = await import("./git-redirect.ts");
          url = await askRedirect(way, { user, settings, timeoutMs: answerMs, signal });
          // Some hosts accept only the full name of a repository's folder.
        } else if (hop === 0 && isNotFound(result.stderr) && !url.endsWith(".git")) url = `${url}.git`;
        else if (result.code === null) throw killed(repositoryUrl);
        else throw gitFailure(result.stderr, { url: repositoryUrl, directory });
      }
      throw new CitewellError("RepositoryFailed", `${repositoryUrl} redirects more than ${hopLimit} times`);
    },
  };

  /** A proxy resolves names itself, so only literal addresses can be checked. */
  async function findWay(text: string, { signal }: { signal: AbortSignal }): Promise<UserSettings & { way: Way }> {
    const url = rule.checkText(text);
    const user = await environmentFor(text, { signal });
    const settings = await readUserSettings(runner, { user, signal });
    const proxy = await readProxy(runner, { url, settings, user, signal });
    const addresses = proxy === undefined ? await rule.resolve(url, { signal }) : undefined;
    return { way: { url, proxy, addresses }, user, settings };
  }

  function environmentOf({ url, proxy, addresses }: Way, { user, settings }: UserSettings): Record<string, string> {
    // Always set, so that git does not choose a proxy itself.
    const decided: GitSetting[] = [["http.proxy", proxy ?? ""]];
    if (addresses !== undefined) {
      const pinned = addresses.map((address) => (address.includes(":") ? `[${address}]` : address)).join(",");
      decided.push(["http.curloptResolve", `${url.hostname}:${url.port || "443"}:${pinned}`]);
    }
    return gitEnvironment(user, { settings: [...settings, ...decided] });
  }
}

/** By a signal that is not ours, as when memory is short. */
function killed(repositoryUrl: string): CitewellError {
  return new CitewellError("RepositoryFailed", `git was killed while it read ${repositoryUrl}`, {
    hint: "ask again; the system may have ended it for lack of memory",
  });
}

/** Without the target's host: it may be a name that only the redirecting host's network knows. */
function refusedTarget(error: unknown, repositoryUrl: string): unknown {
  if (!(error instanceof CitewellError) || error.tag !== "AddressNotAllowed") return error;
  return new CitewellError("AddressNotAllowed", `${repositoryUrl} redirects to an address that is not public`, {
    hint: "if you trust that host, add it to allowHosts in the global configuration",
    cause: error,
  });
}
