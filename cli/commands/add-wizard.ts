import { isOneOff, parseReference, suggestName } from "../../server/protocol/reference.ts";
import { Branch, SearchPath } from "../../server/protocol/kinds/git-fields.ts";
import { ResourceName, SpecialNotes } from "../../server/protocol/resource-fields.ts";
import { loadConfig } from "../../server/config/config.ts";
import { findProject } from "../../server/config/project.ts";
import type { PlacedResource } from "../../server/protocol/resource.ts";
import type { OneOff } from "../../server/protocol/kinds/kinds.ts";
import { configLocation } from "../app/open-app.ts";
import type { Prompts } from "../input/prompts.ts";
import type { Terminal } from "../terminal.ts";
import type { AddOptions } from "./add.ts";
import { detectReference, missingPath, requireGit } from "./detect-reference.ts";

/** What `add` without an argument adds. Asks for what the command line left open. */
export async function askForResource(
  prompts: Prompts,
  options: AddOptions,
  terminal: Terminal,
): Promise<{ reference: OneOff; details: AddOptions; level: PlacedResource["savedTo"] | undefined }> {
  const text = await prompts.text("What should be added? A repository's URL, a folder or a package (npm:<name>)", {
    validate(answer) {
      const reference = parseReference(answer);
      if (reference.type === "invalid") return reference.reason;
      const isHere = options.server === undefined && isOneOff(reference);
      const missing = isHere ? missingPath(reference, terminal) : undefined;
      return missing === undefined ? undefined : `there is no folder ${missing}`;
    },
  });
  const reference = await detectReference(text, options.type, terminal);
  const name =
    options.name ??
    (await prompts.text("Its name in questions", { usual: suggestName(reference), validate: faultOf(ResourceName) }));
  requireGit(reference, options);
  const git = reference.type === "git" ? await askGit(prompts, reference, options) : {};
  const notes =
    options.notes ??
    (await prompts.text("Notes for the model (may be empty)", { isOptional: true, validate: faultOf(SpecialNotes) }));
  const level = await askLevel(prompts, options, terminal);
  return { reference, details: { ...options, name, ...git, ...(notes === "" ? {} : { notes }) }, level };
}

/** Asks only if there is a choice: in a project without a configuration of its own. */
async function askLevel(
  prompts: Prompts,
  options: AddOptions,
  terminal: Terminal,
): Promise<PlacedResource["savedTo"] | undefined> {
  if (options.global === true || options.server !== undefined) return undefined;
  const location = configLocation(terminal);
  const { projectFile } = await loadConfig(location);
  if (projectFile.exists || (await findProject(location)) === undefined) return undefined;
  const chosen = await prompts.select("Which questions is it for?", [
    { value: "project", label: "those in this project", hint: `creates ${projectFile.path}` },
    { value: "global", label: "those in every project" },
  ]);
  return chosen === "project" ? "project" : "global";
}

async function askGit(
  prompts: Prompts,
  page: Extract<OneOff, { type: "git" }>,
  options: AddOptions,
): Promise<Pick<AddOptions, "branch" | "searchPath">> {
  const branch =
    options.branch ??
    (await prompts.text("Branch, tag or commit", { usual: page.branch ?? "main", validate: faultOf(Branch) }));
  if (options.searchPath.length > 0) return { branch, searchPath: options.searchPath };
  const searchPath = await prompts.text("Read only below this path (may be empty)", {
    initial: page.searchPath,
    isOptional: true,
    validate: faultOf(SearchPath),
  });
  return { branch, searchPath: searchPath === "" ? [] : [searchPath] };
}

interface Rule {
  safeParse(value: unknown): { error?: { issues: readonly { message: string }[] } | undefined };
}

function faultOf(rule: Rule): (text: string) => string | undefined {
  return (text) => rule.safeParse(text).error?.issues[0]?.message;
}
