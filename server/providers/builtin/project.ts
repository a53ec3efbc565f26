import { type Stretch, stretchesIn } from "./evidence.ts";
import { isTest } from "../../source/test-path.ts";
import { entryPattern, entriesOf, factsIn, manifestNames, ownName } from "../../source/manifest.ts";
import { isManifest } from "../../source/dependencies.ts";
import { type Call, type Conversation, isResultOf, type Looking, lookUp, readLines, type ToolResult } from "./look.ts";
import { asksForCommand, asksForParts, asksForTypes } from "./overview-question.ts";
import { findPartList, findParts, partListIn, partNames, readPartReadmes } from "./parts.ts";
import type { Question } from "./question.ts";

/** The root of a resource, and the document that describes its design. */
export interface Project {
  resource: string;
  files: string[];
  folders: { name: string; fileCount: number }[];
  readme: string | undefined;
  manifests: string[];
  design: { path: string; startLine: number } | undefined;
}

/** The maximum number of resources that are described. */
const projectsShown = 3;
const readmeLines = 150;
const designLines = 120;
const manifestLines = 400;
const manifestsRead = 3;
const entryLines = 150;

export const readmeName = /^readme(?:\.(?:md|mdx|rst|adoc|txt|markdown))?$/i;
export const designNames =
  "rchitecture,RCHITECTURE,esign,DESIGN,nternals,INTERNALS,how-it-works,echnical-details,echnical-overview";
const designPattern = `**/{*{${designNames}}*,{architecture,internals,design}/{index,overview,README}}.{md,mdx,rst,adoc}`;
const designHeading =
  "^(?:#{1,4} )?[\\w .,'-]{0,60}\\b(?:architecture|project (?:structure|layout)|(?:code|repository|directory|folder|source) (?:structure|layout|organi[sz]ation)|how it works|how .* (?:fits|works) together|internals|overview of the code)\\b[\\w .,:()-]{0,40}$";
const documents = "*.{md,mdx,markdown,adoc}";
const headingsFound = 20;

/** Lists the root of each resource, then reads its documents and manifest, then its entry points. */
export function* lookAtProjects(conversation: Conversation, question: Question): Looking<void> {
  const { resources, results } = conversation;
  const names = [...new Set([...question.resources, ...resources])].slice(0, projectsShown);
  yield* lookUp(
    conversation,
    `Looking for an overview of ${names.join(", ") || "the resources"}.`,
    names.flatMap(lookAt),
  );
  const projects = findProjects(results);
  const entries = () => projects.map((project) => ({ project, paths: entryPaths(project, conversation) }));
  const readFirst = (paths: readonly string[], { resource }: Project) =>
    paths.map((path) => readLines({ resource, path }, 1, entryLines));
  const isAboutParts = asksForParts(conversation.question);
  yield* lookUp(
    conversation,
    "Reading what describes the project.",
    projects.flatMap((project) => [
      ...readDescriptions(project),
      ...(isAboutParts ? readPartReadmes(project.resource, results) : []),
    ]),
  );
  yield* lookUp(
    conversation,
    "Looking for the files where it starts.",
    projects.flatMap((project) => [
      ...listInner(project, results),
      findEntries(project, results),
      findMains(project.resource),
      ...findPartList(namesOfParts(project, results), project.resource),
    ]),
  );
  yield* lookUp(
    conversation,
    "Reading the files where it starts.",
    entries().flatMap(({ project, paths }) => [
      ...readFirst(paths, project),
      ...mainsOf(project, results)
        .filter(({ path }) => paths.includes(path))
        .map((main) => readLines(main, Math.max(1, main.startLine - commentLines), mainLines)),
    ]),
  );
  const stretches = stretchesIn(results);
  yield* lookUp(
    conversation,
    "Reading what those lead to.",
    entries().flatMap(({ project, paths }) => {
      const files = stretches.filter(({ resource, path }) => resource === project.resource && paths.includes(path));
      return readFirst(files.flatMap(nextOf).slice(0, 1), project);
    }),
  );
}

/** Gradle keeps the versions of dependencies below the root. */
function catalogOf(resource: string): Call {
  return { tool: "glob", input: { pattern: "gradle/libs.versions.toml", resource } };
}

function lookAt(resource: string): Call[] {
  return [
    { tool: "list", input: { resource } },
    catalogOf(resource),
    { tool: "glob", input: { pattern: designPattern, resource } },
    {
      tool: "grep",
      input: {
        pattern: designHeading,
        regex: true,
        ignoreCase: true,
        glob: documents,
        resource,
        limit: headingsFound,
        contextLines: 2,
      },
    },
    ...findParts(resource),
  ];
}

function readDescriptions(project: Project): Call[] {
  const { resource, readme, design, manifests } = project;
  const main = mainFolder(project);
  return [
    ...(readme === undefined ? [] : [readLines({ resource, path: readme }, 1, readmeLines)]),
    ...(design === undefined ? [] : [readLines({ resource, path: design.path }, design.startLine, designLines)]),
    ...manifests.map((path) => readLines({ resource, path }, 1, manifestLines)),
    ...(main === undefined ? [] : [{ tool: "list", input: { resource, path: main } } as const]),
  ];
}

function findEntries(project: Project, results: readonly ToolResult[]): Call {
  const { resource, folders } = project;
  const names = folders.map(({ name }) => name);
  const pattern = entryPattern(factsOf(project, stretchesIn(results)), { resource, folders: names });
  return { tool: "glob", input: { pattern, resource } };
}

/** A search for functions called `main`, which can be far below the beginning of their files. */
function findMains(resource: string): Call {
  return { tool: "grep", input: { pattern: mainPattern, regex: true, resource, limit: mainsFound } };
}

/** C may have the type on the line before. */
const mainPattern =
  "^(?:\\s*(?:(?:pub|public|static|async|export|final|suspend|internal|private)\\s+|\\()*(?:fn|def|fun|int|void|auto|Task(?:<\\w+>)?|function)|(?:\\s*(?:static|public|async)\\s+)*func)\\s+_*[Mm]ain\\s*\\(|^main\\s*\\((?:.*\\w+.*\\)\\s*$|\\)\\s*\\{)";
const mainsFound = 30;
const mainLines = 60;
const commentLines = 6;

/** The places of such functions. */
function mainsOf({ resource }: Project, results: readonly ToolResult[]) {
  const found = results.find((result) => isResultOf(findMains(resource), result));
  return (found?.passages ?? []).flatMap((passage) =>
    mainLinesIn(passage).map((startLine) => ({ resource, path: passage.path, startLine })),
  );
}

export function mainLinesIn({ lines, startLine }: Pick<Stretch, "lines" | "startLine">): number[] {
  const isMain = new RegExp(mainPattern);
  return lines.flatMap((line, index) => (isMain.test(line) ? [startLine + index] : []));
}

/** The folder whose content shows the parts best: sources, else the packages of a workspace. */
function mainFolder({ folders, resource }: Pick<Project, "folders" | "resource">): string | undefined {
  const order = ["src", "lib", ownName(resource), "packages", "crates", "internal", "cmd", "server", "modules", "app"];
  return order.find((name) => folders.some((folder) => folder.name === name));
}

/** What is in the main folder, or in the only folder that is in it: `src/werkzeug`. */
export function mainListing(
  { resource, folders }: Project,
  results: readonly ToolResult[],
): ToolResult["folders"][number] | undefined {
  const listing = (path: string) =>
    results.find(({ tool, input }) => tool === "list" && input["resource"] === resource && input["path"] === path)
      ?.folders[0];
  const main = mainFolder({ folders, resource });
  const outer = main === undefined ? undefined : listing(main);
  const inner = outer && onlyFolder(outer);
  return (inner === undefined ? undefined : listing(inner)) ?? outer;
}

function namesOfParts(project: Project, results: readonly ToolResult[]): string[] {
  const inner = mainListing(project, results)?.entries.flatMap((one) => (one.fileCount === undefined ? [] : one.name));
  return partNames(inner ?? [], project.resource, results);
}

/** The list of the project's parts in a document. */
export function partList(project: Project, results: readonly ToolResult[]) {
  return partListIn(namesOfParts(project, results), project.resource, results);
}

function listInner(project: Project, results: readonly ToolResult[]): Call[] {
  const outer = mainListing(project, results);
  const path = outer && onlyFolder(outer);
  return path === undefined ? [] : [{ tool: "list", input: { resource: project.resource, path } }];
}

function onlyFolder({ path, entries }: ToolResult["folders"][number]): string | undefined {
  const [only, ...others] = entries;
  return only?.fileCount === undefined || others.length > 0 ? undefined : `${path}/${only.name}`;
}

export function findProjects(results: readonly ToolResult[]): Project[] {
  const projects = results.flatMap(({ tool, input, folders: [root] }) => {
    if (tool !== "list" || input["path"] !== undefined) return [];
    const resource = String(input["resource"]);
    const entries = root?.entries ?? [];
    const files = entries.filter(({ fileCount }) => fileCount === undefined).map(({ name }) => name);
    const folders = entries.flatMap(({ name, fileCount }) => (fileCount === undefined ? [] : [{ name, fileCount }]));
    const readme = files.find((name) => readmeName.test(name));
    const known = manifestNames.filter((name) => files.includes(name));
    const others = files.filter((name) => !known.includes(name) && isManifest(name));
    const catalogs = results.filter((one) => isResultOf(catalogOf(resource), one)).flatMap((one) => one.files);
    const manifests = [...known, ...others, ...catalogs.map(({ path }) => path)].slice(0, manifestsRead);
    return [{ resource, files, folders, readme, manifests, design: findDesign(resource, results) }];
  });
  return projects.slice(0, projectsShown);
}

/** The document about the design that is nearest to the root, or a section of another document. */
function findDesign(resource: string, results: readonly ToolResult[]): Project["design"] {
  const own = results.filter(({ input }) => input["resource"] === resource);
  const worth = (path: string) =>
    (/architecture/i.test(path) ? 0 : /internals/i.test(path) ? 1 : 2) + path.split("/").length;
  const files = own
    .filter(({ tool, input }) => tool === "glob" && input["pattern"] === designPattern)
    .flatMap(({ files }) => files.map(({ path }) => path))
    // An index in reStructuredText lists the other pages.
    .filter((path) => isDescription(path) && !path.endsWith("/index.rst"));
  const [best] = files.toSorted((a, b) => worth(a) - worth(b));
  if (best !== undefined) return { path: best, startLine: 1 };
  const [search] = lookAt(resource).filter(({ tool }) => tool === "grep");
  const sections = own
    .filter((result) => search !== undefined && isResultOf(search, result))
    .flatMap((result) => stretchesIn([result]));
  const heading = new RegExp(designHeading, "i");
  for (const { path, startLine, lines } of sections.filter(({ path }) => isDescription(path))) {
    const at = lines.findIndex(
      (line, index) =>
        heading.test(line) && (line.startsWith("#") || /^(?:={3,}|-{3,})\s*$/.test(lines[index + 1] ?? "")),
    );
    if (at !== -1) return { path, startLine: startLine + at };
  }
  return undefined;
}

function isDescription(path: string): boolean {
  return (
    !isTest(path) &&
    !/(?:^|\/)(?:node_modules|vendor|deps|third[_-]?party|decisions?|adr|examples?|\.[\w-]+)\/|(?:^|\/)(?:change|history|release|news)[^/]*$/i.test(
      path,
    )
  );
}

export function factsOf(project: Project, stretches: readonly Stretch[]) {
  return manifestsOf(project, stretches).map((stretch) => ({ stretch, ...factsIn(stretch) }));
}

export function manifestsOf({ resource, manifests }: Project, stretches: readonly Stretch[]): Stretch[] {
  return stretches.filter((one) => one.resource === resource && one.startLine === 1 && manifests.includes(one.path));
}

/** The file that a short entry point re-exports, as in `module.exports = require("./lib/express")`. */
export function nextOf(entry: Stretch): string[] {
  if (entry.startLine > 1 || entry.lines.length > reExportLines) return [];
  const own = entry.lines.join("\n");
  const [, target] = /(?:export \* from|module\.exports\s*=\s*require\()\s*["']\.\/([^"'\n]+)["']/.exec(own) ?? [];
  const extension = /\.[cm]?[jt]sx?$/.exec(entry.path)?.[0];
  if (target === undefined || extension === undefined) return [];
  const bare = target.replace(/\.[cm]?[jt]sx?$/, "");
  return [`${entry.path.slice(0, entry.path.lastIndexOf("/") + 1)}${bare}${extension}`];
}

const reExportLines = 15;

export function entryPaths(
  project: Project,
  { results, question }: { results: readonly ToolResult[]; question: string },
): string[] {
  const { resource, files } = project;
  const globbed = results
    .filter(
      (result) =>
        result.tool === "glob" &&
        result.input["resource"] === resource &&
        result.input["pattern"] !== designPattern &&
        !findParts(resource).some((call) => isResultOf(call, result)),
    )
    .flatMap(({ files }) => files.map(({ path }) => path));
  const mains = new Set(mainsOf(project, results).map(({ path }) => path));
  return entriesOf([...files, ...globbed, ...mains], {
    facts: factsOf(project, stretchesIn(results)),
    mains,
    resource,
    isCommand: asksForCommand.test(question) || (asksForTypes.test(question) ? false : undefined),
  });
}
