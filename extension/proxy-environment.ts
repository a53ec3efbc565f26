/** The editor's own settings below `http.`. */
export interface ProxySettings {
  proxy: string;
  noProxy: readonly string[];
  /** `off`: extensions are to do without. */
  proxySupport: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What the child process has to know of the editor's proxy, as variables. What its environment says already stands: so
 * that `citewell` does the same there as in a terminal.
 */
export function proxyEnvironment(
  { proxy, noProxy, proxySupport }: ProxySettings,
  env: Environment,
): Record<string, string> {
  if (proxySupport === "off" || proxy === "") return {};
  const values = { HTTPS_PROXY: proxy, HTTP_PROXY: proxy, NO_PROXY: noProxy.join(",") };
  const missing = Object.entries(values).filter(([name, value]) => value !== "" && !isSet(name, env));
  return Object.fromEntries(missing);
}

function isSet(name: string, env: Environment): boolean {
  return [name, name.toLowerCase()].some((variable) => (env[variable] ?? "") !== "");
}
