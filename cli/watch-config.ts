import { unwatchFile, watchFile } from "node:fs";
import type { ConfigLocation } from "../server/config/config.ts";
import { configPaths } from "../server/config/paths.ts";

/** How often the files are looked at, in milliseconds. Asking again works on any disk, and for files not there yet. */
const intervalMs = 1000;

/** Tells of changes of the configuration files, whoever made them, until what it returns is disposed of. */
export function watchConfig(location: ConfigLocation): (onChange: () => void) => Disposable {
  const { globalFile, projectFile } = configPaths(location);
  return (onChange) => {
    const listener = () => onChange();
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
