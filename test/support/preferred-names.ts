import { preferredNode } from "../../server/hosted/routing/preference.ts";
import type { GitServer } from "./git-server.ts";

/** The names of repositories whose calls prefer the first of these nodes while all are idle. */
export function preferredNames(
  git: Pick<GitServer, "url">,
  [first, ...others]: readonly [string, ...string[]],
): string[] {
  const nodes = [first, ...others].map((url) => ({ url: new URL(url).origin, running: 0 }));
  const names = Array.from({ length: 64 }, (_, number) => `lib-${number}`);
  return names.filter((name) => preferredNode(nodes, `git ${git.url(name)}`)?.url === new URL(first).origin);
}
