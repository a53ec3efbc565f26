import path from "node:path";
import type { ConfigLocation } from "./config.ts";

export interface ConfigPaths {
  globalFile: string;
  projectFile: string;
  /** Where data is kept when no file says otherwise. */
  dataDirectory: string;
  /** What was the project's data directory before its configuration could name one. */
  legacyDataDirectory: string;
}

export const configFileName = "citewell.config.jsonc";

export const legacyDataFolder = ".citewell";

/**
 * Where configuration and data are (spec/wire.md, "Names"). `CITEWELL_HOME` moves both: the global file is then
 * `$CITEWELL_HOME/citewell.config.jsonc`, the data `$CITEWELL_HOME/data`. The project file is that of the working
 * directory itself, never of a folder above it.
 */
export function configPaths({ cwd, env, platform, homeDirectory }: ConfigLocation): ConfigPaths {
  const { win32, posix } = path;
  const native = platform === "win32" ? win32 : posix;
  const project = {
    projectFile: native.join(cwd, configFileName),
    legacyDataDirectory: native.join(cwd, legacyDataFolder),
  };
  if (env["CITEWELL_HOME"]) {
    const home = native.resolve(cwd, env["CITEWELL_HOME"]);
    return { ...project, globalFile: native.join(home, configFileName), dataDirectory: native.join(home, "data") };
  }
  // Of the XDG variables a relative one counts as unset: https://specifications.freedesktop.org/basedir-spec/latest/#variables
  const folder = (variable: string, ...fallback: string[]) => {
    const value = env[variable];
    return value !== undefined && native.isAbsolute(value) ? value : native.join(homeDirectory, ...fallback);
  };
  const [config, data] =
    platform === "win32"
      ? [folder("APPDATA", "AppData", "Roaming"), folder("LOCALAPPDATA", "AppData", "Local")]
      : [folder("XDG_CONFIG_HOME", ".config"), folder("XDG_DATA_HOME", ".local", "share")];
  return {
    ...project,
    globalFile: native.join(config, "citewell", configFileName),
    dataDirectory: native.join(data, "citewell"),
  };
}
