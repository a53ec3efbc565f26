import { languageOf } from "../source/languages.ts";
import type { Declaration } from "./declarations.ts";
import type { NameChange } from "./find-changes.ts";
import { exportingFiles, isExported, moduleFiles } from "./module-paths.ts";
import type { VersionFacts } from "./read-version.ts";
import type { ProjectUse, ReportFinding } from "./report.ts";

/** Parts of the package that are imported by their path and are gone. */
export function moduleFindings(
  uses: readonly ProjectUse[],
  before: VersionFacts,
  after: VersionFacts,
): ReportFinding[] {
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
    const isClass = isOfClass(first);
    const place = declaredIn(old.path, first.name, before) ?? { snapshot: before.snapshot, path: old.path, line: 1 };
    const moved = isClass ? definitionOf(first.name, after) : undefined;
    return [{ name, change: "removed", certainty: "certain", uses: group, before: place, after: moved, notes: [] }];
  });
}

/** Packages that were a function, which the project calls, and export names alone now. */
export function defaultFindings(
  uses: readonly ProjectUse[],
  before: VersionFacts,
  after: VersionFacts,
): ReportFinding[] {
  const isImport = ({ text }: ProjectUse) => /\b(?:import|require)\b/.test(text);
  const whole = uses.filter(
    ({ form, name, module }) => form === "import" && name === module && !/\/./.test(name.replace(/^@[^/]+\//, "")),
  );
  // Of modules for `import`, `require` returns nothing at all, or all names.
  const isModule = after.requirements.some(({ name }) => name === "import only");
  const isRequired = !isModule && whole.some(({ text }) => /\brequire\(/.test(text));
  const isLoaded = (one: VersionFacts["entries"][number]) => one !== undefined && (one.isRequired || !isRequired);
  const old = before.entries.find(isLoaded);
  const calls = whole.filter((use) => !isImport(use));
  if (old === undefined || calls.length === 0 || after.entries.length === 0 || after.entries.some(isLoaded)) return [];
  return [
    {
      name: calls[0]?.name ?? "",
      change: "removed",
      certainty: "likely",
      uses: calls,
      before: { snapshot: before.snapshot, ...old },
      after: undefined,
      notes: [],
    },
  ];
}

/** A class has a file of its own; elsewhere a module has one. */
function importedPart(use: ProjectUse): string {
  const { module = "", name } = use;
  return isOfClass(use) && name !== module ? `${module}.${name}` : module;
}

function isOfClass({ path }: ProjectUse): boolean {
  return ["java", "kotlin", "scala"].includes(languageOf(path).tag);
}

function declaredIn(path: string, name: string, { names }: VersionFacts): Declaration | undefined {
  return names.get(name)?.declared.find((one) => one.path === path);
}

/** The first definition of a name at the top of a file. */
function definitionOf(name: string, { names }: VersionFacts): Declaration | undefined {
  return names.get(name)?.declared.find(isDefinition);
}

/** A name that the files of the module that it is imported from had, and have no longer. */
export function goneFromModule(
  group: readonly ProjectUse[],
  before: VersionFacts,
  after: VersionFacts,
): NameChange | undefined {
  const use = group.find(
    ({ form, module, ownerIs, path }) =>
      module !== undefined && (form === "import" || (form === "member" && (ownerIs === undefined || isPython(path)))),
  );
  if (use?.module === undefined || use.name === use.module) return undefined;
  const { tag: language, family } = languageOf(use.path);
  // What is taken from a module may be of its default export.
  if (family === "script") return use.form === "import" ? goneFromList(use, before, after) : undefined;
  // After `from PIL import Image`, `Image.open` is of the module `PIL.Image`.
  const isOfPart = use.form === "member" && use.ownerIs !== undefined;
  const files = exportingFiles(isOfPart ? `${use.module}.${use.ownerIs}` : use.module, language);
  if (files === undefined) return undefined;
  const placesIn = ({ names }: VersionFacts): Map<string, number> => {
    const facts = names.get(use.name);
    // A folder of Go may use the same name of another package.
    if (language === "go")
      return new Map(facts?.declared.filter(({ owners }) => owners.length === 0).map((one) => [one.path, one.line]));
    return facts?.files ?? new Map();
  };
  const known = [...placesIn(before)].filter(([path]) => files.test(path));
  // No line has a name that a module makes.
  const isWritten = [...placesIn(before).keys()].some(isPython);
  const made = isWritten ? [] : [...before.servers].filter(([path]) => files.test(path));
  const [old] = [...known, ...made];
  const now = after.snapshot.files.filter(({ path }) => files.test(path));
  const places = placesIn(after);
  if (old === undefined || now.length === 0 || now.some(({ path }) => places.has(path) || after.open.has(path)))
    return undefined;
  if (known.length === 0 && now.some(({ path }) => after.servers.has(path))) return undefined;
  const [path, line] = old;
  const elsewhere = definitionOf(use.name, after);
  const defined = definitionOf(use.name, before) ?? { snapshot: before.snapshot, path, line };
  return { change: "removed", certainty: "certain", before: defined, after: elsewhere };
}

/** A name that a package of npm had, and does not list among its exports. */
function goneFromList(
  { name, module = "" }: ProjectUse,
  before: VersionFacts,
  after: VersionFacts,
): NameChange | undefined {
  const isPart = /\/./.test(module.replace(/^@[^/]+\//, ""));
  const old = before.names.get(name);
  const known =
    old?.declared[0] ?? (old && [...old.files].map(([path, line]) => ({ snapshot: before.snapshot, path, line }))[0]);
  if (isPart || known === undefined || after.exported === undefined || after.exported.has(name)) return undefined;
  return { change: "removed", certainty: "certain", before: known, after: definitionOf(name, after) };
}

function isPython(path: string): boolean {
  return languageOf(path).tag === "python";
}

/** At the top of a file, with the word for what it is. */
function isDefinition({ owners, text }: Declaration): boolean {
  return (
    owners.length === 0 &&
    /^(?:@?\w+\s+|pub(?:\([^)]*\))?\s+)*(?:class|def|func|function|fn|struct|enum|trait|type|record|@?interface)\s/.test(
      text,
    ) &&
    !/^pub\s*\(/.test(text)
  );
}
