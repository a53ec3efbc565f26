import path from "node:path";
import type { GitLimits } from "./git-call.ts";
import type { GitRunner } from "./run-git.ts";

/** A setting of git: its full name and value. */
export type GitSetting = readonly [name: string, value: string];

/** What is not there on any platform, so that git finds neither a repository nor its configuration. */
const nowhere = "/dev/null/none";
const noFile = "/dev/null";

/**
 * Git's environment: the user's, so that proxies, certificates and credential helpers work as they do for the user,
 * but with no `GIT_…` variable other than those for certificates, no configuration file, no prompt of any kind, and
 * HTTPS as the only protocol. Settings travel as variables: on the command line every user of the computer could
 * read them.
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

/** The proxy is decided before, and NO_PROXY with it: git must not go past the proxy to an address that was not checked. */
const dropped = /^(?:GIT_(?!SSL_CAINFO$|SSL_CAPATH$|PROXY_SSL_).*|SSH_ASKPASS.*|EDITOR|VISUAL|PAGER|no_proxy)$/i;

function settingVariables(settings: readonly GitSetting[]): Record<string, string> {
  const pairs = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

/** For commands that belong to no repository: the one around the working directory must not have a say. */
export const outsideRepository = { GIT_DIR: nowhere } as const;

const fixedSettings: readonly GitSetting[] = [
  // Redirects are followed by us, address by address.
  ["http.followRedirects", "false"],
  // A transfer that trickles is given up; git ends it by itself even when this process is gone.
  ["http.lowSpeedLimit", "100"],
  ["http.lowSpeedTime", "60"],
  // Bytes as they are in the repository.
  ["core.autocrlf", "false"],
  ["core.longPaths", "true"],
  ["core.hooksPath", noFile],
  // What is checked out is said in info/sparse-checkout, path by path.
  ["core.sparseCheckout", "true"],
  ["core.sparseCheckoutCone", "false"],
  ["advice.detachedHead", "false"],
  ["fetch.recurseSubmodules", "false"],
  // No process that outlives the fetch.
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
];

/** How the user's own git reaches a host: proxy, certificates, credentials. Nothing else of it is used. */
const userSettings =
  /^(?:http\.(?:.*\.)?(?:proxy|proxyauthmethod|proxyssl\w+|ssl(?:cainfo|capath|cert|key|backend)|schannel\w+|extraheader|emptyauth)|credential\..*)$/;

/** What the user's global and system configuration, with what it includes, says about reaching a host. */
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

/**
 * The proxy that git would use for a URL, with the most exact of the user's settings (those that readUserSettings
 * found); undefined for none.
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

/** `NO_PROXY` as curl reads it: `*`, or hosts of which the sub-domains count too. */
function needsNoProxy(url: URL, noProxy: string): boolean {
  const entries = noProxy.split(/[\s,]+/).filter((entry) => entry !== "");
  return entries.some((entry) => {
    const host = entry.replace(/^\./, "").toLowerCase();
    return entry === "*" || url.hostname === host || url.hostname.endsWith(`.${host}`);
  });
}

const localLimits: GitLimits = { silentMs: 10_000, totalMs: 10_000 };

/** A folder that is there on every computer, for commands that need none. */
export const anyDirectory = path.parse(process.execPath).root;

/** The user's own environment, outside of any repository: what git's configuration depends on, and no program's name. */
function userOptions(user: Readonly<Record<string, string>>, signal: AbortSignal) {
  const kept = Object.entries(user).filter(([name]) => !dropped.test(name) || configurationVariables.test(name));
  const environment = { ...Object.fromEntries(kept), ...outsideRepository, ...settingVariables(settingsIn(user)) };
  return { directory: anyDirectory, environment, purpose: "reading git's configuration", limits: localLimits, signal };
}

const configurationVariables = /^GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|PARAMETERS)$/i;

/** The settings about reaching a host that the user gives as variables: https://git-scm.com/docs/git-config#ENVIRONMENT */
function settingsIn(user: Readonly<Record<string, string>>): GitSetting[] {
  const settings: GitSetting[] = [];
  for (let index = 0; index < Number(user["GIT_CONFIG_COUNT"]); index++) {
    const name = user[`GIT_CONFIG_KEY_${index}`];
    if (name === undefined) break;
    if (userSettings.test(name.toLowerCase())) settings.push([name, user[`GIT_CONFIG_VALUE_${index}`] ?? ""]);
  }
  return settings;
}
