import path from "node:path";
import { CitewellError } from "../errors.ts";
import { toAbsolutePath } from "../lib/absolute-path.ts";
import { nearest } from "../lib/nearest.ts";
import { isTrustedHost, plainHost, privateHostFault } from "../lib/public-host.ts";
import type { ProviderOptions, SetModel } from "../protocol/config.ts";
import { defaultResources } from "../protocol/default-resources.ts";
import { kindOf, mapPath, pathOf } from "../protocol/kinds/kinds.ts";
import type { PackageType } from "../protocol/kinds/names.ts";
import type { ResourceSpec } from "../protocol/resource.ts";
import {
  type ConfigSource,
  mergeSettings,
  type SettingName,
  settingNames,
  type Settings,
} from "../protocol/settings.ts";
import { addItem, removeItem, setValue, updateItem } from "./edit.ts";
import { type ConfigDocument, editConfigFile, readConfigFile } from "./file.ts";
import { ignoredInProject } from "./ignored.ts";
import { readMigratedProject, type ReadOptions } from "./migrate.ts";
import { configPaths } from "./paths.ts";

/** Where to look for configuration: values of the process, passed in by the caller. Paths are absolute. */
export interface ConfigLocation {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  homeDirectory: string;
  /** Other open projects, whose configuration files also list resources. */
  folders?: readonly string[];
  /**
   * Whether this is for users of a service: fetches use neither installed packages nor files with registries and
   * logins, and errors name no hosts and addresses of its network.
   */
  isAnonymous?: boolean;
  /** The addresses of registries to use instead of the public ones, by the type of their packages. */
  registries?: Readonly<Partial<Record<PackageType, string>>> | undefined;
  /** With `isAnonymous`, the hosts that may have a private address though a registry sends them. */
  allowHosts?: readonly string[] | undefined;
}

/** The effective configuration: the project's file over the global one over the defaults. Paths are absolute. */
export interface Config extends Settings {
  dataDirectory: string;
  resourcesDirectory: string;
  /** Read from the global file only: the configuration of a cloned project is not trusted. */
  allowHosts: readonly string[];
  /**
   * Keyed by provider. With a stored key, `globalProviderOptions` apply: a project must not choose where a key is sent.
   */
  providerOptions: Readonly<Record<string, ProviderOptions>>;
  globalProviderOptions: Readonly<Record<string, ProviderOptions>>;
  resources: readonly ResourceSpec[];
  /** The resources listed in a file: without the built-in defaults, unless a file repeats them. */
  listed: readonly ResourceSpec[];
  /** The file that each value comes from. */
  sources: Readonly<Record<SourcedKey, ConfigSource>>;
  globalFile: ConfigFileState;
  projectFile: ConfigFileState;
  /** Everything that was ignored, in sentences. */
  warnings: readonly string[];
}

/** A configuration file and the resources that it contributes. */
export interface ConfigFileState {
  path: string;
  exists: boolean;
  /** The names it contributes; a global file that is missing, or lists none, contributes the defaults. */
  resources: readonly string[];
}

/**
 * Reads the effective configuration: the project's file over the global one over the defaults. It is read again for
 * each operation, so that an edit applies at once.
 *
 * It writes only to record a project's old data directory (docs/contract.md, "Configuration file", rule 3), and never
 * if `isReadOnly`. It does not fall back to an earlier configuration: `last-good.ts` does, for servers.
 * @throws ConfigInvalid
 */
export async function loadConfig(location: ConfigLocation, options: ReadOptions = {}): Promise<Config> {
  const files = await readFiles(location, options);
  const { global, project, others } = files;
  const [own, shared] = [project.value, global.value];
  const absoluteIn = (document: ConfigDocument) => (spec: ResourceSpec) =>
    withAbsolutePath(spec, baseOf(document, location));
  const listedByProjects = [...others.toReversed(), project].flatMap((document) =>
    listedIn(document, "project").map(absoluteIn(document)),
  );
  const dataDirectory =
    dataDirectoryIn(project, location) ?? dataDirectoryIn(global, location) ?? configPaths(location).dataDirectory;
  return {
    ...mergeSettings([shared, own]),
    dataDirectory,
    resourcesDirectory: path.join(dataDirectory, "resources"),
    allowHosts: shared.allowHosts ?? [],
    providerOptions: own.providerOptions ?? shared.providerOptions ?? {},
    globalProviderOptions: shared.providerOptions ?? {},
    resources: mergeByName([...listedIn(global, "global").map(absoluteIn(global)), ...listedByProjects]),
    listed: mergeByName([...(shared.resources ?? []).map(absoluteIn(global)), ...listedByProjects]),
    sources: sourcesIn(files),
    globalFile: stateOf(global, "global"),
    projectFile: stateOf(project, "project"),
    warnings: [
      ...global.warnings,
      ...project.warnings,
      ...others.flatMap(({ warnings }) => warnings),
      ...ignoredInProject(own).map(({ fault }) => `${project.path}: ${fault}`),
    ],
  };
}

/**
 * Adds a resource to the file of the given level; without one, to the project's if it exists, else to the global one. A
 * missing file is created. A name of the global file can be added to the project's, which has precedence. A relative
 * local path is relative to the working directory. The default resources are not written with it: they apply only as
 * long as the global file lists none. Concurrent processes do not lose each other's additions.
 * @throws ResourceNameTaken, AddressNotAllowed, ConfigInvalid, LockTimeout, StorageFailed
 */
export async function addResource(
  location: ConfigLocation,
  spec: ResourceSpec,
  { level: wanted }: { level?: Level | undefined } = {},
): Promise<{ path: string }> {
  const files = await readFiles(location);
  requireAllowedHost(spec, files.global.value.allowHosts ?? []);
  const level = wanted ?? (files.project.exists ? "project" : "global");
  const added = toWritten(withAbsolutePath(spec, { folder: location.cwd, homeDirectory: location.homeDirectory }));
  await editConfigFile(files[level].path, (document) => {
    const current = { ...files, [level]: document };
    const holder = (level === "project" ? [level] : levels).find((one) => isWrittenIn(current[one], spec.name));
    if (holder !== undefined) throw nameTaken(spec.name, current[holder].path);
    return document.value.resources === undefined
      ? setValue(document.text, ["resources"], [added])
      : addItem(document.text, "resources", added);
  });
  return { path: files[level].path };
}

/**
 * Changes the fields of a resource, in the file that defines it; unchanged fields keep their text.
 * @throws ResourceNotFound, AddressNotAllowed, ConfigInvalid, LockTimeout, StorageFailed
 */
export async function updateResource(from: ConfigLocation, spec: ResourceSpec): Promise<{ path: string }> {
  const location = await locationOfName(spec.name, from);
  const files = await readFiles(location);
  requireAllowedHost(spec, files.global.value.allowHosts ?? []);
  const level = holderOf(spec.name, files);
  if (level === undefined) throw notFound(spec.name, files);
  const updated = withAbsolutePath(spec, { folder: location.cwd, homeDirectory: location.homeDirectory });
  await editConfigFile(files[level].path, (document) => {
    const listed = listedIn(document, level);
    const index = listed.findIndex(({ name }) => name === spec.name);
    const position = document.positions[index] ?? index;
    const before = listed[index];
    if (before === undefined) throw notFound(spec.name, { ...files, [level]: document });
    const after = withUnchangedPath(updated, before, baseOf(document, location));
    return document.value.resources === undefined
      ? setValue(document.text, ["resources"], listed.with(index, after).map(toWritten))
      : updateItem(document.text, "resources", position, { before: toWritten(before), after: toWritten(after) });
  });
  return { path: files[level].path };
}

/**
 * Removes a resource from the file that defines it, or only from the file of the given level. If both define it, it is
 * removed from the project's, and the global definition applies again.
 * @throws ResourceNotFound, ConfigInvalid, LockTimeout, StorageFailed
 */
export async function removeResource(
  from: ConfigLocation,
  name: string,
  { level: wanted }: { level?: Level | undefined } = {},
): Promise<{ path: string }> {
  const location = await locationOfName(name, from);
  const files = await readFiles(location);
  const level = holderOf(name, files, wanted === undefined ? levels : [wanted]);
  if (level === undefined) throw notFound(name, files);
  await editConfigFile(files[level].path, (document) => {
    const listed = listedIn(document, level);
    const index = listed.findIndex((spec) => spec.name === name);
    if (document.value.resources === undefined && index !== -1) {
      return setValue(document.text, ["resources"], listed.toSpliced(index, 1).map(toWritten));
    }
    const ignored = document.ignored.find((entry) => entry.name === name);
    const position = index === -1 ? ignored?.index : document.positions[index];
    if (position === undefined) throw notFound(name, { ...files, [level]: document });
    return removeItem(document.text, "resources", position);
  });
  return { path: files[level].path };
}

/**
 * Selects the model, in the project's file if it exists, else in the global one, unless a level is given. An address is
 * written only if it is new.
 * @throws ConfigInvalid, LockTimeout, StorageFailed
 */
export async function setModel(
  location: ConfigLocation,
  { provider, model, providerOptions = {} }: SetModel,
  { level }: { level?: Level | undefined } = {},
): Promise<{ savedTo: Level; path: string }> {
  const files = await readFiles(location);
  const savedTo = level ?? (files.project.exists ? "project" : "global");
  await editConfigFile(files[savedTo].path, (document) => {
    let text = setValue(document.text, ["provider"], provider);
    text = setValue(text, ["model"], model);
    for (const [key, value] of Object.entries(providerOptions)) {
      if (value !== undefined) text = setValue(text, ["providerOptions", provider, key], value);
    }
    return text;
  });
  return { savedTo, path: files[savedTo].path };
}

type Level = Exclude<ConfigSource, "default">;
type Files = Readonly<Record<Level, ConfigDocument>>;

async function readFiles(
  location: ConfigLocation,
  options: ReadOptions = {},
): Promise<Files & { others: readonly ConfigDocument[] }> {
  const { folders = [], cwd } = location;
  const paths = configPaths(location);
  const others = folders.filter((folder) => folder !== cwd).map((folder) => configPaths({ ...location, cwd: folder }));
  return {
    global: await readConfigFile(paths.globalFile),
    project: await readMigratedProject(paths, options),
    others: await Promise.all(others.map((other) => readMigratedProject(other, options))),
  };
}

/** The location of the open project whose file lists the name; the working directory takes precedence. */
async function locationOfName(name: string, location: ConfigLocation): Promise<ConfigLocation> {
  const { project, others } = await readFiles(location);
  const holder = [project, ...others].find((document) => listedIn(document, "project").some((it) => it.name === name));
  return holder === undefined ? location : { ...location, cwd: path.dirname(holder.path) };
}

/** A global file without a list has the default resources (docs/contract.md, "Configuration file", rule 2). */
function listedIn({ value }: ConfigDocument, level: Level): readonly ResourceSpec[] {
  return value.resources ?? (level === "global" ? defaultResources : []);
}

/** The project's file takes precedence. */
const levels = ["project", "global"] as const;

/** The file that a name comes from, which may be one of its ignored resources. */
function holderOf(name: string, files: Files, among: readonly Level[] = levels): Level | undefined {
  return among.find(
    (level) => isWrittenIn(files[level], name) || listedIn(files[level], level).some((entry) => entry.name === name),
  );
}

function isWrittenIn({ value, ignored }: ConfigDocument, name: string): boolean {
  return [...(value.resources ?? []), ...ignored].some((entry) => entry.name === name);
}

/** A later resource replaces an earlier one of the same name, at the same position. */
function mergeByName(specs: readonly ResourceSpec[]): ResourceSpec[] {
  return [...new Map(specs.map((spec) => [spec.name, spec])).values()];
}

interface PathBase {
  folder: string;
  homeDirectory: string;
}

/** Relative paths in a file are relative to the file's folder. */
function baseOf(document: ConfigDocument, { homeDirectory }: ConfigLocation): PathBase {
  return { folder: path.dirname(document.path), homeDirectory };
}

function dataDirectoryIn(document: ConfigDocument, location: ConfigLocation): string | undefined {
  const { dataDirectory } = document.value;
  return dataDirectory === undefined ? undefined : toAbsolutePath(dataDirectory, baseOf(document, location));
}

function withAbsolutePath(spec: ResourceSpec, base: PathBase): ResourceSpec {
  return mapPath(spec, (path) => toAbsolutePath(path, base));
}

/** A relative path that resolves to the same place keeps its text. */
function withUnchangedPath(spec: ResourceSpec, before: ResourceSpec, base: PathBase): ResourceSpec {
  const written = pathOf(before);
  const isSame = (path: string) => written !== undefined && toAbsolutePath(written, base) === path;
  return mapPath(spec, (path) => (isSame(path) ? (written ?? path) : path));
}

/** Leaves out undefined fields. */
function toWritten(spec: ResourceSpec): Record<string, unknown> {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined && value !== null));
}

type SourcedKey = SettingName | "dataDirectory";

function sourcesIn({ global, project }: Files): Record<SourcedKey, ConfigSource>;
function sourcesIn({ global, project }: Files): Record<string, ConfigSource> {
  const sourceOf = (key: SourcedKey): ConfigSource =>
    project.value[key] !== undefined ? "project" : global.value[key] === undefined ? "default" : "global";
  return Object.fromEntries([...settingNames, "dataDirectory" as const].map((key) => [key, sourceOf(key)]));
}

function stateOf(document: ConfigDocument, level: Level): ConfigFileState {
  const { path, exists } = document;
  return { path, exists, resources: listedIn(document, level).map(({ name }) => name) };
}

/** A literal private address is refused at once; the addresses of a name are checked at each fetch. */
export function requireAllowedHost(spec: ResourceSpec, allowHosts: readonly string[]): void {
  const url = kindOf(spec).urlOf?.(spec);
  if (url === undefined) return;
  const place = new URL(url);
  const host = plainHost(place.hostname);
  const fault = privateHostFault(host);
  if (fault === undefined || isTrustedHost(place, allowHosts)) return;
  throw new CitewellError("AddressNotAllowed", `url: ${fault}`, {
    hint: `if it is a git host that you trust, add ${JSON.stringify(host)} to allowHosts in the global configuration`,
  });
}

function nameTaken(name: string, file: string): CitewellError {
  return new CitewellError("ResourceNameTaken", `the name "${name}" is taken: ${file} has it`, {
    hint: `choose another name, or remove that one: citewell remove ${name}`,
  });
}

function notFound(name: string, files: Files): CitewellError {
  const names = mergeByName([...listedIn(files.global, "global"), ...listedIn(files.project, "project")]).map(
    (spec) => spec.name,
  );
  const close = nearest(name, names);
  const others = names.length === 0 ? "no resource is configured" : "citewell resources lists them all";
  return new CitewellError("ResourceNotFound", `no resource named ${JSON.stringify(name)}`, {
    hint: close.length > 0 ? `did you mean ${close.join(" or ")}?` : others,
  });
}
