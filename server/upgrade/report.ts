import type { Certainty, UpgradeChange } from "../protocol/upgrade.ts";
import { languageOf } from "../source/languages.ts";
import { isExported, moduleFiles } from "./module-paths.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import {
  type ChangelogEntry,
  type InSnapshot,
  namesIn,
  namesOption,
  readChangelogs,
  type VersionSection,
} from "./changelog.ts";
import { changeOf } from "./find-changes.ts";
import type { PackageUse } from "./find-uses.ts";
import type { VersionFacts } from "./read-version.ts";

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
  ];
  const groups = new Map<string, ProjectUse[]>();
  for (const use of uses) {
    const key = `${use.form === "import" || use.form === "member" ? "" : use.owner} ${use.form} ${use.name}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [use]);
    else group.push(use);
  }
  // A class that is gone from its place is not listed a second time by its name.
  const seen = new Set(
    findings.flatMap(({ name, change }) => (change === "removed" ? [name, name.split(".").at(-1) ?? ""] : [])),
  );
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined || first.name === first.module) continue;
    const { name, form } = first;
    const owners = [...new Set(group.flatMap(ownersOf))];
    const facts = { before: before.names.get(name), after: after.names.get(name) };
    const change = changeOf({ name, owners, form }, facts);
    const isOption = form === "option";
    const noted = entries.filter((entry) => (isOption ? namesOption(entry, name) : namesIn(entry, { name, owners })));
    const breaking = noted.filter((entry) => entry.isBreaking);
    const isKnown = form === "import" || form === "member" || (facts.before?.declared.length ?? 0) > 0;
    if (change === undefined && (breaking.length === 0 || !isKnown)) continue;
    const written = first.owner === undefined ? name : `${first.owner}.${name}`;
    if (seen.has(written)) continue;
    seen.add(written);
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

/** What the changelog says as well is surer by one step. */
function certaintyOf(
  found: Certainty | undefined,
  { form, isNoted }: { form: PackageUse["form"]; isNoted: boolean },
): Certainty {
  if (found === undefined) return form !== "import" && form !== "member" ? "possible" : "likely";
  if (!isNoted) return found;
  return certainties[Math.max(0, certainties.indexOf(found) - 1)] ?? found;
}

/** Parts of the package that are imported by their path and are gone. */
function moduleFindings(uses: readonly ProjectUse[], before: VersionFacts, after: VersionFacts): ReportFinding[] {
  const byImport = new Map<string, ProjectUse[]>();
  for (const use of uses.filter(({ form, module }) => form === "import" && module !== undefined)) {
    const key = importedPart(use);
    const group = byImport.get(key);
    if (group === undefined) byImport.set(key, [use]);
    else group.push(use);
  }
  return [...byImport].flatMap(([name, group]): ReportFinding[] => {
    const [first] = group;
    const files = first && moduleFiles(first, languageOf(first.path).tag);
    const old = files && before.snapshot.files.find(({ path }) => files.test(path));
    if (first === undefined || files === undefined || old === undefined) return [];
    if (after.snapshot.files.some(({ path }) => files.test(path)) || isExported(first, after.manifest)) return [];
    const place = { snapshot: before.snapshot, path: old.path, line: 1 };
    return [{ name, change: "removed", certainty: "certain", uses: group, before: place, after: undefined, notes: [] }];
  });
}

/** A class has a file of its own; elsewhere a module has one. */
function importedPart({ path, module = "", name }: ProjectUse): string {
  const isClass = ["java", "kotlin", "scala"].includes(languageOf(path).tag);
  return isClass && name !== module ? `${module}.${name}` : module;
}

/** Another runtime, and packages that can no longer be loaded with `require`. */
function requirementFindings(uses: readonly ProjectUse[], before: VersionFacts, after: VersionFacts): ReportFinding[] {
  return after.requirements.flatMap((requirement): ReportFinding[] => {
    const old = before.requirements.find(({ name }) => name === requirement.name);
    if (old?.text.replace(/\s/g, "") === requirement.text.replace(/\s/g, "")) return [];
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
