import path from "node:path";
import { projectPath } from "../files.ts";
import { type Element, elementAt, elementsIn, readXmlFile, textOf } from "../xml.ts";

/** What names a published artifact. */
export interface Coordinates {
  group: string;
  artifact: string;
  version: string;
}

/** A dependency of a project. */
export interface Declared {
  group: string;
  artifact: string;
  /** As the project means it: a version or range; undefined if no file on disk says it. */
  version: string | undefined;
  /** The file that says the version, else the one with the dependency. */
  file: string;
  scope?: string | undefined;
  isOptional?: boolean;
  /** What it must not bring, as `group:artifact`, where `*` means all. */
  exclusions?: readonly string[];
}

/** A project's `pom.xml` with what it inherits. */
export interface Pom {
  coordinates: Coordinates;
  dependencies: readonly Declared[];
  /** The versions that it sets for dependencies, by `group:artifact`. */
  managed: ReadonlyMap<string, string>;
  /** The folders or files of its modules, relative to it. */
  modules: readonly string[];
  repositories: readonly { id: string; url: string }[];
  description: string | undefined;
  license: string | undefined;
  /** The `group:artifact` that replaces it: https://maven.apache.org/guides/mini/guide-relocation.html */
  relocation: string | undefined;
  /** The address of its source repository, and the tag of this version. */
  source: { url: string | undefined; tag: string | undefined };
}

/** Where POMs are found that are not in the tree. */
export interface PomReader {
  /** The root of a file or of a published POM; undefined if there is none. */
  read(file: string): Promise<Element | undefined>;
  /** The place of a published POM, for `read`. */
  placeOf(coordinates: Coordinates): Promise<string | undefined>;
  /** Properties of the command line, which replace those of the POM. */
  properties?: ReadonlyMap<string, string>;
}

/** Far more than any real project has: parents above a parent, and imports within imports. */
const depthLimit = 20;
/** A longer value is left as it is written, so that properties cannot multiply. */
const valueLimit = 1000;

/**
 * Reads a POM as Maven does: its parents by `relativePath` or from `reader.placeOf`, properties, `dependencyManagement` and imported
 * BOMs. Profiles are not applied. Undefined if it is no POM.
 */
export async function readPom(file: string, reader: PomReader, depth = 0): Promise<Pom | undefined> {
  const chain = await readChain(file, reader);
  const [own] = chain;
  if (own === undefined) return undefined;
  const inherited = (...names: readonly string[]) =>
    chain.map(({ root }) => textOf(root, ...names)).find((text) => text !== undefined);
  const lookUp = propertiesOf(chain, reader.properties);
  const filled = (element: Element | undefined, name: string) => fill(textOf(element, name), lookUp);
  const nameOf = (element: Element) => `${filled(element, "groupId") ?? ""}:${filled(element, "artifactId") ?? ""}`;

  const managed = new Map<string, { version: string; file: string }>();
  const imports: Element[] = [];
  for (const { root, file: by } of chain) {
    for (const entry of elementsIn(root, "dependencyManagement", "dependencies")) {
      if (textOf(entry, "scope") === "import") imports.push(entry);
      const version = filled(entry, "version");
      if (version !== undefined && !managed.has(nameOf(entry))) managed.set(nameOf(entry), { version, file: by });
    }
  }
  for (const entry of depth < depthLimit ? imports : []) {
    const [group = "", artifact = ""] = nameOf(entry).split(":");
    const version = filled(entry, "version") ?? "";
    const place = await reader.placeOf({ group, artifact, version });
    const bom = place === undefined ? undefined : await readPom(place, reader, depth + 1);
    const by = `the BOM ${artifact} ${version}`;
    for (const [name, value] of bom?.managed ?? [])
      if (!managed.has(name)) managed.set(name, { version: value, file: by });
  }

  const dependencies = new Map<string, Declared>();
  for (const { root, file: by } of chain) {
    for (const entry of elementsIn(root, "dependencies")) {
      const name = nameOf(entry);
      const [group = "", artifact = ""] = name.split(":");
      const version = filled(entry, "version");
      const found = version === undefined ? managed.get(name) : { version, file: by };
      if (dependencies.has(name)) continue;
      dependencies.set(name, {
        group,
        artifact,
        version: found?.version,
        file: path.basename(found?.file ?? by),
        scope: filled(entry, "scope"),
        isOptional: filled(entry, "optional") === "true",
        exclusions: elementsIn(entry, "exclusions").map(nameOf),
      });
    }
  }
  const coordinates = {
    group: fill(inherited("groupId") ?? textOf(own.root, "parent", "groupId"), lookUp) ?? "",
    artifact: filled(own.root, "artifactId") ?? "",
    version: fill(textOf(own.root, "version") ?? textOf(own.root, "parent", "version"), lookUp) ?? "",
  };
  const relocation = elementAt(own.root, "distributionManagement", "relocation");
  const moved = `${filled(relocation, "groupId") ?? coordinates.group}:${filled(relocation, "artifactId") ?? coordinates.artifact}`;
  return {
    coordinates,
    dependencies: [...dependencies.values()],
    managed: new Map([...managed].map(([name, { version }]) => [name, version])),
    modules: elementsIn(own.root, "modules").map(({ text }) => text.trim()),
    repositories: chain
      .flatMap(({ root }) => elementsIn(root, "repositories"))
      .map((entry) => ({ id: filled(entry, "id") ?? "", url: filled(entry, "url") ?? "" })),
    description: textOf(own.root, "description"),
    license: chain.map(({ root }) => textOf(root, "licenses", "license", "name")).find((name) => name !== undefined),
    // Without another name, only the version is another one.
    relocation: moved === `${coordinates.group}:${coordinates.artifact}` ? undefined : moved,
    source: {
      url: fill(inherited("scm", "url") ?? inherited("scm", "connection") ?? inherited("url"), lookUp),
      tag: fill(textOf(own.root, "scm", "tag"), lookUp),
    },
  };
}

interface Raw {
  root: Element;
  file: string;
}

/** The POM, its parent, and so on. */
async function readChain(first: string, reader: PomReader): Promise<Raw[]> {
  const chain: Raw[] = [];
  let file: string | undefined = first;
  while (file !== undefined && chain.length < depthLimit) {
    const root = await reader.read(file);
    if (root?.name !== "project") break;
    chain.push({ root, file });
    file = await findParent(root, { file, reader });
  }
  return chain;
}

async function findParent(
  root: Element,
  { file, reader }: { file: string; reader: PomReader },
): Promise<string | undefined> {
  const parent = elementAt(root, "parent");
  if (parent === undefined) return undefined;
  const lookUp = propertiesOf([{ root, file }], reader.properties);
  const [group = "", artifact = "", version = ""] = ["groupId", "artifactId", "version"].map(
    (name) => fill(textOf(parent, name), lookUp) ?? "",
  );
  const relative = elementAt(parent, "relativePath")?.text.trim() ?? "../pom.xml";
  if (relative !== "") {
    const beside = projectPath(path.dirname(file), relative);
    for (const place of beside === undefined ? [] : [beside, path.join(beside, "pom.xml")]) {
      const found = await reader.read(place);
      if (textOf(found, "artifactId") === artifact && (textOf(found, "groupId") ?? group) === group) return place;
    }
  }
  return reader.placeOf({ group, artifact, version });
}

/** The properties of a POM and of its parents, the nearest first, and those that Maven defines. */
function propertiesOf(
  chain: readonly Raw[],
  given: ReadonlyMap<string, string> = new Map(),
): (name: string) => string | undefined {
  const own = chain[0]?.root;
  const project = (name: string) =>
    textOf(own, ...name.split(".")) ?? (/^(?:groupId|version)$/.test(name) ? textOf(own, "parent", name) : undefined);
  return (name) => {
    const [, ofProject] = /^(?:project|pom)\.([\w.]+)$/.exec(name) ?? [];
    return (
      given.get(name) ??
      (ofProject === undefined ? undefined : project(ofProject)) ??
      chain.map(({ root }) => propertyOf(root, name)).find((value) => value !== undefined) ??
      (name === "version" || name === "groupId" ? project(name) : undefined)
    );
  };
}

/** A property's name may have dots, which are part of it. */
function propertyOf(root: Element, name: string): string | undefined {
  return elementsIn(root, "properties")
    .find((property) => property.name === name)
    ?.text.trim();
}

/** Replaces `${name}`; undefined if one of them is unknown: a version that is not known is none. */
function fill(text: string | undefined, lookUp: (name: string) => string | undefined): string | undefined {
  let value = text;
  for (let round = 0; round < depthLimit && value?.includes("${") === true; round++) {
    value = value.replace(/\$\{([^${}]+)\}/g, (written, name: string) => lookUp(name) ?? written);
    if (value.length > valueLimit) return undefined;
  }
  return value?.includes("${") === true ? undefined : value;
}

/** Reads each file once. */
export function createPomReader({ placeOf, properties }: Omit<PomReader, "read">): PomReader {
  const roots = new Map<string, Promise<Element | undefined>>();
  return {
    ...(properties === undefined ? {} : { properties }),
    read(file) {
      const known = roots.get(file) ?? readXmlFile(file);
      roots.set(file, known);
      return known;
    },
    placeOf,
  };
}
