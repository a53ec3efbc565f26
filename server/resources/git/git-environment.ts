import path from "node:path";
import type { GitLimits } from "./git-call.ts";
import type { GitRunner } from "./run-git.ts";

/** A git setting: its full name and value. */
export type GitSetting = readonly [name: string, value: string];

/** A path that exists on no platform, so that git finds neither a repository nor its configuration. */
const nowhere = "/dev/null/none";
const noFile = "/dev/null";

/**
 * Git's environment: the user's, so that proxies, certificates and credential helpers work as usual, but without
 * `GIT_…` variables other than those for certificates, configuration files and prompts, and with HTTPS as the only
 * protocol. Settings are passed as variables, because other users of the computer can read command lines.
 */
export function gitEnvironment(
  user: Readonly<Record<string, string>>,
  { settings }: { settings: readonly GitSetting[] },
): Record<string, string> {
  const kept = Object.entries(user).filter(([name]) => !dropped.test(name));
  return {
    ...Object.fromEntries(kept),
    LC_ALL: "C",
    GIT_ALLOW_PROTOCOL: "https",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: noFile,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_TERMINAL_PROMPT: "0",
    GCM_INTERACTIVE: "never",
    ...settingVariables([...settings, ...fixedSettings]),
  };
}

/** The proxy is already chosen, with NO_PROXY: git must not bypass it and connect to an unchecked address. */
const dropped = /^(?:GIT_(?!SSL_CAINFO$|SSL_CAPATH$|PROXY_SSL_).*|SSH_ASKPASS.*|EDITOR|VISUAL|PAGER|no_proxy)$/i;

function settingVariables(settings: readonly GitSetting[]): Record<string, string> {
  const pairs = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

/** The environment of commands without a repository: the one around the working directory must not affect them. */
export const outsideRepository = { GIT_DIR: nowhere } as const;

const fixedSettings: readonly GitSetting[] = [
  // Citewell follows redirects itself and checks each address.
  ["http.followRedirects", "false"],
  // Git aborts slow transfers, even after this process has ended.
  ["http.lowSpeedLimit", "100"],
  ["http.lowSpeedTime", "60"],
  // Bytes exactly as in the repository.
  ["core.autocrlf", "false"],
  ["core.longPaths", "true"],
  ["core.hooksPath", noFile],
  // info/sparse-checkout lists the paths to check out.
  ["core.sparseCheckout", "true"],
  ["core.sparseCheckoutCone", "false"],
  ["advice.detachedHead", "false"],
  ["fetch.recurseSubmodules", "false"],
  // No background process after the fetch.
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
];

/** The user's git settings for reaching a host: proxy, certificates, credentials. Others are not used. */
const userSettings =
  /^(?:http\.(?:.*\.)?(?:proxy|proxyauthmethod|proxyssl\w+|ssl(?:cainfo|capath|cert|key|backend)|schannel\w+|extraheader|emptyauth)|credential\..*)$/;

/** Reads the settings for reaching a host from the user's global and system configuration, with includes. */
export async function readUserSettings(
  runner: GitRunner,
  { user, signal }: { user: Readonly<Record<string, string>>; signal: AbortSignal },
): Promise<GitSetting[]> {
  const { stdout } = await runner.run(["config", "--list", "--null"], userOptions(user, signal));
  return stdout.split("\0").flatMap((entry): GitSetting[] => {
    const end = entry.indexOf("\n");
    const name = end === -1 ? entry : entry.slice(0, end);
    return userSettings.test(name) ? [[name, end === -1 ? "true" : entry.slice(end + 1)]] : [];
  });
}

/** The folders of other users whose repositories the user trusts: https://git-scm.com/docs/git-config#Documentation/git-config.txt-safedirectory */
export async function readTrustedFolders(
  runner: GitRunner,
  { user, signal }: { user: Readonly<Record<string, string>>; signal: AbortSignal },
): Promise<GitSetting[]> {
  const { stdout } = await runner.run(["config", "--null", "--get-all", "safe.directory"], userOptions(user, signal));
  // Every value ends with a NUL; an empty one takes back those before it.
  return stdout
    .split("\0")
    .slice(0, -1)
    .map((folder) => ["safe.directory", folder]);
}

/**
 * The proxy that git would use for a URL, from the most specific of the settings of `readUserSettings`; undefined for
 * none.
 */
export async function readProxy(
  runner: GitRunner,
  options: {
    url: URL;
    settings: readonly GitSetting[];
    user: Readonly<Record<string, string>>;
    signal: AbortSignal;
  },
): Promise<string | undefined> {
  const { url, settings, user, signal } = options;
  if (needsNoProxy(url, user["no_proxy"] ?? user["NO_PROXY"] ?? "")) return undefined;
  const variables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].map((name) => user[name]);
  let proxy = variables.find((value) => value !== undefined && value !== "");
  if (settings.some(([name]) => /^http\.(?:.*\.)?proxy$/.test(name))) {
    const args = ["config", "--get-urlmatch", "http.proxy", url.href];
    const { code, stdout } = await runner.run(args, userOptions(user, signal));
    if (code === 0) proxy = stdout.trim();
  }
  return proxy === "" ? undefined : proxy;
}

/** `NO_PROXY` as in curl: `*`, or hosts, which include their sub-domains. */
function needsNoProxy(url: URL, noProxy: string): boolean {
  const entries = noProxy.split(/[\s,]+/).filter((entry) => entry !== "");
  return entries.some((entry) => {
    const host = entry.replace(/^\./, "").toLowerCase();
    return entry === "*" || url.hostname === host || url.hostname.endsWith(`.${host}`);
  });
}

const localLimits: GitLimits = { silentMs: 10_000, totalMs: 10_000 };

/** A folder that exists on every computer, for commands that need none. */
export const anyDirectory = path.parse(process.execPath).root;

/** The variables that git's configuration depends on, without those that name programs; outside any repository. */
function userOptions(user: Readonly<Record<string, string>>, signal: AbortSignal) {
  const kept = Object.entries(user).filter(([name]) => !dropped.test(name) || configurationVariables.test(name));
  const environment = { ...Object.fromEntries(kept), ...outsideRepository, ...settingVariables(settingsIn(user)) };
  return { directory: anyDirectory, environment, purpose: "reading git's configuration", limits: localLimits, signal };
}

const configurationVariables = /^GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|PARAMETERS)$/i;

/** The user's settings for reaching a host from variables: https://git-scm.com/docs/git-config#ENVIRONMENT */
function settingsIn(user: Readonly<Record<string, string>>): GitSetting[] {
  const settings: GitSetting[] = [];
  for (let index = 0; index < Number(user["GIT_CONFIG_COUNT"]); index++) {
    const name = user[`GIT_CONFIG_KEY_${index}`];
    if (name === undefined) break;
    if (userSettings.test(name.toLowerCase())) settings.push([name, user[`GIT_CONFIG_VALUE_${index}`] ?? ""]);
  }
  return settings;
}
