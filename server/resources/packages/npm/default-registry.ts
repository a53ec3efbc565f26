import options from "npm-registry-fetch/lib/default-opts.js";

/** npm's default registry, from npm's own client, so that no registry is named here. */
export const defaultRegistry: string = options.registry;

/** In a tarball's URL, this host means the configured registry (npm's `replace-registry-host`): mirrors rely on it. */
export const replacedHost = new URL(defaultRegistry).host;
