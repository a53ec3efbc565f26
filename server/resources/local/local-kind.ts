import { toAbsolutePath } from "../../lib/absolute-path.ts";
import type { LocalReference, LocalResource } from "../../protocol/kinds/local.ts";
import { type KindServices, type KindSource, namedTarget } from "../kind-source.ts";
import { createLocal, type LocalSpec } from "./local.ts";

/** Opens and refreshes resources of the kind `local`; server/protocol/kinds/local.ts has their shapes. */
export function openLocalKind({
  store,
  location,
  revisions,
  follower,
  gitEnvironment: environment,
}: KindServices): KindSource<LocalResource, LocalReference> {
  const { cwd: workingDirectory, homeDirectory } = location;
  const local = createLocal({ revisions, follower, workingDirectory, homeDirectory, environment });
  const graphs = { store, isWriter: follower !== undefined };
  return {
    open: (target, { signal }) => local.open(toLocalSpec(target), { signal }),
    openStored: (target, { signal }) => local.open(toLocalSpec(target), { signal }),
    async openHistory(target, { below, signal }) {
      const [{ openLocalHistory }, { createGitRunner }] = await Promise.all([
        import("../git/history/local-history.ts"),
        import("../git/run-git.ts"),
      ]);
      const folder = toAbsolutePath(target.path, { folder: workingDirectory, homeDirectory });
      return openLocalHistory(folder, { runner: createGitRunner(), environment, below, graphs, signal });
    },
    refresh: async () => {},
    describe: (spec) => local.describe(toLocalSpec(spec)),
  };
}

function toLocalSpec(target: LocalResource | LocalReference): LocalSpec {
  return { ...namedTarget(target), path: target.path };
}
