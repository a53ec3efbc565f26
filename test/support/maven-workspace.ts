import { mavenEcosystem } from "../../server/resources/packages/maven/maven.ts";
import { mirrorSettings, type MavenRepository } from "./maven-repository.ts";
import { type NpmWorkspace, npmWorkspace, type NpmWorkspaceOptions } from "./npm-workspace.ts";

/** A temporary user with a JVM project, isolated from the machine's configuration. */
export function mavenWorkspace({
  repository,
  settings = repository === undefined ? undefined : mirrorSettings(repository.url),
  files = "",
  ...options
}: Omit<NpmWorkspaceOptions, "npmrc" | "ecosystem"> & {
  repository?: MavenRepository;
  /** The user's `settings.xml`. Default: a mirror of everything at `repository`. */
  settings?: string | undefined;
} = {}): Promise<NpmWorkspace> {
  const own = settings === undefined ? "" : `//- home/.m2/settings.xml\n${settings}\n`;
  return npmWorkspace({ ...options, files: `${own}${files}`, ecosystem: mavenEcosystem });
}
