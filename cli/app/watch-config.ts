import { type Stats, unwatchFile, watchFile } from "node:fs";
import type { ConfigLocation } from "../../server/config/config.ts";
import { configPaths } from "../../server/config/paths.ts";

/** The polling interval in milliseconds. Polling works on any disk, and for files that do not exist yet. */
const intervalMs = 1000;

/** Calls back on changes of the configuration files, by any program, until the returned object is disposed. */
export function watchConfig(location: ConfigLocation): (onChange: () => void) => Disposable {
  const { globalFile, projectFile } = configPaths(location);
  return (onChange) => {
    // Node calls back once for a file that does not exist: https://nodejs.org/api/fs.html#fswatchfilefilename-options-listener
    const listener = (current: Stats, previous: Stats) => {
      if (exists(current) || exists(previous)) onChange();
    };
    for (const file of [globalFile, projectFile]) {
      watchFile(file, { interval: intervalMs, persistent: false }, listener);
    }
    return {
      [Symbol.dispose]() {
        for (const file of [globalFile, projectFile]) unwatchFile(file, listener);
      },
    };
  };
}

/** All fields are zero for a file that does not exist. */
function exists({ mtimeMs }: Stats): boolean {
  return mtimeMs !== 0;
}
