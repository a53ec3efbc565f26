import { definitions } from "../../server/providers/definitions.ts";

/** The variables that hold keys of providers. */
const keyVariables: readonly string[] = [...new Set(Object.values(definitions).flatMap(({ envVars = [] }) => envVars))];

/** The other variables that Citewell reads: where its files are, how to reach the network, and npm's own. */
const otherVariables: readonly string[] = [
  "CITEWELL_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "NO_PROXY",
  "https_proxy",
  "http_proxy",
  "no_proxy",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "NPM_TOKEN",
  "NPM_CONFIG_REGISTRY",
  "NPM_CONFIG_USERCONFIG",
];

/** The variables for clients that take a list of names and skip those that are not set. */
export const passedVariables: readonly string[] = [...keyVariables, ...otherVariables];

/** What Gemini CLI keeps from the servers that it starts, of the names above: its `environmentSanitization.ts`. */
const redacted = /TOKEN|KEY|CERT/;

/**
 * References to variables of the client's own environment, never their values. The form is for clients that know
 * `${NAME:-default}`: a name that is not set becomes an empty text, which Citewell reads as not set.
 */
export function environmentReferences(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  // An empty certificate file would be an error for OpenSSL, so what is no key is passed on only where it is in use.
  const used = otherVariables.filter((name) => redacted.test(name) && env[name]);
  return Object.fromEntries([...keyVariables, ...used].map((name) => [name, `\${${name}:-}`]));
}
