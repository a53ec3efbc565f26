import type { ConfigFile } from "../protocol/config.ts";

/** What a project's file says in vain: a cloned project's configuration is a stranger's. */
export function ignoredInProject({
  allowHosts,
  providerOptions = {},
}: ConfigFile): { path: string[]; fault: string }[] {
  const withOAuth = Object.entries(providerOptions).filter(([, { oauth }]) => oauth !== undefined);
  const paths = [
    ...(allowHosts === undefined ? [] : [["allowHosts"]]),
    ...withOAuth.map(([provider]) => ["providerOptions", provider, "oauth"]),
  ];
  return paths.map((path) => ({ path, fault: `"${path.join(".")}" counts in the global file only` }));
}
