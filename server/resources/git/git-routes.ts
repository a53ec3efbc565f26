import { CitewellError } from "../../errors.ts";
import type { AddressRule } from "./address.ts";
import type { GitResult } from "./git-call.ts";
import { gitEnvironment, type GitSetting, readProxy, readUserSettings } from "./git-environment.ts";
import { gitFailure, isNotFound, isRedirect } from "./git-failures.ts";
import type { GitRunner } from "./run-git.ts";

/** A checked way to a repository: where it is, and git's environment for going there and nowhere else. */
export interface Route {
  url: string;
  environment: Record<string, string>;
}

export interface GitRoutes {
  /**
   * Runs `use` with a route to the repository; where the host answers that it has moved, again with a route to there,
   * checked anew. `directory` is where git writes, for the message when it cannot.
   * @throws AddressNotAllowed, RepositoryNotFound, RepositoryFailed and the like, when git fails for good
   */
  reach(
    url: string,
    use: (route: Route) => Promise<GitResult>,
    options: { signal: AbortSignal; directory?: string },
  ): Promise<{ route: Route; result: GitResult }>;
}

export interface GitRoutesOptions {
  runner: GitRunner;
  rule: AddressRule;
  /** The user's environment. */
  environment: Readonly<Record<string, string>>;
  /** How long a host may take to say where a repository moved to. */
  answerMs: number;
}

/** How a host is reached: through a proxy, at these addresses, or (undefined both) at whatever its name means. */
export interface Way {
  url: URL;
  proxy: string | undefined;
  addresses: readonly string[] | undefined;
}

const hopLimit = 5;

export function createGitRoutes({ runner, rule, environment: user, answerMs }: GitRoutesOptions): GitRoutes {
  return {
    async reach(asked, use, { signal, directory }) {
      const settings = await readUserSettings(runner, { user, signal });
      let url = asked;
      for (let hop = 0; hop < hopLimit; hop++) {
        const way = await findWay(url, { settings, signal });
        const route = { url: way.url.href, environment: environmentOf(way, settings) };
        const result = await use(route);
        if (result.code === 0) return { route, result };
        if (isRedirect(result.stderr)) {
          const { askRedirect } = await import("./git-redirect.ts");
          url = await askRedirect(way, { user, settings, timeoutMs: answerMs, signal });
          // Some hosts know a repository only by the full name of its folder.
        } else if (hop === 0 && isNotFound(result.stderr) && !url.endsWith(".git")) url = `${url}.git`;
        else throw gitFailure(result.stderr, { url: asked, directory });
      }
      throw new CitewellError("RepositoryFailed", `${asked} redirects more than ${hopLimit} times`);
    },
  };

  /** Behind a proxy it is the proxy that resolves names: then only addresses written out can be checked. */
  async function findWay(
    text: string,
    { settings, signal }: { settings: readonly GitSetting[]; signal: AbortSignal },
  ): Promise<Way> {
    const url = rule.checkText(text);
    const proxy = await readProxy(runner, { url, settings, user, signal });
    const addresses = proxy === undefined ? await rule.resolve(url, { signal }) : undefined;
    return { url, proxy, addresses };
  }

  function environmentOf({ url, proxy, addresses }: Way, settings: readonly GitSetting[]): Record<string, string> {
    // Said in any case, so that git decides nothing by itself.
    const decided: GitSetting[] = [["http.proxy", proxy ?? ""]];
    if (addresses !== undefined) {
      const pinned = addresses.map((address) => (address.includes(":") ? `[${address}]` : address)).join(",");
      decided.push(["http.curloptResolve", `${url.hostname}:${url.port || "443"}:${pinned}`]);
    }
    return gitEnvironment(user, { settings: [...settings, ...decided] });
  }
}
