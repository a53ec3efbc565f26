import { isOneOff, parseReference, suggestName } from "../../server/protocol/reference.ts";
import { Branch, SearchPath } from "../../server/protocol/kinds/git-fields.ts";
import { ResourceName, SpecialNotes } from "../../server/protocol/resource-fields.ts";
import type { OneOff } from "../../server/protocol/kinds/kinds.ts";
import type { Prompts } from "../input/prompts.ts";
import type { Terminal } from "../terminal.ts";
import type { AddOptions } from "./add.ts";
import { detectReference, missingPath } from "./detect-reference.ts";

/** What `add` without an argument adds. Asks for what the command line left open. */
export async function askForResource(
  prompts: Prompts,
  options: AddOptions,
  terminal: Terminal,
): Promise<{ reference: OneOff; details: AddOptions }> {
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
    (await prompts.text("Its name in questions", { initial: suggestName(reference), validate: faultOf(ResourceName) }));
  const git = reference.type === "git" ? await askGit(prompts, reference, options) : {};
  const notes =
    options.notes ??
    (await prompts.text("Notes for the model (may be empty)", { isOptional: true, validate: faultOf(SpecialNotes) }));
  return { reference, details: { ...options, name, ...git, ...(notes === "" ? {} : { notes }) } };
}

async function askGit(
  prompts: Prompts,
  page: Extract<OneOff, { type: "git" }>,
  options: AddOptions,
): Promise<Pick<AddOptions, "branch" | "searchPath">> {
  const branch =
    options.branch ??
    (await prompts.text("Branch, tag or commit", { initial: page.branch ?? "main", validate: faultOf(Branch) }));
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
