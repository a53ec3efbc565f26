import path from "node:path";
import { unescape } from "node:querystring";
import ini from "ini";
import * as z from "zod";
import { toAbsolutePath } from "../../../lib/absolute-path.ts";
import type { FetchSettings } from "../../../lib/fetch.ts";
import { foldersUpFrom, readTextFile } from "../files.ts";
import type { PackageLocation } from "../package-location.ts";
import { readNetrc } from "../netrc.ts";
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
import { readTomlFile } from "../toml.ts";
import { normalizeName } from "./names.ts";

/** The user's configuration of pip and uv, and the indexes of the project. */
export interface PypiConfig extends RegistryAccess {
  /**
   * The indexes that may have a package, in order, each with a slash at its end and without credentials. The first that
   * has the package is its only one: a public package never replaces a private one of the same name.
   * @throws RegistryFailed (a configured value is not a URL, or is plain HTTP that the user did not configure)
   */
  indexesOf(packageName: string): string[];
  network: FetchSettings;
}

/** The index that pip and uv use without configuration. */
const defaultIndex = "https://pypi.org/simple/";
const words: RegistryWords = {
  noun: "package index",
  places: "PIP_INDEX_URL, pip.conf and uv's settings",
  ownFile: "pip.conf",
};

interface Index {
  url: string;
  name?: string | undefined;
  isDefault: boolean;
  /** Whether it is used only for packages that name it. */
  isExplicit?: boolean | undefined;
}

interface Layer {
  indexes: Index[];
  /** The names of the index that packages come from, by normalized package name. */
  pinned?: ReadonlyMap<string, string>;
  proxy?: string | undefined;
  certificates?: string | undefined;
}

/**
 * Layers, strongest first: environment, project, user, machine. As for npm, the project's files are not trusted: they
 * can choose indexes, but the user's credentials go only to the hosts of the user's own files, and neither proxies nor
 * certificates are read from them. An index of the environment or a user's file that has a name gets
 * `UV_INDEX_<NAME>_…`.
 */
export async function readPypiConfig(location: PackageLocation): Promise<PypiConfig> {
  const { env, registries, isAnonymous = false } = location;
  const stated = registries?.pypi;
  const environment = stated === undefined ? readEnvironment(env) : { indexes: [{ url: stated, isDefault: true }] };
  const own = [environment, ...(isAnonymous ? [] : await readOwnFiles(location))];
  const project = isAnonymous ? { indexes: [] } : await readProject(location.cwd);
  const layers = [environment, project, ...own.slice(1)];
  const ownIndexes = own.flatMap(({ indexes }) => indexes).filter(({ url }) => URL.canParse(url));
  const netrc = isAnonymous ? [] : await readNetrc(location);

  const ownOrigins = new Set(ownIndexes.map(({ url }) => new URL(url).origin));
  const mayRequest = createRequestRule(ownIndexes.map(({ url }) => url));
  return {
    indexesOf(packageName) {
      const pinned = project.pinned?.get(normalizeName(packageName));
      const all = layers.flatMap(({ indexes }) => indexes);
      const named = pinned === undefined ? undefined : all.find(({ name }) => name === pinned);
      const usual = all.find(({ isDefault }) => isDefault) ?? { url: defaultIndex };
      const extra = all.filter(({ isDefault, isExplicit }) => !isDefault && isExplicit !== true);
      const wanted = named === undefined ? [...extra, usual] : [named];
      return [...new Set(wanted.map(({ url }) => checkIndex(url, mayRequest)))];
    },
    mayRequest,
    ...publicRule(location),
    // Like pip, `unescape` leaves a percent sign that begins no code as it is.
    authorizationFor(url) {
      const indexes = [...ownIndexes, ...project.indexes.filter(({ url }) => URL.canParse(url))];
      for (const index of indexes) {
        const own = new URL(index.url);
        if (own.origin !== url.origin) continue;
        const variable = ownIndexes.includes(index) ? variableOf(index) : "";
        const username = unescape(own.username) || env[`${variable}_USERNAME`];
        const password = unescape(own.password) || env[`${variable}_PASSWORD`];
        if (username !== undefined || password !== undefined) return basic(username ?? "", password ?? "");
      }
      const entry =
        url.protocol === "https:" || ownOrigins.has(url.origin)
          ? netrc.find(({ host }) => host === url.hostname)
          : undefined;
      return entry === undefined ? undefined : basic(entry.login, entry.password);
    },
    network: await readNetwork(own, location),
  };
}

/** `UV_INDEX_CORP` of an index called `corp`. */
function variableOf({ name }: Index): string {
  return name === undefined ? "" : `UV_INDEX_${name.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`;
}

function readEnvironment(env: PackageLocation["env"]): Layer {
  const usual = [env["PIP_INDEX_URL"], env["UV_DEFAULT_INDEX"], env["UV_INDEX_URL"]].flatMap(wordsOf);
  const extra = [env["PIP_EXTRA_INDEX_URL"], env["UV_INDEX"], env["UV_EXTRA_INDEX_URL"]].flatMap(wordsOf);
  return {
    indexes: [...usual.map((text) => namedIndex(text, true)), ...extra.map((text) => namedIndex(text, false))],
    proxy: env["PIP_PROXY"],
    certificates: env["PIP_CERT"],
  };
}

/** uv writes `name=https://…`. */
function namedIndex(text: string, isDefault: boolean): Index {
  const [, name, url = text] = /^([\w.-]+)=(.+)$/.exec(text) ?? [];
  return { url, name, isDefault };
}

function wordsOf(text: string | undefined): string[] {
  return text?.split(/\s+/).filter((word) => word !== "") ?? [];
}

/** The files of pip and of uv: the user's, then the machine's. */
async function readOwnFiles({ env, homeDirectory, platform, cwd }: PackageLocation): Promise<Layer[]> {
  const home = (...parts: string[]) => path.join(homeDirectory, ...parts);
  const configHome = env["XDG_CONFIG_HOME"] || home(".config");
  const roaming = env["APPDATA"] ?? home("AppData", "Roaming");
  const isWindows = platform === "win32";
  const named = env["PIP_CONFIG_FILE"];
  const pip = isWindows
    ? [path.join(roaming, "pip", "pip.ini"), home("pip", "pip.ini")]
    : [
        ...(platform === "darwin" ? [home("Library", "Application Support", "pip", "pip.conf")] : []),
        path.join(configHome, "pip", "pip.conf"),
        home(".pip", "pip.conf"),
      ];
  const configured = named === undefined || named === "" ? [] : [toAbsolutePath(named, { folder: cwd, homeDirectory })];
  const uv = isWindows ? path.join(roaming, "uv", "uv.toml") : path.join(configHome, "uv", "uv.toml");
  const machine = isWindows ? [] : ["/etc/xdg/pip/pip.conf", "/etc/pip.conf"];
  return [
    ...(await Promise.all([...configured, ...pip].map(readPipFile))),
    fromUv(await readTomlFile(uv)),
    ...(await Promise.all(machine.map(readPipFile))),
  ];
}

const PipSection = z
  .object({
    "index-url": z.string().optional().catch(undefined),
    "extra-index-url": z.string().optional().catch(undefined),
    proxy: z.string().optional().catch(undefined),
    cert: z.string().optional().catch(undefined),
  })
  .catch({});

async function readPipFile(file: string): Promise<Layer> {
  const text = (await readTextFile(file)) ?? "";
  // `ini` does not read values of several lines.
  const sections = ini.parse(text.replace(/\r?\n[ \t]+(?=\S)/g, " "));
  const merged = { ...PipSection.parse(sections["global"]), ...PipSection.parse(sections["install"]) };
  return {
    indexes: [
      ...wordsOf(merged["index-url"]).map((url) => ({ url, isDefault: true })),
      ...wordsOf(merged["extra-index-url"]).map((url) => ({ url, isDefault: false })),
    ],
    proxy: merged.proxy,
    certificates: merged.cert,
  };
}

const Flag = z.boolean().optional().catch(undefined);
const NamedIndex = z.object({ url: z.string(), name: z.string().optional().catch(undefined) });
const UvIndex = NamedIndex.extend({ default: Flag, explicit: Flag });
const PoetrySource = NamedIndex.extend({ priority: z.string().optional().catch(undefined) });
const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).catch([]);
const Uv = z
  .object({
    index: listOf(UvIndex),
    "index-url": z.string().optional().catch(undefined),
    "extra-index-url": listOf(z.string()),
    sources: z.record(z.string(), z.unknown()).catch({}),
  })
  .catch({ index: [], "extra-index-url": [], sources: {} });

/** `uv.toml`, or `[tool.uv]` of a `pyproject.toml`. */
function fromUv(value: unknown): Layer {
  const uv = Uv.parse(value);
  const pinned = Object.entries(uv.sources).flatMap(([name, source]): [string, string][] => {
    const index = z.object({ index: z.string() }).safeParse(source).data?.index;
    return index === undefined ? [] : [[normalizeName(name), index]];
  });
  return {
    indexes: [
      ...uv.index.map(({ url, name, default: isDefault = false, explicit }) => ({
        url,
        name,
        isDefault,
        isExplicit: explicit,
      })),
      ...(uv["index-url"] === undefined ? [] : [{ url: uv["index-url"], isDefault: true }]),
      ...uv["extra-index-url"].map((url) => ({ url, isDefault: false })),
    ],
    pinned: new Map(pinned),
  };
}

const Tools = z.object({
  tool: z.object({
    uv: z.unknown().optional(),
    poetry: z.object({ source: listOf(PoetrySource) }).catch({ source: [] }),
  }),
});
const Pipfile = z.object({ source: listOf(NamedIndex) }).catch({ source: [] });

/** The indexes in the nearest `pyproject.toml`, `uv.toml` or `Pipfile`. */
async function readProject(cwd: string): Promise<Layer> {
  for (const folder of foldersUpFrom(cwd)) {
    const [pyproject, uvToml, pipfile] = await Promise.all(
      ["pyproject.toml", "uv.toml", "Pipfile"].map((file) => readTomlFile(path.join(folder, file))),
    );
    if (pyproject === undefined && uvToml === undefined && pipfile === undefined) continue;
    const { uv, poetry } = Tools.safeParse(pyproject).data?.tool ?? { uv: undefined, poetry: { source: [] } };
    const layer = fromUv(uvToml ?? uv);
    const sources = poetry.source.map(({ url, name, priority = "primary" }) => {
      return {
        url,
        name,
        isDefault: priority === "primary" || priority === "default",
        isExplicit: priority === "explicit",
      };
    });
    const ofPipfile = Pipfile.parse(pipfile).source.map((source, at) => ({ ...source, isDefault: at === 0 }));
    return { ...layer, indexes: [...layer.indexes, ...sources, ...ofPipfile] };
  }
  return { indexes: [] };
}

function checkIndex(text: string, mayRequest: (url: URL) => boolean): string {
  if (/\$\{|\$[A-Z_]/.test(text)) {
    throw failed(
      `the package index ${redacted(text)} names a variable`,
      "write the address without variables; credentials belong in .netrc",
    );
  }
  return registryUrl(text, { mayRequest, words });
}

function readNetwork(own: readonly Layer[], location: PackageLocation): Promise<FetchSettings> {
  const proxy = own.map((layer) => layer.proxy).find((value) => value !== undefined && value !== "");
  const certificates = own.map((layer) => layer.certificates).find((value) => value !== undefined && value !== "");
  return readRegistryNetwork({ proxy, certificates }, location);
}
