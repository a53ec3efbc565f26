import path from "node:path";
import { toAbsolutePath } from "../../../lib/absolute-path.ts";
import type { FetchSettings } from "../../../lib/fetch.ts";
import { isLoopback } from "../../../lib/public-host.ts";
import { foldersUpFrom, programsOnPath, projectPath, readTextFile } from "../files.ts";
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
import { failed, redacted } from "../registry-faults.ts";
import { type Element, elementsIn, readXmlFile, textOf } from "../xml.ts";

/** The user's `settings.xml`, that of the installation, and `.mvn/maven.config` of the project. */
export interface MavenConfig extends RegistryAccess {
  /**
   * The addresses of the repositories, in order, each with a slash at its end: those of the user's active profiles, the
   * project's, then Maven Central; or their mirrors.
   * @throws RegistryFailed (an address that is no URL, or plain HTTP that the user did not configure)
   */
  repositoriesFor(project: readonly Repository[]): string[];
  /** Absolute. */
  localRepository: string;
  /** `-Dname=value` of `.mvn/maven.config`. */
  properties: ReadonlyMap<string, string>;
  network: FetchSettings;
}

export interface Repository {
  id: string;
  url: string;
}

interface Mirror extends Repository {
  mirrorOf: string;
  isBlocked: boolean;
}

const central: Repository = { id: "central", url: "https://repo.maven.apache.org/maven2/" };
const words: RegistryWords = {
  noun: "repository",
  places: "your settings.xml and the repositories of the project's build",
  ownFile: "settings.xml",
};

/**
 * As for npm, the project's files are not trusted: they can choose repositories, but the user's credentials go only to the
 * hosts of the user's own files.
 */
export async function readMavenConfig(location: PackageLocation): Promise<MavenConfig> {
  const { cwd, homeDirectory, env, registries, isAnonymous = false } = location;
  const usual = registries?.maven === undefined ? central : { ...central, url: registries.maven };
  const files = isAnonymous ? [] : await settingsFiles(location);
  const all = (await Promise.all(files.map((file) => readSettings(file, env)))).filter((it) => it !== undefined);
  const properties = isAnonymous ? new Map<string, string>() : await readProperties(cwd);
  const listed = (name: string) => all.flatMap((settings) => elementsIn(settings, name));
  const mirrors = listed("mirrors").map(toMirror);
  const own = all.flatMap(profileRepositories);
  const ownUrls = [...own, ...mirrors].filter(({ url }) => URL.canParse(url));
  const servers = listed("servers");
  const mayRequest = createRequestRule([usual, ...ownUrls].map(({ url }) => url));
  const local =
    properties.get("maven.repo.local") ||
    all.map((settings) => textOf(settings, "localRepository")).find((text) => text !== undefined);
  return {
    repositoriesFor: (project) => {
      const known = [...own, ...project, usual].filter(
        ({ id }, at, list) => list.findIndex((it) => it.id === id) === at,
      );
      return [...new Set(known.map((repository) => addressOf(repository, { mirrors, mayRequest })))];
    },
    mayRequest,
    ...publicRule(location),
    authorizationFor(url) {
      const host = ownUrls.find(
        (it) =>
          new URL(it.url).origin === url.origin &&
          servers.some(({ children }) => children.some(({ name, text }) => name === "id" && text.trim() === it.id)),
      );
      const server = servers.find((entry) => host !== undefined && textOf(entry, "id") === host.id);
      const [username, password] = [textOf(server, "username"), textOf(server, "password")];
      if (username === undefined && password === undefined) return undefined;
      if (/(?<!\\)\{.*[^\\]\}/.test(password ?? "")) {
        throw failed(
          `the password of ${url.host} in settings.xml is encrypted`,
          "write it as ${env.NAME} in your settings.xml, and set that variable",
        );
      }
      return basic(username ?? "", password ?? "");
    },
    localRepository:
      local === undefined || local.includes("${")
        ? path.join(homeDirectory, ".m2", "repository")
        : toAbsolutePath(local, { folder: cwd, homeDirectory }),
    properties,
    network: await readRegistryNetwork({ proxy: proxyOf(listed("proxies")), certificates: undefined }, location),
  };
}

/** The user's file, then that of the installation, which the environment names or `mvn` belongs to. */
async function settingsFiles(location: PackageLocation): Promise<string[]> {
  const { homeDirectory, env } = location;
  const named = [env["MAVEN_HOME"], env["M2_HOME"]].filter((folder) => folder !== undefined && folder !== "");
  const [found] = await programsOnPath(["mvn"], location);
  const homes = [...named, ...(found === undefined ? [] : [path.dirname(path.dirname(found))])].slice(0, 1);
  return [
    path.join(homeDirectory, ".m2", "settings.xml"),
    ...homes.map((home) => path.join(home ?? "", "conf", "settings.xml")),
  ];
}

/** Variables of the environment are filled in, as Maven does: the file is the user's own. */
async function readSettings(file: string, env: PackageLocation["env"]): Promise<Element | undefined> {
  const settings = await readXmlFile(file);
  return settings?.name === "settings" ? fillVariables(settings, env) : undefined;
}

function fillVariables(element: Element, env: PackageLocation["env"]): Element {
  const text = element.text.replace(/\$\{env\.([^}]+)\}/g, (written, name: string) => env[name] ?? written);
  return { ...element, text, children: element.children.map((child) => fillVariables(child, env)) };
}

function toMirror(mirror: Element): Mirror {
  const [id = "", url = "", mirrorOf = ""] = ["id", "url", "mirrorOf"].map((name) => textOf(mirror, name));
  return { id, url, mirrorOf, isBlocked: textOf(mirror, "blocked") === "true" };
}

/** The repositories of the profiles that are active by the file itself. */
function profileRepositories(settings: Element): Repository[] {
  const named = elementsIn(settings, "activeProfiles").map(({ text }) => text.trim());
  const active = elementsIn(settings, "profiles").filter(
    (profile) =>
      named.includes(textOf(profile, "id") ?? "") || textOf(profile, "activation", "activeByDefault") === "true",
  );
  return active.flatMap((profile) =>
    elementsIn(profile, "repositories").map((it) => ({ id: textOf(it, "id") ?? "", url: textOf(it, "url") ?? "" })),
  );
}

function addressOf(
  repository: Repository,
  { mirrors, mayRequest }: { mirrors: readonly Mirror[]; mayRequest: (url: URL) => boolean },
): string {
  const mirror = mirrors.find(({ mirrorOf }) => isMirrorOf(mirrorOf, repository));
  if (mirror?.isBlocked === true) {
    throw failed(
      `the repository ${redacted(repository.url)} is blocked by the mirror ${mirror.id}`,
      `check ${words.places}`,
    );
  }
  return registryUrl((mirror ?? repository).url, { mayRequest, words });
}

/** https://maven.apache.org/guides/mini/guide-mirror-settings.html#advanced-mirror-specification */
function isMirrorOf(mirrorOf: string, { id, url }: Repository): boolean {
  const parts = mirrorOf.split(",").map((part) => part.trim());
  if (parts.includes(`!${id}`)) return false;
  const isExternal = !URL.canParse(url) || !(isLoopback(new URL(url).hostname) || url.startsWith("file:"));
  return parts.some((part) => {
    if (part === "*" || part === id) return true;
    return isExternal && (part === "external:*" || (part === "external:http:*" && url.startsWith("http:")));
  });
}

/** `-Dname=value`, on one line or several. */
async function readProperties(cwd: string): Promise<Map<string, string>> {
  for (const folder of foldersUpFrom(cwd)) {
    const text = await readTextFile(path.join(folder, ".mvn", "maven.config"));
    if (text === undefined) continue;
    const found = [...text.matchAll(/(?:^|\s)-D([\w.-]+)=(\S+)/g)];
    return new Map(
      found.map(([, name = "", value = ""]) => [
        name,
        name === "maven.repo.local" ? (projectPath(folder, value) ?? "") : value,
      ]),
    );
  }
  return new Map();
}

/** The address of the first active proxy. */
function proxyOf(proxies: readonly Element[]): string | undefined {
  const proxy = proxies.find((it) => textOf(it, "active") !== "false" && textOf(it, "host") !== undefined);
  if (proxy === undefined) return undefined;
  const [username, password] = [textOf(proxy, "username"), textOf(proxy, "password")];
  const login = username === undefined ? "" : `${encodeURIComponent(username)}:${encodeURIComponent(password ?? "")}@`;
  return `http://${login}${textOf(proxy, "host") ?? ""}:${textOf(proxy, "port") ?? "8080"}`;
}
