import path from "node:path";
import type { FetchSettings } from "../../../lib/fetch.ts";
import { defaultRegistry } from "./default-registry.ts";
import { isLoopback } from "../../../lib/public-host.ts";
import { readTextFile } from "../files.ts";
import { authorizationFor, hostOfAuthKey } from "./npm-auth.ts";
import { findGlobalFile, findProjectRoot, resolvePath } from "./npm-places.ts";
import {
  type Expansion,
  expandVariables,
  lookUp,
  lookUpList,
  type Npmrc,
  npmrcOfEnvironment,
  parseNpmrc,
} from "./npmrc.ts";
import type { PackageLocation } from "../package-location.ts";
import type { RegistryAccess } from "../registry-client.ts";
import { publicRule } from "../registry-config.ts";
import { failed, redacted } from "../registry-faults.ts";

/** The user's npm configuration for reaching registries. */
export interface NpmConfig extends RegistryAccess {
  /**
   * The URL of the registry that serves a package, with a slash at its end.
   * @throws RegistryFailed (the configured value is not a URL, or is plain HTTP that the user did not configure)
   */
  registryOf(packageName: string): string;
  /** The configured network settings; unset ones are absent, and `ca` is added to the built-in authorities. */
  network: FetchSettings;
}

/** Half a minute, in milliseconds. Shorter than npm's five minutes; a configured `fetch-timeout` takes precedence. */
const defaultIdleTimeoutMs = 30_000;

/**
 * npm's layers, strongest first: environment, project, user, global. The project's file is not trusted: it can set
 * registries and tokens, but neither proxies nor certificates. Its variables are expanded only in tokens for hosts in
 * the user's own files; otherwise a cloned repository could send `${NPM_TOKEN}` anywhere, also as part of an address.
 * An unreadable file counts as absent, as in npm.
 */
export async function readNpmConfig(location: PackageLocation): Promise<NpmConfig> {
  const fillIn = (text: string) => expandVariables(text, location.env);
  const expandOwn: Expansion = { key: fillIn, value: (_key, text) => fillIn(text) };
  const stated = location.registries?.npm;
  const environment = stated === undefined ? npmrcOfEnvironment(location.env) : new Map([["registry", [stated]]]);
  const { isAnonymous = false } = location;
  const userFile = isAnonymous ? undefined : resolvePath(lookUp([environment], "userconfig") ?? "~/.npmrc", location);
  const user = await readLayer(userFile, expandOwn);
  const globalFile = isAnonymous ? undefined : await findGlobalFile(location, [environment, user]);
  const own = [environment, user, await readLayer(globalFile, expandOwn)];

  const ownRegistries = [defaultRegistry, ...own.flatMap(registriesIn)].filter((url) => URL.canParse(url));
  const ownHosts = new Set(ownRegistries.map((url) => new URL(url).host));
  const ownOrigins = new Set(ownRegistries.map((url) => new URL(url).origin));
  const projectFile = isAnonymous ? undefined : path.join(await findProjectRoot(location.cwd), ".npmrc");
  const project = await readLayer(projectFile === userFile ? undefined : projectFile, {
    key: (text) => text,
    value: (key, text) => (ownHosts.has(hostOfAuthKey(key) ?? "") ? fillIn(text) : text),
  });
  const layers = [environment, project, ...own.slice(1)];

  const mayRequest = (url: URL) =>
    url.protocol === "https:" || (url.protocol === "http:" && (isLoopback(url.hostname) || ownOrigins.has(url.origin)));
  return {
    registryOf: (packageName) => checkRegistry(registryOf(packageName, layers), mayRequest),
    mayRequest,
    ...publicRule(location),
    authorizationFor: (url) => authorizationFor(url, layers),
    network: await readNetwork(own, location),
  };
}

async function readLayer(file: string | undefined, expand: Expansion): Promise<Npmrc> {
  const text = file === undefined ? undefined : await readTextFile(file);
  return parseNpmrc(text ?? "", expand);
}

function registriesIn(layer: Npmrc): string[] {
  return [...layer].filter(([key]) => /^(@[^:]+:)?registry$/.test(key)).flatMap(([, values]) => values);
}

function registryOf(packageName: string, layers: readonly Npmrc[]): string {
  const scope = packageName.startsWith("@") ? packageName.split("/")[0] : undefined;
  const scoped = scope === undefined ? undefined : lookUp(layers, `${scope}:registry`);
  return scoped ?? lookUp(layers, "registry") ?? defaultRegistry;
}

function checkRegistry(text: string, mayRequest: (url: URL) => boolean): string {
  if (text.includes("${")) {
    const hint = "variables are expanded in your own .npmrc only, not in a project's, and must be set";
    throw failed(`the npm registry ${redacted(text)} names a variable that is not filled in`, hint);
  }
  if (!URL.canParse(text))
    throw failed(`the npm registry "${redacted(text)}" is not a URL`, "npm config set registry <address>");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    throw failed(`the npm registry on ${url.host} has credentials in its address`, "keep them apart: npm login");
  }
  if (!mayRequest(url)) {
    throw failed(
      `the npm registry ${url.origin} is not reached over https`,
      "trust it by naming it in your own .npmrc",
    );
  }
  url.search = "";
  url.hash = "";
  return url.href.endsWith("/") ? url.href : `${url.href}/`;
}

async function readNetwork(own: readonly Npmrc[], location: PackageLocation): Promise<FetchSettings> {
  const httpProxy = lookUp(own, "proxy");
  const httpsProxy = lookUp(own, "https-proxy");
  const noProxy = lookUp(own, "noproxy");
  const timeoutMs = Number(lookUp(own, "fetch-timeout"));
  const caFile = lookUp(own, "cafile");
  const caText = caFile === undefined ? undefined : await readTextFile(resolvePath(caFile, location));
  const ca = [...(lookUpList(own, "ca") ?? []), caText ?? ""].filter((text) => text.includes("-----BEGIN"));
  return {
    ...(httpProxy === undefined ? {} : { httpProxy: proxyOf(httpProxy) }),
    ...(httpsProxy === undefined ? {} : { httpsProxy: proxyOf(httpsProxy) }),
    ...(noProxy === undefined ? {} : { noProxy }),
    ...(ca.length === 0 ? {} : { ca }),
    ...(lookUp(own, "strict-ssl") === "false" ? { trustsAnyCertificate: true } : {}),
    idleTimeoutMs: timeoutMs > 0 ? timeoutMs : defaultIdleTimeoutMs,
  };
}

/** `null` and `false` turn off a proxy of the environment, as in npm. */
function proxyOf(text: string): string {
  return text === "null" || text === "false" ? "" : text;
}
