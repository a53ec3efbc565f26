import { realpath } from "node:fs/promises";
import path from "node:path";
import { gitUrlFault, normalizeGitUrl } from "../../../protocol/kinds/git-url.ts";
import { elementAt, readXmlFile, textOf } from "../xml.ts";
import { keyOf } from "./project.ts";
import { normalizeVersion } from "./versions.ts";

/** What a package says of itself. */
export interface Nuspec {
  name: string;
  version: string;
  /** The commit that it was built from; undefined if it does not say. */
  commit: { url: string; commit: string } | undefined;
  /** The address of the project, if it may be a repository. */
  projectUrl: string | undefined;
}

/** The `.nuspec` of an installed package, https://learn.microsoft.com/nuget/reference/nuspec#repository */
export async function readNuspec(
  { name, version }: { name: string; version: string },
  folders: readonly string[],
): Promise<Nuspec | undefined> {
  for (const folder of folders) {
    const own = path.join(folder, keyOf(name), normalizeVersion(version));
    const file = await realpath(path.join(own, `${keyOf(name)}.nuspec`)).catch(() => undefined);
    const root = await realpath(folder).catch(() => folder);
    const metadata =
      file === undefined || !file.startsWith(`${root}${path.sep}`)
        ? undefined
        : elementAt(await readXmlFile(file), "metadata");
    if (metadata === undefined) continue;
    const { type = "git", url: written, commit = "" } = elementAt(metadata, "repository")?.attributes ?? {};
    const url = repositoryUrl(written);
    const isKnown = type.toLowerCase() === "git" && url !== undefined && /^[0-9a-f]{40}$/i.test(commit);
    return {
      name: textOf(metadata, "id") ?? name,
      version: textOf(metadata, "version") ?? version,
      commit: isKnown ? { url, commit: commit.toLowerCase() } : undefined,
      projectUrl: url ?? repositoryUrl(textOf(metadata, "projectUrl")),
    };
  }
  return undefined;
}

/** As git reads it over HTTPS; undefined for other addresses. */
function repositoryUrl(text: string | undefined): string | undefined {
  const url = (text ?? "")
    .trim()
    .replace(/^git(?:\+https)?:\/\//, "https://")
    .replace(/^(?:ssh:\/\/)?git@([\w.-]+)[:/]/, "https://$1/");
  return gitUrlFault(url) === undefined ? normalizeGitUrl(url).url : undefined;
}
