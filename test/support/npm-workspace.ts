import { readdir } from "node:fs/promises";
import path from "node:path";
import { silentLog } from "../../server/lib/log.ts";
import { createContentRevisions } from "../../server/resources/content-revision.ts";
import type { Ecosystem } from "../../server/resources/packages/ecosystem.ts";
import { npmEcosystem } from "../../server/resources/packages/npm/npm.ts";
import type { PackageLocation } from "../../server/resources/packages/package-location.ts";
import {
  createPackages,
  type Packages,
  type PackageSpec,
  type PackagesOptions,
} from "../../server/resources/packages/packages.ts";
import type { Snapshot } from "../../server/resources/snapshot.ts";
import { createStore } from "../../server/resources/store.ts";
import { type Folder, temporaryFolder } from "./folder.ts";

/** A temporary user with a project and an npm store. */
export interface NpmWorkspace extends AsyncDisposable {
  /** Contains `project` (the working directory), `home`, and `data` (the store). */
  folder: Folder;
  location: PackageLocation;
  npm: Packages;
  /** Opens a package (default: `pkg`) under its own name. */
  open(spec?: Partial<PackageSpec>, options?: { isOneOff?: boolean; signal?: AbortSignal }): Promise<Snapshot>;
  /** The package files in the store, without its metadata. */
  kept(): Promise<string[]>;
}

/** Files and clock of a workspace. */
export interface NpmWorkspaceOptions {
  /** The user's `.npmrc`. */
  npmrc?: string;
  /** A fixture string. */
  files?: string;
  cwd?: string;
  /** Receives the absolute path of the folder above the project. */
  env?: (root: string) => Record<string, string>;
  platform?: NodeJS.Platform;
  /** Default: npm. */
  ecosystem?: Ecosystem;
  /** Fetches the commits of repositories. Default: none. */
  commitSource?: PackagesOptions["commitSource"];
  /** Reads as for a project of the hosted service. */
  isAnonymous?: boolean;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** Creates a user with a home, a project and an empty store, isolated from the machine's configuration. */
export async function npmWorkspace(options: NpmWorkspaceOptions = {}): Promise<NpmWorkspace> {
  const {
    npmrc = "",
    files = "",
    cwd = "project",
    env = () => ({}),
    platform = process.platform,
    isAnonymous = false,
    ecosystem = npmEcosystem,
    commitSource = ({ url }) => {
      throw new Error(`${url} is not fetched here`);
    },
    now = Date.now,
  } = options;
  const folder = await temporaryFolder(`//- project/.keep\n//- home/.npmrc\n${npmrc}\n${files}`);
  const directory = path.join(folder.path, "data");
  const store = createStore({ directory, log: silentLog, now });
  const location = {
    cwd: path.join(folder.path, cwd),
    homeDirectory: path.join(folder.path, "home"),
    env: env(folder.path),
    platform,
    isAnonymous,
  };
  const npm = createPackages(ecosystem, {
    location,
    network: async () => ({}),
    store,
    revisions: createContentRevisions(),
    commitSource,
    now,
  });
  return {
    folder,
    location,
    npm,
    open(spec = {}, { isOneOff = false, signal = new AbortController().signal } = {}) {
      const name = spec.package ?? "pkg";
      return npm.open({ name, package: name, ...spec }, { isOneOff, refresh: isOneOff ? "daily" : "always", signal });
    },
    async kept() {
      const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
      const names = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
      return names.map((name) => path.relative(directory, name)).filter((name) => /^(snapshots|temporary)/.test(name));
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
