import { toErrorBody } from "../../server/errors.ts";
import { golangEcosystem } from "../../server/resources/packages/golang/golang.ts";
import type { GoProxy } from "./go-proxy.ts";
import { type NpmWorkspace, npmWorkspace, type NpmWorkspaceOptions } from "./npm-workspace.ts";

export type GoWorkspaceOptions = Omit<NpmWorkspaceOptions, "npmrc" | "ecosystem"> & { proxy?: GoProxy };

/** A temporary user with a Go project, isolated from the machine's configuration. */
export function goWorkspace({ proxy, ...options }: GoWorkspaceOptions = {}): Promise<NpmWorkspace> {
  const own = options.env ?? (() => ({}));
  return npmWorkspace({
    ...options,
    ecosystem: golangEcosystem,
    env: (root) => ({ GOPROXY: proxy?.url ?? "off", ...own(root) }),
  });
}

/** The label and the files; or the error and what it left. */
export async function outcome(options: GoWorkspaceOptions, name: string, version?: string): Promise<string[]> {
  await using workspace = await goWorkspace(options);
  const plain = (line: string) =>
    line
      .replaceAll(/127\.0\.0\.1:\d+/g, "<host>")
      .replaceAll(workspace.folder.path, "<root>")
      .replace(", fetched just now", "");
  try {
    await using snapshot = await workspace.open({ name: "it", package: name, version });
    return [snapshot.info.label, ...snapshot.files.map((file) => file.path)].map(plain);
  } catch (error) {
    const { tag, error: message } = toErrorBody(error);
    return [`${tag}: ${message}`, ...(await workspace.kept())].map(plain);
  }
}
