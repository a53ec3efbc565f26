import path from "node:path";
import type { ConfigLocation } from "./config.ts";

export interface ConfigPaths {
  globalFile: string;
  projectFile: string;
  /** Where data is kept when no file says otherwise. */
  dataDirectory: string;
  /** What was the project's data directory before its configuration could name one. */
  legacyDataDirectory: string;
  /** opencode's store of keys and sign-ins, which is ours as well. */
  authFile: string;
  /** What we know of the keys in it beyond what opencode keeps: docs/decisions/0003-credentials.md. */
  connectionsFile: string;
}

export const configFileName = "citewell.config.jsonc";

export const legacyDataFolder = ".citewell";

/**
 * Where configuration and data are (spec/wire.md, "Names"). `CITEWELL_HOME` moves both: the global file is then
 * `$CITEWELL_HOME/citewell.config.jsonc`, the data `$CITEWELL_HOME/data`. The project file is that of the working
 * directory itself, never of a folder above it. `auth.json` is opencode's and stays where opencode looks for it.
 */
export function configPaths({ cwd, env, platform, homeDirectory }: ConfigLocation): ConfigPaths {
  const { win32, posix } = path;
  const native = platform === "win32" ? win32 : posix;
  // Of the XDG variables a relative one counts as unset: https://specifications.freedesktop.org/basedir-spec/latest/#variables
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
