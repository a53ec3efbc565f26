import { toCitewellError } from "../errors.ts";
import type { Config } from "./config.ts";

/** A configuration, and the faults of newer files that it replaces. */
export interface LoadedConfig {
  config: Config;
  /** Faults, in sentences with path and line. */
  warnings: readonly string[];
}

/** Reads the configuration for each operation. */
export interface ConfigReader {
  /** The effective configuration; the last valid one while a file is broken. @throws ConfigInvalid (none yet) */
  load(): Promise<LoadedConfig>;
  /** The configuration as it is in the files. @throws ConfigInvalid */
  reload(): Promise<Config>;
}

/** Keeps the last valid configuration, so that a half-saved file does not stop a running server. */
export function keepLastGood(read: () => Promise<Config>): ConfigReader {
  let last: Config | undefined;
  const reload = async () => (last = await read());
  return {
    reload,
    async load() {
      try {
        const config = await reload();
        return { config, warnings: config.warnings };
      } catch (thrown) {
        const error = toCitewellError(thrown);
        if (error.tag !== "ConfigInvalid" || last === undefined) throw thrown;
        const fault = `${error.message} — until it is corrected, the last valid configuration applies`;
        return { config: last, warnings: [fault, ...last.warnings] };
      }
    },
  };
}
