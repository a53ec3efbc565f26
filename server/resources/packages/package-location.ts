import type { PackageType } from "../../protocol/kinds/names.ts";

/** Where to look for packages and their managers' configuration: passed in, so that nothing here reads the process. */
export interface PackageLocation {
  /** Absolute. */
  cwd: string;
  /** Absolute. */
  homeDirectory: string;
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  /** Other open projects, whose installed packages and lockfiles are used after those around `cwd`. */
  folders?: readonly string[];
  /** Whether only `env` applies: no workspace, and no file of a package manager's configuration. */
  isAnonymous?: boolean;
  /** The addresses of registries to use instead of the public ones. */
  registries?: Registries | undefined;
  /** With `isAnonymous`, the hosts that may have a private address though a registry sends them. */
  allowHosts?: readonly string[] | undefined;
}

export type Registries = Readonly<Partial<Record<PackageType, string>>>;

/** The working directory, then the other open projects. */
export function foldersOf({
  cwd,
  folders = [],
  isAnonymous = false,
}: Pick<PackageLocation, "cwd" | "folders" | "isAnonymous">): string[] {
  return isAnonymous ? [] : [...new Set([cwd, ...folders])];
}
