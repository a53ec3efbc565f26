import path from "node:path";
import type { ConfigLocation } from "./config.ts";

/** The absolute paths of configuration and data. */
export interface ConfigPaths {
  globalFile: string;
  projectFile: string;
  /** The default data directory. */
  dataDirectory: string;
  /** The project's data directory in old versions, which could not configure it. */
  legacyDataDirectory: string;
  /** opencode's store of keys and sign-ins, which Citewell shares. */
  authFile: string;
  /** What Citewell stores about those keys in addition: docs/decisions/0003-credentials.md. */
  connectionsFile: string;
}

/** The name of a configuration file. */
const configFileName = "citewell.config.jsonc";

/** The data folder of a project in old versions. */
export const legacyDataFolder = ".citewell";

/**
 * The paths of configuration and data (docs/contract.md, "Names"). `CITEWELL_HOME` moves both: the global file is then
 * `$CITEWELL_HOME/citewell.config.jsonc`, the data `$CITEWELL_HOME/data`. The project file is in the working directory,
 * never in a folder above it. `auth.json` belongs to opencode and stays where opencode reads it.
 */
export function configPaths({ cwd, env, platform, homeDirectory }: ConfigLocation): ConfigPaths {
  const { win32, posix } = path;
  const native = platform === "win32" ? win32 : posix;
  // A relative XDG path counts as unset: https://specifications.freedesktop.org/basedir-spec/latest/#variables
  const folder = (variable: string, ...fallback: string[]) => {
    const value = env[variable];
    return value !== undefined && native.isAbsolute(value) ? value : native.join(homeDirectory, ...fallback);
  };
  const [config, data, opencodeData] =
    platform === "win32"
      ? [
          folder("APPDATA", "AppData", "Roaming"),
          folder("LOCALAPPDATA", "AppData", "Local"),
          folder("APPDATA", "AppData", "Roaming"),
        ]
      : [
          folder("XDG_CONFIG_HOME", ".config"),
          folder("XDG_DATA_HOME", ".local", "share"),
          folder("XDG_DATA_HOME", ".local", "share"),
        ];
  const home = env["CITEWELL_HOME"] ? native.resolve(cwd, env["CITEWELL_HOME"]) : undefined;
  const dataDirectory = home === undefined ? native.join(data, "citewell") : native.join(home, "data");
  return {
    projectFile: native.join(cwd, configFileName),
    legacyDataDirectory: native.join(cwd, legacyDataFolder),
    globalFile: native.join(home ?? native.join(config, "citewell"), configFileName),
    dataDirectory,
    authFile: native.join(opencodeData, "opencode", "auth.json"),
    connectionsFile: native.join(dataDirectory, "connections.json"),
  };
}
