import type { Certainty, UpgradeChange } from "../protocol/upgrade.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import {
  breaks,
  type ChangelogEntry,
  type InSnapshot,
  namesIn,
  namesOption,
  readChangelogs,
  type VersionSection,
} from "./changelog.ts";
import type { Declaration } from "./declarations.ts";
import { argumentGone, changeOf, type NameChange } from "./find-changes.ts";
import { defaultFindings, goneFromModule, moduleFindings } from "./imported-parts.ts";
import type { PackageUse } from "./find-uses.ts";
import { type VersionFacts, withBases } from "./read-version.ts";

export type { VersionFacts } from "./read-version.ts";

/** A use, and where the file is. */
export interface ProjectUse extends PackageUse {
  snapshot: Snapshot;
  path: string;
  isTest: boolean;
}

interface FilePlace {
  path: string;
  line: number;
}

/** One thing that an upgrade changes for the project. */
export interface ReportFinding {
  name: string;
  change: UpgradeChange;
  certainty: Certainty;
  uses: readonly ProjectUse[];
  before: InSnapshot<FilePlace> | undefined;
  after: InSnapshot<FilePlace> | undefined;
  notes: readonly InSnapshot<ChangelogEntry>[];
}

export interface Report {
  /** The most certain first. */
  findings: ReportFinding[];
  usedNames: number;
  sections: InSnapshot<VersionSection>[];
  notes: string[];
}

/** The most lines of the changelog for one finding. */
const notesShown = 3;
const certainties: readonly Certainty[] = ["certain", "likely", "possible"];
const changes: readonly UpgradeChange[] = ["removed", "requires", "changed", "deprecated", "noted"];

/** Compares what a project uses with both versions and with the changelog between them. */
export async function createReport(
  uses: readonly ProjectUse[],
  {
    before,
    after,
    changelogs,
    versions,
    repository,
    signal,
  }: {
    before: VersionFacts;
    after: VersionFacts;
    changelogs: readonly Snapshot[];
    versions: { from: string; to: string };
    /** Where the wanted version says that its source is. */
    repository: string | undefined;
    signal: AbortSignal;
  },
): Promise<Report> {
  const { entries, sections } = await readChangelogs(changelogs, versions, { signal });
  const findings: ReportFinding[] = [
    ...requirementFindings(uses, before, after),
    ...moduleFindings(uses, before, after),
    ...defaultFindings(uses, before, after),
  ];
  const groups = new Map<string, ProjectUse[]>();
  for (const use of uses) {
    const key = `${use.form === "import" || use.form === "member" ? "" : use.owner} ${use.form} ${use.name}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [use]);
    else group.push(use);
  }
  // A class that is gone from its place is not listed a second time by its name; where it has another place, it has members.
  const removed = findings.filter(({ change }) => change === "removed");
  const formsOf = ({ name }: ReportFinding) => [name, name.split(".").at(-1) ?? ""];
  const seen = new Set(removed.flatMap(formsOf));
  const gone = new Set(removed.filter(({ after: moved }) => moved === undefined).flatMap(formsOf));
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined || first.name === first.module) continue;
    const { name, form } = first;
    const owners = [...new Set(group.flatMap(ownersOf))];
    const facts = { before: before.names.get(name), after: after.names.get(name) };
    const made = typesOf(group, before);
    const types = { before: withBases(made, before), after: withBases(made, after) };
    const change =
      goneFromModule(group, before, after) ??
      goneArgument(first, before, after) ??
      changeOf({ name, owners, form, types }, facts);
    const isOption = form === "option";
    // With a function its arguments go, and with a class those of its members that other classes have as well.
    const isElsewhere = (facts.after?.declared.length ?? 0) + (facts.after?.mentions ?? 0) > 0;
    if (form !== "import" && (isOption || isElsewhere) && isOf(group, gone)) continue;
    const writtenOwners = owners.length > 0 ? [...owners, ...made] : first.path.endsWith(".go") ? moduleOf(first) : [];
    const noted = entries.filter((entry) =>
      isOption ? namesOption(entry, name) : namesIn(entry, { name, owners: writtenOwners }),
    );
    const breaking = noted.filter((entry) => breaks(entry, name));
    const isKnown = form === "import" || form === "member" || (facts.before?.declared.length ?? 0) > 0;
    if (change === undefined && (breaking.length === 0 || !isKnown)) continue;
    const written = first.owner === undefined ? name : `${first.owner}.${name}`;
    if (seen.has(written)) continue;
    seen.add(written);
    if (change?.change === "removed" || (change?.change === "deprecated" && form === "import")) gone.add(name);
    findings.push({
      name: written,
      change: change?.change ?? "noted",
      certainty: certaintyOf(change?.certainty, { form, isNoted: breaking.length > 0 }),
      uses: group.toSorted((a, b) => Number(a.isTest) - Number(b.isTest)),
      before: change?.before ?? facts.before?.declared[0],
      after: change?.after ?? (change === undefined ? facts.after?.declared[0] : undefined),
      notes: (breaking.length > 0 ? breaking : noted).slice(0, notesShown),
    });
  }
  findings.sort(
    (a, b) =>
      certainties.indexOf(a.certainty) - certainties.indexOf(b.certainty) ||
      changes.indexOf(a.change) - changes.indexOf(b.change) ||
      b.uses.length - a.uses.length,
  );
  const isOwn = ({ form }: ProjectUse) => form === "import" || form === "member";
  return {
    findings,
    usedNames: new Set(uses.filter(isOwn).map(({ name }) => name)).size,
    sections,
    notes: [
      ...(sections.length === 0
        ? [
            `what a changelog says: the package contains none of these versions${repository === undefined ? "" : `, its repository ${repository} may`}`,
          ]
        : []),
      "what a function does otherwise with the same name and parameters, unless the changelog names it",
      "uses by computed names, in strings and configuration, and through other packages",
    ],
  };
}

/** What a use names before the name; a module is none, because what it exports may be declared anywhere. */
function ownersOf({ form, owner, ownerIs }: ProjectUse): string[] {
  const named = form === "member" ? ownerIs : owner;
  return named === undefined || (form === "member" && !/^[A-Z]/.test(named)) ? [] : [named];
}

/** In Go a name is written with its package. */
function moduleOf({ form, owner }: ProjectUse): string[] {
  return form === "member" && owner !== undefined ? [owner] : [];
}

/** Whether what all uses are members of, or arguments for, is known by its name, and one of some names. */
function isOf(group: readonly ProjectUse[], names: ReadonlySet<string>): boolean {
  return group.every(({ form, owner = "", ownerIs, types }) => {
    if (form === "option") return names.has(owner);
    const known = ownerIs === undefined ? types : [ownerIs];
    return known.length > 0 && known.every((one) => names.has(one));
  });
}

/** What the members' owners may be: types by name, and those that the package's functions return. */
function typesOf(group: readonly ProjectUse[], before: VersionFacts): string[] {
  const named = group.flatMap(({ types, ownerIs }) => (ownerIs === undefined ? types : [ownerIs]));
  const returned = named.flatMap((one) => before.names.get(one)?.declared.flatMap(({ returns }) => returns) ?? []);
  return [...new Set([...named.filter((one) => /^[A-Z]/.test(one)), ...returned])];
}

/** What takes the arguments of a class of Python; the classes that it is based on may have it. */
export const constructorName = "__init__";

/** An option that is an argument by name, and no longer one. */
function goneArgument(
  { form, name, owner = "" }: ProjectUse,
  before: VersionFacts,
  after: VersionFacts,
): NameChange | undefined {
  if (form !== "option") return undefined;
  const takenBy = (version: VersionFacts): Declaration[] => {
    const classes = withBases([owner], version);
    const made = version.names.get(constructorName)?.declared ?? [];
    return [
      ...(version.names.get(owner)?.declared ?? []),
      ...made.filter(({ owners }) => owners.some((one) => classes.has(one))),
    ];
  };
  return argumentGone(name, { before: takenBy(before), after: takenBy(after), named: after.names.get(name) });
}

/** What the changelog says as well is surer by one step. */
function certaintyOf(
  found: Certainty | undefined,
  { form, isNoted }: { form: PackageUse["form"]; isNoted: boolean },
): Certainty {
  if (found === undefined) return form !== "import" && form !== "member" ? "possible" : "likely";
  if (!isNoted) return found;
  return certainties[Math.max(0, certainties.indexOf(found) - 1)] ?? found;
}

/** Of `requires-python = ">=3.8"` and `Requires-Python: >=3.8`, what both say. */
function valueOf({ text }: { text: string }): string {
  return text.replace(/^[^:=]*[:=]/, "").replace(/["'\s,]/g, "");
}

/** Another runtime, and packages that can no longer be loaded with `require`. */
function requirementFindings(uses: readonly ProjectUse[], before: VersionFacts, after: VersionFacts): ReportFinding[] {
  // A manifest may be in a package twice.
  const stated = new Map(after.requirements.toReversed().map((one) => [one.name, one]));
  return [...stated.values()].flatMap((requirement): ReportFinding[] => {
    const old = before.requirements.find(({ name }) => name === requirement.name);
    if (old !== undefined && valueOf(old) === valueOf(requirement)) return [];
    const isLoading = requirement.name === "import only";
    const required = uses.filter(({ form, text }) => form === "import" && /\brequire\(/.test(text));
    if (isLoading && required.length === 0) return [];
    return [
      {
        name: requirement.name,
        change: "requires",
        certainty: isLoading ? "likely" : "possible",
        uses: isLoading ? required : [],
        before: old,
        after: requirement,
        notes: [],
      },
    ];
  });
}
