import type { ConfigFile } from "../protocol/config.ts";

/** The values of a project's file that are ignored, because the configuration of a cloned project is not trusted. */
export function ignoredInProject({
  allowHosts,
  providerOptions = {},
}: ConfigFile): { path: string[]; fault: string }[] {
  const withOAuth = Object.entries(providerOptions).filter(([, { oauth }]) => oauth !== undefined);
  const paths = [
    ...(allowHosts === undefined ? [] : [["allowHosts"]]),
    ...withOAuth.map(([provider]) => ["providerOptions", provider, "oauth"]),
  ];
  return paths.map((path) => ({ path, fault: `"${path.join(".")}" applies in the global file only` }));
}
