import { pypiEcosystem } from "../../server/resources/packages/pypi/pypi.ts";
import { type NpmWorkspace, npmWorkspace, type NpmWorkspaceOptions } from "./npm-workspace.ts";
import type { PypiIndex } from "./pypi-index.ts";

/** A temporary user with a Python project, isolated from the machine's configuration. */
export function pypiWorkspace({
  index,
  ...options
}: Omit<NpmWorkspaceOptions, "npmrc" | "ecosystem"> & { index?: PypiIndex } = {}): Promise<NpmWorkspace> {
  const own = options.env ?? (() => ({}));
  return npmWorkspace({
    ...options,
    ecosystem: pypiEcosystem,
    env: (root) => ({ ...(index === undefined ? {} : { PIP_INDEX_URL: index.url }), ...own(root) }),
  });
}
