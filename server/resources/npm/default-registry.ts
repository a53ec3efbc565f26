import options from "npm-registry-fetch/lib/default-opts.js";

/** Where npm looks when nothing is configured; taken from npm's own client, so that no registry is named here. */
export const defaultRegistry: string = options.registry;

/** In a tarball's address this host stands for the configured registry (npm's `replace-registry-host`): mirrors rely on it. */
export const replacedHost = new URL(defaultRegistry).host;
