import type { ToolResult } from "./conversation.ts";
import { type Stretch, stretchesIn } from "./evidence.ts";
import { isTest } from "../../source/test-path.ts";
import { entryPattern, entriesOf, factsIn, manifestNames } from "../../source/manifest.ts";
import { type Call, isCallOf } from "./calls.ts";
import { isManifest } from "../../source/dependencies.ts";
import type { Plan } from "./plan.ts";
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
export const projectsShown = 3;
const readmeLines = 150;
const designLines = 60;
const manifestLines = 400;
const manifestsRead = 3;
const entryLines = 150;

const readmeName = /^readme(?:\.(?:md|mdx|rst|adoc|txt|markdown))?$/i;
const designPattern = "**/*{rchitecture,RCHITECTURE,esign,DESIGN,nternals,INTERNALS}*.{md,mdx,rst,adoc}";
const designHeading =
  "^#{1,4} .*\\b(?:architecture|project (?:structure|layout)|(?:code|repository|directory|folder) (?:structure|layout|organi[sz]ation)|how it works|how .* (?:fits|works) together|internals|overview of the code)\\b";
const documents = "*.{md,mdx,markdown,adoc}";

/** Lists the root of each resource, then reads its documents and manifest, then its entry points. */
export function planOverview(
  { steps, resources, results }: { steps: number; resources: readonly string[]; results: readonly ToolResult[] },
  question: Question,
): Plan | undefined {
  if (steps === 0) {
    const names = describedFirst(resources, question);
    return {
      thought: `Looking for an overview of ${names.join(", ") || "the resources"}.`,
      calls: names.flatMap(lookAt),
    };
  }
  const projects = findProjects(results).slice(0, projectsShown);
  const calls = projects.flatMap((project) => callsFor(project, { step: steps, results }));
  return calls.length === 0 ? undefined : { thought: thoughts[steps - 1] ?? "", calls };
}

const thoughts = [
  "Reading what describes the project.",
  "Looking for the files where it starts.",
  "Reading the files where it starts.",
  "Reading what those lead to.",
];

/** Resources that the question names come first, then the others in their order. */
function describedFirst(resources: readonly string[], question: Question): string[] {
  return [...new Set([...question.resources, ...resources])].slice(0, projectsShown);
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
        limit: 6,
        contextLines: 2,
      },
    },
  ];
}

function callsFor(project: Project, { step, results }: { step: number; results: readonly ToolResult[] }): Call[] {
  const { resource, readme, design, manifests, folders } = project;
  const read = (path: string, startLine: number, count: number): Call => {
    return { tool: "read", input: { resource, path, startLine, endLine: startLine + count - 1 } };
  };
  if (step === 1) {
    const main = mainFolder(project);
    return [
      ...(readme === undefined ? [] : [read(readme, 1, readmeLines)]),
      ...(design === undefined ? [] : [read(design.path, design.startLine, designLines)]),
      ...manifests.map((path) => read(path, 1, manifestLines)),
      ...(main === undefined ? [] : [{ tool: "list", input: { resource, path: main } } as const]),
    ];
  }
  if (step === 2) {
    const pattern = entryPattern(
      factsOf(project, stretchesIn(results)),
      folders.map(({ name }) => name),
    );
    return [{ tool: "glob", input: { pattern, resource } }];
  }
  const entries = step < 3 ? [] : entryPaths(project, results);
  if (step === 3) return entries.map((path) => read(path, 1, entryLines));
  const stretches = stretchesIn(results);
  const next =
    step === 4
      ? entries.flatMap((path) => nextOf(stretches.find((one) => one.resource === resource && one.path === path)))
      : [];
  return next.slice(0, 1).map((path) => read(path, 1, entryLines));
}

/** The folder whose content shows the parts best: sources, else the packages of a workspace. */
export function mainFolder({ folders, resource }: Pick<Project, "folders" | "resource">): string | undefined {
  const own = resource.replace(/.*[/:]/, "").toLowerCase();
  const order = ["src", "lib", own, "packages", "crates", "internal", "cmd", "server", "modules", "app"];
  return order.find((name) => folders.some((folder) => folder.name === name));
}

export function findProjects(results: readonly ToolResult[]): Project[] {
  return results.flatMap(({ tool, input, folders: [root] }) => {
    if (tool !== "list" || input["path"] !== undefined) return [];
    const resource = String(input["resource"]);
    const entries = root?.entries ?? [];
    const files = entries.filter(({ fileCount }) => fileCount === undefined).map(({ name }) => name);
    const folders = entries.flatMap(({ name, fileCount }) => (fileCount === undefined ? [] : [{ name, fileCount }]));
    const readme = files.find((name) => readmeName.test(name));
    const known = manifestNames.filter((name) => files.includes(name));
    const others = files.filter((name) => !known.includes(name) && isManifest(name));
    const catalogs = results.filter((one) => isCallOf(catalogOf(resource), one)).flatMap((one) => one.files);
    const manifests = [...known, ...others, ...catalogs.map(({ path }) => path)].slice(0, manifestsRead);
    return [{ resource, files, folders, readme, manifests, design: findDesign(resource, results) }];
  });
}

/** The document about the design that is nearest to the root, or a section of another document. */
function findDesign(resource: string, results: readonly ToolResult[]): Project["design"] {
  const own = results.filter(({ input }) => input["resource"] === resource);
  const worth = (path: string) =>
    (/architecture/i.test(path) ? 0 : /internals/i.test(path) ? 1 : 2) + path.split("/").length;
  const files = own
    .filter(({ tool, input }) => tool === "glob" && input["pattern"] === designPattern)
    .flatMap(({ files }) => files.map(({ path }) => path))
    .filter((path) => isDescription(path));
  const [best] = files.toSorted((a, b) => worth(a) - worth(b));
  if (best !== undefined) return { path: best, startLine: 1 };
  const sections = own.filter(({ tool }) => tool === "grep").flatMap((result) => stretchesIn([result]));
  const heading = new RegExp(designHeading, "i");
  for (const { path, startLine, lines } of sections.filter(({ path }) => isDescription(path))) {
    const at = lines.findIndex((line) => heading.test(line));
    if (at !== -1) return { path, startLine: startLine + at };
  }
  return undefined;
}

function isDescription(path: string): boolean {
  return (
    !isTest(path) &&
    !/(?:^|\/)(?:node_modules|vendor|third[_-]?party|decisions?|adr|examples?|\.[\w-]+)\/|(?:^|\/)(?:change|history|release|news)[^/]*$/i.test(
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
export function nextOf(entry: Stretch | undefined): string[] {
  if (entry === undefined || entry.startLine > 1 || entry.lines.length > reExportLines) return [];
  const own = entry.lines.join("\n");
  const [, target] = /(?:export \* from|module\.exports\s*=\s*require\()\s*["']\.\/([^"'\n]+)["']/.exec(own) ?? [];
  const extension = /\.[cm]?[jt]sx?$/.exec(entry.path)?.[0];
  if (target === undefined || extension === undefined) return [];
  const bare = target.replace(/\.[cm]?[jt]sx?$/, "");
  return [`${entry.path.slice(0, entry.path.lastIndexOf("/") + 1)}${bare}${extension}`];
}

const reExportLines = 15;

export function entryPaths(project: Project, results: readonly ToolResult[]): string[] {
  const { resource, files } = project;
  const globbed = results
    .filter(
      ({ tool, input }) => tool === "glob" && input["resource"] === resource && input["pattern"] !== designPattern,
    )
    .flatMap(({ files }) => files.map(({ path }) => path));
  return entriesOf([...files, ...globbed], { facts: factsOf(project, stretchesIn(results)), resource });
}
