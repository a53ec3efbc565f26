import { addResource, type Config, loadConfig } from "../../server/config/config.ts";
import { findProject } from "../../server/config/project.ts";
import { CitewellError } from "../../server/errors.ts";
import { suggestName } from "../../server/protocol/reference.ts";
import { type PlacedResource, ResourceSpec } from "../../server/protocol/resource.ts";
import { describeIssues } from "../../server/protocol/validation.ts";
import { kindOf, type KindName, type OneOff } from "../../server/protocol/kinds/kinds.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { configLocation, connectApp } from "../app/open-app.ts";
import type { ServerOptions } from "../definitions/global-options.ts";
import { addOptionNames } from "../input/option-names.ts";
import { openPrompts } from "../input/prompts.ts";
import { type Terminal, write } from "../terminal.ts";
import { askForResource } from "./add-wizard.ts";
import { checkAdded } from "./check-added.ts";
import { detectReference, missingPath, requireGit } from "./detect-reference.ts";

/** Options of `citewell add`. */
export interface AddOptions extends ServerOptions {
  global?: boolean;
  name?: string;
  branch?: string;
  searchPath: string[];
  notes?: string;
  type?: KindName;
}

/** Adds a resource to the project's configuration where there is one, else to the global one; or to a server's. */
export async function add(text: string | undefined, options: AddOptions, terminal: Terminal): Promise<number> {
  if (options.server !== undefined && options.global === true) {
    throw new CitewellError("InvalidUsage", "--global and --server cannot be used together", {
      hint: "the server decides which of its files it writes",
    });
  }
  const { reference, details, level } =
    text === undefined
      ? await askForResource(await openPrompts(terminal, options, nothingToAdd()), options, terminal)
      : { reference: await detectReference(text, options.type, terminal), details: options, level: undefined };
  requireGit(reference, details);
  const spec = parseSpec(toSpec(reference, details));
  const missing = options.server === undefined ? missingPath(reference, terminal) : undefined;
  if (missing !== undefined) throw folderNotFound(missing);
  const before = await loadConfig(configLocation(terminal));
  const { added, savedTo } = await save(spec, { options, level }, terminal);
  const isOfProject = savedTo === before.projectFile.path;
  const scope = options.server !== undefined ? "" : isOfProject ? ", for this project" : ", for every project";
  const line = `added ${added.name} (${added.type} ${kindOf(added).origin(added)}) to ${savedTo}${scope}\n`;
  await write(terminal.stdout, options.json === true ? jsonText({ resource: added, savedTo }) : line);
  const places =
    options.server === undefined
      ? await notesOnPlace(before, { name: added.name, isOfProject, options, terminal })
      : [];
  const notes = [...noteOnPage(reference, details), ...places];
  if (options.quiet !== true) for (const note of notes) await write(terminal.stderr, `note: ${note}\n`);
  const faults = options.server === undefined ? await checkAdded(added, options, terminal) : [];
  for (const line of faults) await write(terminal.stderr, `${line}\n`);
  return exitCodes.ok;
}

function nothingToAdd(): CitewellError {
  return new CitewellError("InvalidUsage", "no resource was given (url-or-path)", {
    hint: "citewell add https://github.com/owner/repo, citewell add ./folder or citewell add npm:<package>",
  });
}

/** Writes to the configuration, or, with `--server`, through the server to its own. */
async function save(
  spec: ResourceSpec,
  { options, level }: { options: AddOptions; level: PlacedResource["savedTo"] | undefined },
  terminal: Terminal,
): Promise<{ added: ResourceSpec; savedTo: string }> {
  if (options.server === undefined) {
    const { path: savedTo } = await addResource(configLocation(terminal), spec, { level });
    return { added: spec, savedTo };
  }
  await using app = await connectApp(terminal, options);
  return { added: await app.addResource(spec, { signal: terminal.signal }), savedTo: options.server };
}

function toSpec(reference: OneOff, options: AddOptions): unknown {
  const { name = suggestName(reference), branch, searchPath, notes } = options;
  const spec = kindOf(reference).toSpec(reference, { name, branch, searchPaths: searchPath });
  return { ...spec, specialNotes: notes };
}

function parseSpec(spec: unknown): ResourceSpec {
  const parsed = ResourceSpec.safeParse(JSON.parse(JSON.stringify(spec)));
  if (parsed.success) return parsed.data;
  throw new CitewellError("InvalidRequest", describeIssues(parsed.error, spec, addOptionNames), {
    hint: "citewell help add lists its options",
  });
}

/** A page's URL names more than the repository; only the repository is taken, as the contract says. */
function noteOnPage(reference: OneOff, { branch }: AddOptions): string[] {
  if (reference.type !== "git" || branch !== undefined || reference.branch === undefined) return [];
  const path = reference.searchPath === undefined ? "" : ` -s ${reference.searchPath}`;
  return [
    `the URL names a page; the whole repository was added at its branch "main". To narrow: -b ${reference.branch}${path}`,
  ];
}

/** Most likely a slip of the keyboard. A server's folders may be on another computer. */
function folderNotFound(path: string): CitewellError {
  return new CitewellError("PathNotFound", `there is no folder ${path}`, {
    hint: "correct the path; for a folder that will exist later, write the resource into citewell.config.jsonc",
  });
}

/** Who is asked about the resource from now on, where that may not be what was meant. */
async function notesOnPlace(
  before: Config,
  {
    name: added,
    isOfProject,
    options,
    terminal,
  }: { name: string; isOfProject: boolean; options: AddOptions; terminal: Terminal },
): Promise<string[]> {
  const isAsked = options.global === true;
  const location = configLocation(terminal);
  const after = await loadConfig(location);
  const isLeft = ({ name }: ResourceSpec) => after.resources.some((spec) => spec.name === name);
  const gone = before.resources.filter((spec) => !isLeft(spec)).map(({ name }) => name);
  const hasProject = !isOfProject && !isAsked && (await findProject(location)) !== undefined;
  const isBoth = isOfProject && before.listed.some(({ name }) => name === added);
  return [
    ...(isBoth
      ? [`the global configuration has a resource named ${added}, too; in this project this one is used`]
      : []),
    ...(isAsked && isOfProject
      ? ["the project's configuration was written: it has precedence over the global one"]
      : []),
    ...(hasProject ? ["to keep a resource in one project, run citewell init there before you add it"] : []),
    ...(gone.length === 0 ? [] : [`the examples ${gone.join(", ")} are no longer listed: a file lists resources now`]),
  ];
}
