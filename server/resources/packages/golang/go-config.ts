import { unescape } from "node:querystring";
import type { FetchSettings } from "../../../lib/fetch.ts";
import { readNetrc } from "../netrc.ts";
import type { PackageLocation } from "../package-location.ts";
import type { RegistryAccess } from "../registry-client.ts";
import {
  basic,
  createRequestRule,
  publicRule,
  readRegistryNetwork,
  registryUrl,
  type RegistryWords,
} from "../registry-config.ts";
import { matchesPatterns, readGoEnv } from "./go-env.ts";

/** Where the `go` command gets modules and their checksums from. A project has no say in it. */
export interface GoConfig extends RegistryAccess {
  routes: readonly Route[];
  /** Whether modules are taken from their repositories only, never from a proxy. */
  isPrivate(module: string): boolean;
  /** The checksum database of a module; undefined if its checksums are not looked up. */
  sumdbOf(module: string): SumDb | undefined;
  network: FetchSettings;
}

/** A proxy, `direct` (the module's own repository), or `off` (nothing). */
export interface Route {
  /** With a slash at its end. */
  url: string;
  /** Whether the next route is tried after any error, not only if the module is missing. */
  fallsThrough: boolean;
}

export interface SumDb {
  /** By which proxies know it. */
  name: string;
  /** With a slash at its end. */
  url: string;
}

const words: RegistryWords = {
  noun: "module proxy",
  places: "GOPROXY and: go env GOPROXY",
  ownFile: "environment, with: go env -w",
};

/** https://go.dev/ref/mod#environment-variables */
export async function readGoConfig(location: PackageLocation): Promise<GoConfig> {
  const { isAnonymous = false } = location;
  const goEnv = await readGoEnv(location);
  const written =
    (location.registries?.golang ?? (goEnv("GOPROXY") || "https://proxy.golang.org,direct")).match(/[^,|]+[,|]?/g) ??
    [];
  const configured = written.map((text) => ({
    text: text.replace(/[,|]$/, "").trim(),
    fallsThrough: text.endsWith("|"),
  }));
  const urls = configured.map(({ text }) => text).filter((text) => URL.canParse(text));
  const mayRequest = createRequestRule(urls);
  const netrc = isAnonymous ? [] : await readNetrc(location);
  return {
    routes: configured
      .filter(({ text }) => text !== "")
      .map(({ text, fallsThrough }) => ({
        url: text === "direct" || text === "off" ? text : proxyUrl(text, { mayRequest, isAnonymous }),
        fallsThrough,
      })),
    isPrivate: (module) => matchesPatterns(module, goEnv("GONOPROXY") || goEnv("GOPRIVATE")),
    sumdbOf(module) {
      const isSkipped = matchesPatterns(module, goEnv("GONOSUMDB") || goEnv("GOPRIVATE"));
      return isSkipped ? undefined : readSumDb(goEnv("GOSUMDB") || "sum.golang.org");
    },
    mayRequest,
    ...publicRule(location),
    authorizationFor(url) {
      for (const own of urls.map((text) => new URL(text))) {
        if (own.origin !== url.origin || (own.username === "" && own.password === "")) continue;
        return basic(unescape(own.username), unescape(own.password));
      }
      const login = mayRequest(url) ? netrc.find(({ host }) => host === url.hostname) : undefined;
      return login === undefined ? undefined : basic(login.login, login.password);
    },
    network: await readRegistryNetwork({ proxy: undefined, certificates: undefined }, location),
  };
}

/** A folder is for the user's own computer: a service does not read its own for others. */
function proxyUrl(
  text: string,
  { mayRequest, isAnonymous }: { mayRequest: (url: URL) => boolean; isAnonymous: boolean },
): string {
  const isFolder = !isAnonymous && text.startsWith("file:///");
  return registryUrl(text, { mayRequest: (url) => isFolder || mayRequest(url), words });
}

/** `off`, `<name>`, `<name>+<key>`, or one of these and its URL. */
function readSumDb(text: string): SumDb | undefined {
  const [first = "", url] = text.trim().split(/\s+/);
  if (first === "off") return undefined;
  const name = first.split("+")[0] ?? first;
  // A mirror of the same database.
  if (name === "sum.golang.google.cn") return { name: "sum.golang.org", url: `https://${name}/` };
  return { name, url: `${(url ?? `https://${name}`).replace(/\/+$/, "")}/` };
}
