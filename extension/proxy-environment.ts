/** The editor's own settings below `http.`. */
export interface ProxySettings {
  proxy: string;
  noProxy: readonly string[];
  /** `off`: extensions are to do without. */
  proxySupport: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The editor's proxy settings as variables for the child process. Variables of its environment take precedence, so that
 * `citewell` behaves as in a terminal.
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
