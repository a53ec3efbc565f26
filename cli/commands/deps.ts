import path from "node:path";
import { describeDependencies } from "../../server/operations/list-dependencies.ts";
import { addResource, type ConfigLocation, loadConfig } from "../../server/config/config.ts";
import { initProject } from "../../server/config/init.ts";
import { CitewellError } from "../../server/errors.ts";
import { nearest } from "../../server/lib/nearest.ts";
import type { Dependency, DependencyList, PackageSpec } from "../../server/protocol/resource.ts";
import { readDependencies } from "../../server/resources/packages/dependencies.ts";
import { ecosystems } from "../../server/resources/packages/ecosystems.ts";
import { expandFolders } from "../../server/resources/packages/files.ts";
import { findOtherManifests } from "../../server/resources/packages/other-manifests.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { configLocation } from "../app/open-app.ts";
import { openPrompts } from "../input/prompts.ts";
import { type Terminal, write } from "../terminal.ts";

type Skipped = NonNullable<DependencyList["skipped"]>[number];

/** Options of `citewell deps`. */
export interface DepsOptions extends CommonOptions {
  all?: boolean;
  yes?: boolean;
}

/**
 * Adds what the workspace depends on, at the versions that it has installed, to the project's own file, which is created
 * where it is missing: in the global file they would apply to every other project.
 */
export async function deps(names: readonly string[], options: DepsOptions, terminal: Terminal): Promise<number> {
  const location = configLocation(terminal);
  const config = await loadConfig(location);
  const { dependencies, skipped = [] } = describeDependencies(await readDependencies(location), config);
  if (dependencies === null) throw await withoutManifest(location);
  const present = dependencies.filter(({ isAdded }) => isAdded).map(({ name }) => name);
  const missing = dependencies.filter(({ isAdded }) => !isAdded);
  const chosen = await choose(names, { all: dependencies, missing, skipped }, options, terminal);
  const specs = chosen.filter(({ isAdded }) => !isAdded).map(({ spec }) => spec);
  const isCreated = specs.length > 0 && !config.projectFile.exists;
  if (isCreated) await initProject(location, { storage: "global", replaces: false });
  for (const spec of specs) await addResource(location, spec);
  const savedTo = config.projectFile.path;
  const saved = { specs, present, skipped, savedTo, isCreated };
  if (options.json === true) {
    await write(terminal.stdout, jsonText({ added: specs, present, skipped, savedTo, created: isCreated }));
  } else await write(terminal.stdout, describe(chosen, saved));
  for (const { file, what } of await findOtherManifests(location.cwd)) {
    await write(terminal.stderr, `${file}: ${what} cannot be added yet; ${otherHint}\n`);
  }
  return exitCodes.ok;
}

const otherHint = "add a dependency's repository or folder: citewell add <url-or-path>";

async function withoutManifest(location: ConfigLocation): Promise<CitewellError> {
  const { cwd } = location;
  const [found] = await findOtherManifests(cwd);
  if (found === undefined) {
    const below = await foldersBelow(location);
    return new CitewellError(
      "InvalidUsage",
      `there is no package.json or other manifest in ${cwd}, or in any folder above it`,
      {
        hint:
          below.length === 0
            ? "run it in a folder of your workspace"
            : `run it in a folder with one: ${below.slice(0, foldersNamed).join(", ")}${below.length > foldersNamed ? ", …" : ""}`,
      },
    );
  }
  return new CitewellError("InvalidUsage", `${found.file}: ${found.what} cannot be added yet`, {
    hint: otherHint,
  });
}

const foldersNamed = 5;
/** More folders are not looked at for a hint. */
const folderLimit = 200;

/** The folders of a monorepo, two levels deep, whose dependencies can be listed. */
async function foldersBelow(location: ConfigLocation): Promise<string[]> {
  const { cwd } = location;
  const below = (await Promise.all(["*", "*/*"].map((pattern) => expandFolders(cwd, pattern)))).flat();
  const found = await Promise.all(
    below.slice(0, folderLimit).map(async (folder) => {
      const around = { ...location, cwd: folder, folders: [] };
      const lists = await Promise.all(Object.values(ecosystems).map(({ namesNear }) => namesNear(around)));
      return lists.some((list) => list.length > 0) ? [path.relative(cwd, folder)] : [];
    }),
  );
  return found.flat();
}

async function choose(
  names: readonly string[],
  {
    all,
    missing,
    skipped,
  }: { all: readonly Dependency[]; missing: readonly Dependency[]; skipped: readonly Skipped[] },
  options: DepsOptions,
  terminal: Terminal,
): Promise<readonly Dependency[]> {
  if (names.length > 0 && (options.all === true || options.yes === true)) {
    throw new CitewellError("InvalidUsage", "names and --all cannot be used together");
  }
  if (names.length > 0) return names.map((name) => find(name, all, skipped));
  if (options.all === true || options.yes === true || missing.length === 0) return missing;
  const fault = new CitewellError("InvalidUsage", "no dependencies were given (names, or --all)", {
    hint: `${missing.length} can be added: citewell deps --all, or citewell deps ${missing[0]?.name ?? ""}`,
  });
  const prompts = await openPrompts(terminal, options, fault);
  const picked = await prompts.selectSome(
    "Which dependencies should be added? (space selects, enter adds)",
    missing.map((dependency) => {
      const version = versionOf(dependency);
      return { value: dependency.name, label: dependency.name, ...(version === undefined ? {} : { hint: version }) };
    }),
  );
  return missing.filter(({ name }) => picked.includes(name));
}

function find(name: string, all: readonly Dependency[], skipped: readonly Skipped[]): Dependency {
  const found = all.find((dependency) => dependency.name === name);
  if (found !== undefined) return found;
  const left = skipped.find((dependency) => dependency.name === name);
  if (left !== undefined) {
    throw new CitewellError("PackageNotFound", `${name} cannot be added: ${left.reason}`, {
      hint: "add its repository or folder: citewell add <url-or-path>",
    });
  }
  const close = nearest(
    name,
    all.map((dependency) => dependency.name),
  );
  throw new CitewellError("ResourceNotFound", `the workspace does not depend on ${JSON.stringify(name)}`, {
    hint: close.length > 0 ? `did you mean ${close.join(" or ")}?` : `add it by itself: citewell add npm:${name}`,
  });
}

function describe(
  chosen: readonly Dependency[],
  {
    specs,
    present,
    skipped,
    savedTo,
    isCreated,
  }: {
    specs: readonly PackageSpec[];
    present: readonly string[];
    skipped: readonly Skipped[];
    savedTo: string;
    isCreated: boolean;
  },
): string {
  const versions = new Map(chosen.map((dependency) => [dependency.name, versionOf(dependency)]));
  const added = specs.map(({ name }) => `added ${name} ${versions.get(name) ?? "latest"}\n`).join("");
  const target =
    specs.length === 0 ? "nothing to add\n" : `to ${savedTo}${isCreated ? ", created for this project" : ""}\n`;
  const there = present.length === 0 ? "" : `there already: ${present.join(", ")}\n`;
  return `${added}${target}${there}${describeSkipped(skipped)}`;
}

const skippedNamed = 3;

/** One line for each reason: a monorepo depends on many packages of its own. */
function describeSkipped(skipped: readonly Skipped[]): string {
  const alike = new Map<string, Skipped[]>();
  for (const one of skipped) {
    const reason = reasonOfEach(one);
    alike.set(reason, [...(alike.get(reason) ?? []), one]);
  }
  return Array.from(alike, ([reason, all]) => {
    if (all.length === 1) return all.map((one) => `left out ${one.name}: ${one.reason}\n`).join("");
    const names = all.slice(0, skippedNamed).map(({ name }) => name);
    return `left out ${all.length} (${names.join(", ")}${all.length > names.length ? ", …" : ""}): ${reason}\n`;
  }).join("");
}

/** The reason without the name and version of the package: "each is not installed". */
function reasonOfEach({ name, reason }: Skipped): string {
  const words = reason.replace(/^it /, "each ").split(" ");
  return words
    .map((word) => (word === name ? "each" : word))
    .join(" ")
    .replace(/\beach v?\d\S*/, "each");
}

/** What is read: the installed or locked version, else what the manifest asks for. */
function versionOf({ version, spec, wanted }: Dependency): string | undefined {
  return version ?? spec.version ?? wanted;
}
