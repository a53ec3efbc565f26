import nodePath from "node:path";
import { CitewellError } from "../errors.ts";
import type { Origins } from "../agent/tools/imported.ts";
import type { FindUpgrade } from "../agent/tools/upgrade.ts";
import { createDisposalStack } from "../lib/disposal-stack.ts";
import { nearest } from "../lib/nearest.ts";
import { dependencyAt, isManifest } from "../protocol/dependency-line.ts";
import { type PackageType, packageReference, packageTypes, withoutPrefix } from "../protocol/kinds/names.ts";
import { type UpgradeReport, UpgradeRequest } from "../protocol/upgrade.ts";
import { quoteValue } from "../protocol/validation.ts";
import { versionOfRevision } from "../resources/packages/integrity.ts";
import type { Dependency } from "../resources/packages/dependencies.ts";
import { ecosystems } from "../resources/packages/ecosystems.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { kindOfPath } from "../retrieval/retrieval.ts";
import type { ImportBinding } from "../source/import-bindings.ts";
import { languageOf } from "../source/languages.ts";
import { findUses, type PackageUse } from "../upgrade/find-uses.ts";
import { constructorName, createReport, type ProjectUse, type VersionFacts } from "../upgrade/report.ts";
import { moduleFiles } from "../upgrade/module-paths.ts";
import { readVersion } from "../upgrade/read-version.ts";
import { statedRepository } from "../upgrade/stated-repository.ts";
import type { Call, Context, TenantServices } from "./context.ts";
import { type KnownResources, knownTo } from "./known-resources.ts";
import { citedPlaces, type Lines } from "./cited-places.ts";
import { nameOf, selectTargets, type Target } from "./targets.ts";
import { requirementOf, withForwarded } from "./forwarded-packages.ts";
import { deprecationOf, nextMajor, packageTarget, type WantedPackage, wantedPackages } from "./upgrade-target.ts";

/** The most files of the project that are read. */
const filesLimit = 20_000;
/** The most lines of the project that a finding shows. */
const usesShown = 5;

/**
 * What an upgrade of a dependency would touch in the open project. Asks no model and changes nothing.
 * @throws InvalidRequest (no project, several packages of that name, the same version), ResourceNotFound (no such
 * dependency), and as opening the package
 */
export async function upgrade(request: UpgradeRequest, { tenant }: Context, { signal }: Call): Promise<UpgradeReport> {
  await using opened = createDisposalStack();
  const open = async (target: Target) => opened.use(await tenant.resources.open(target, { signal }));
  return await reportUpgrade(
    request,
    { ...tenant, known: await knownTo(tenant) },
    { open, isNamedByVersion: true, signal },
  );
}

/** What a report needs of a project. */
export type UpgradeContext = Pick<TenantServices, "projects" | "places" | "resources"> & { known: KnownResources };

/** Lets an answer report: what it opens is asked as well, so that it can be cited. */
export function upgradesFor(
  context: UpgradeContext,
  { snapshots, own }: { snapshots: Snapshot[]; own: (snapshot: Snapshot) => void },
): FindUpgrade {
  const never = new AbortController().signal;
  return (asked, { signal = never }) => {
    const open = async (target: Target): Promise<Snapshot> => {
      const known = snapshots.find(({ resource }) => resource === nameOf(target));
      if (known !== undefined) return known;
      const snapshot = await context.resources.open(target, { signal });
      own(snapshot);
      snapshots.push(snapshot);
      return snapshot;
    };
    return reportUpgrade(UpgradeRequest.parse({ ...asked, limit: 30 }), context, { open, signal });
  };
}

interface ReportOptions {
  open(target: Target): Promise<Snapshot>;
  /** Whether places name a package with its exact version, not as it was opened: such a name means it for good. */
  isNamedByVersion?: boolean;
  signal: AbortSignal;
}

async function reportUpgrade(
  request: UpgradeRequest,
  context: UpgradeContext,
  { open, isNamedByVersion = false, signal }: ReportOptions,
): Promise<UpgradeReport> {
  const { projects, known, places } = context;
  const { origins } = projects;
  if (origins === undefined) throw withoutProject();
  const dependency = await findDependency(request.package, context);
  const { type, package: name, wanted: asked } = dependency;
  const isPinned = asked !== undefined && ecosystems[type].isExact(asked);
  const version = dependency.version ?? (isPinned ? asked : undefined);
  if (version === undefined) {
    throw new CitewellError(
      "InvalidRequest",
      `the version of ${name} in use is not known: it is not installed or locked`,
      {
        hint: "install the project's dependencies, and ask again",
      },
    );
  }
  const openPackage = (one: WantedPackage): Promise<Snapshot> => open(packageTarget(type, one));
  const { snapshot: wanted, name: wantedName } = await openFirst(
    wantedPackages(request.to, { type, name }),
    openPackage,
  );
  const wantedVersion = versionOfRevision(wanted.revision) || wanted.revision;
  const elsewhere = [
    request.to === undefined ? await nextMajor({ type, name, version }, context.resources, { signal }) : undefined,
    await deprecationOf(wanted, { signal }),
  ].filter((sentence) => sentence !== undefined);
  if (wantedName === name && wantedVersion === version) {
    const next = "it is the newest; name another version, or the package that replaces it with a version";
    throw new CitewellError("InvalidRequest", `${name} ${version} is in use already`, {
      hint: request.to === undefined ? [next, ...elsewhere].join(". ") : "name another version",
    });
  }
  const current = await openPackage({ name, version });
  const written = request.changelog === undefined ? [] : selectTargets([request.changelog], known, places);
  const changelogs = [wanted, ...(await Promise.all(written.map(open)))];
  const project = await readProject(dependency, { current, origins, known, open, signal });
  const names = new Set([...project.uses.map((use) => use.name), constructorName]);
  const versions = { from: version, to: wantedVersion };
  const facts = async (snapshot: Snapshot, of: string): Promise<VersionFacts> =>
    withForwarded(await readVersion(snapshot, { names, version: of, signal }), async ({ module, names: others }) => {
      const [other = module] = ecosystems[type].imports.packagesOf(module, "*");
      const required = await requirementOf(other, snapshot, { signal });
      if (required === undefined) return undefined;
      return readVersion(await openPackage(required), { names: new Set([...names, ...others]), version: of, signal });
    });
  const before = await facts(current, version);
  const after = await facts(wanted, wantedVersion);
  const repository = await statedRepository(wantedName, wanted, { signal });
  const report = await createReport(project.uses, { before, after, changelogs, versions, repository, signal });
  const exact = new Map<Snapshot, string>(
    isNamedByVersion
      ? [
          [current, packageReference(type, name, version)],
          [wanted, packageReference(type, wantedName, wantedVersion)],
        ]
      : [],
  );
  const named = (snapshot: Snapshot) => exact.get(snapshot) ?? snapshot.resource;
  const place = citedPlaces(named, signal);
  const shown = report.findings.slice(0, request.limit);
  return {
    type,
    package: name,
    from: { resource: named(current), version, label: current.info.label },
    to: {
      resource: named(wanted),
      ...(wantedName === name ? {} : { package: wantedName }),
      version: wantedVersion,
      label: wanted.info.label,
    },
    ...(elsewhere.length === 0 ? {} : { elsewhere: elsewhere.join(" ") }),
    findings: await Promise.all(
      shown.map(async ({ uses: found, before: old, after: now, notes, ...finding }) => {
        const uses = found.length > 0 ? found : project.asked;
        return {
          ...finding,
          uses: await Promise.all(uses.slice(0, usesShown).map(place)),
          useCount: uses.length,
          ...(old === undefined ? {} : { before: await place(old) }),
          ...(now === undefined ? {} : { after: await place(now) }),
          notes: await Promise.all(notes.map(place)),
        };
      }),
    ),
    total: report.findings.length,
    usedNames: report.usedNames,
    files: project.files,
    sections: await Promise.all(report.sections.map(place)),
    notes: [...project.notes, ...before.notes, ...after.notes, ...report.notes],
  };
}

/** The first of some packages that can be opened. @throws as opening the last one */
async function openFirst(
  [first, ...others]: readonly [WantedPackage, ...WantedPackage[]],
  openPackage: (one: WantedPackage) => Promise<Snapshot>,
): Promise<{ snapshot: Snapshot; name: string }> {
  try {
    return { snapshot: await openPackage(first), name: first.name };
  } catch (error) {
    const [next, ...rest] = others;
    if (!(error instanceof CitewellError) || next === undefined) throw error;
    return openFirst([next, ...rest], openPackage);
  }
}

function withoutProject(): CitewellError {
  return new CitewellError("InvalidRequest", "an upgrade is about the open project, and there is none", {
    hint: "run it in the project's folder",
  });
}

/** The dependency of a name that a person or a manifest writes. @throws ResourceNotFound, InvalidRequest */
async function findDependency(written: string, { projects }: UpgradeContext): Promise<Dependency> {
  const list = await projects.dependencies();
  if (list === undefined) throw withoutProject();
  const type = packageTypes.find((one) => withoutPrefix(one, written) !== undefined);
  const name = type === undefined ? written : (withoutPrefix(type, written) ?? written);
  const ofType = list.usable.filter((one) => type === undefined || one.type === type);
  const exact = ofType.filter((one) => isSameName(name, one));
  const found = exact.length > 0 ? exact : withShortName(name, ofType);
  const [only, another] = found;
  if (only !== undefined && (another === undefined || another.type === only.type)) return only;
  if (only !== undefined && another !== undefined) {
    const forms = found.map((one) => packageReference(one.type, one.name));
    throw new CitewellError("InvalidRequest", `the project has several packages named ${quoteValue(name)}`, {
      hint: `name one: ${forms.join(", ")}`,
    });
  }
  const skipped = list.skipped.find((one) => one.name === name);
  const close = nearest(
    name,
    list.usable.map((one) => one.name),
  );
  throw new CitewellError("ResourceNotFound", `the project does not depend on ${quoteValue(name)}`, {
    hint:
      skipped?.reason ?? (close.length > 0 ? `did you mean ${close.join(" or ")}?` : "name it as the manifest does"),
  });
}

/** `junit` of `junit:junit`, `jwt` of `github.com/golang-jwt/jwt/v4`, if no other one ends so. */
function withShortName(written: string, dependencies: readonly Dependency[]): Dependency[] {
  const found = dependencies.filter(
    (one) =>
      one.package
        .replace(/\/v\d+$/, "")
        .split(/[/:]/)
        .at(-1) === written,
  );
  return new Set(found.map((one) => one.package)).size === 1 ? found : [];
}

/** PyPI's names ignore case and `-`, `_`, `.`; nobody means two packages by them elsewhere. */
function isSameName(written: string, { name, package: real }: Pick<Dependency, "name" | "package">): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[-_.]+/g, "-");
  return plain(written) === plain(name) || plain(written) === plain(real);
}

interface ProjectUses {
  uses: ProjectUse[];
  /** The number of files that import the package. */
  files: number;
  /** The lines of manifests that ask for it: what is not of a name is of them. */
  asked: Lines[];
  notes: string[];
}

/** The lines of the open projects that use a package. */
async function readProject(
  dependency: Dependency,
  {
    current,
    origins,
    known: { projects },
    open,
    signal,
  }: { current: Snapshot; origins: Origins; known: KnownResources } & Pick<ReportOptions, "open" | "signal">,
): Promise<ProjectUses> {
  if (projects.length === 0) throw withoutProject();
  const { type, package: name } = dependency;
  const { languages } = ecosystems[type].imports;
  const uses: ProjectUse[] = [];
  const asked: Lines[] = [];
  const notes: string[] = [];
  let files = 0;
  let read = 0;
  const isOfPackage = packageTest({ type, name, current, origins });
  for (const spec of projects) {
    const snapshot = await open(spec);
    for (const { path } of snapshot.files) {
      asked.push(...(await askingLines(dependency, { snapshot, path, signal })));
      const language = languageOf(path).tag;
      if (!languages.includes(language)) continue;
      if (++read > filesLimit) {
        notes.push(`only the first ${filesLimit} files of code were looked at`);
        break;
      }
      const source = await snapshot.read(path, { signal }).catch(() => undefined);
      signal.throwIfAborted();
      const onDisk = snapshot.pathOnDisk(path);
      if (source === undefined || onDisk === undefined) continue;
      const folder = nodePath.dirname(onDisk);
      const found = await findUses(path, source.lines, (binding) => isOfPackage(binding, { language, folder }));
      if (found.length > 0) files++;
      const isTest = kindOfPath(path) === "test";
      uses.push(...found.map((use: PackageUse) => ({ ...use, snapshot, path, isTest })));
    }
  }
  return { uses, files, asked, notes };
}

/** The lines of a manifest that name a dependency; an element of several lines is its first. */
async function askingLines(
  dependency: Dependency,
  { snapshot, path, signal }: Pick<Lines, "snapshot" | "path"> & { signal: AbortSignal },
): Promise<Lines[]> {
  const fileName = nodePath.posix.basename(path);
  if (!isManifest(fileName)) return [];
  const source = await snapshot.read(path, { signal }).catch(() => undefined);
  signal.throwIfAborted();
  const lines = source?.lines ?? [];
  const isNamed = (line: number) => isSameName(dependencyAt(fileName, lines, line) ?? "", dependency);
  return lines.flatMap((_, line) =>
    isNamed(line) && (line === 0 || !isNamed(line - 1)) ? [{ snapshot, path, line: line + 1 }] : [],
  );
}

/** Whether imports are of a package; each module is looked up once. */
function packageTest({
  type,
  name,
  current,
  origins,
}: {
  type: PackageType;
  name: string;
  current: Snapshot;
  origins: Origins;
}): (binding: ImportBinding, from: { language: string; folder: string }) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return ({ module, imported, local }, { language, folder }) => {
    if (/^(?:\.|\/|crate\b|self\b|super\b|node:|@\/|#)/.test(module)) return Promise.resolve(false);
    const named = imported ?? local;
    const key = ecosystems[type].imports.packagesOf(module, named).join("\n");
    const test = known.get(key) ?? isOfPackage();
    known.set(key, test);
    return test;

    async function isOfPackage(): Promise<boolean> {
      // A class has a file of its name, also where the artifact is not on disk.
      const files = type === "maven" ? moduleFiles({ module, name: named }, language) : undefined;
      if (files !== undefined && current.files.some(({ path }) => files.test(path))) return true;
      const origin = await origins.ofImport({ module, name: named, language, folder });
      return origin?.type === type && isSameName(origin.name, { name, package: name });
    }
  };
}
