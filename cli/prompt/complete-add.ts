import { allPackagePrefixes, packageReference } from "../../server/protocol/kinds/names.ts";
import { isOneOff } from "../../server/protocol/reference.ts";
import { parseTyped } from "../../server/protocol/typed-reference.ts";
import { completePath } from "./complete-path.ts";
import type { Completion } from "./completion.ts";
import { matchChoices } from "./picker.ts";
import type { PromptContext } from "./prompt-context.ts";
import { lastWord, splitWords } from "../input/words.ts";

/** What `/add` takes, for a prompt that has nothing after it yet. */
const beginnings: readonly Completion[] = [
  { label: "./", detail: "a folder here", word: "./" },
  { label: "~/", detail: "a folder of yours", word: "~/" },
  { label: "https://github.com/", detail: "a repository", word: "https://github.com/" },
];

/** Completes folders, the packages of the open project, and after a repository's URL its branches. */
export async function completeAdd(argument: string, context: PromptContext): Promise<readonly Completion[]> {
  const { raw = "", text: typed = "" } = lastWord(argument) ?? {};
  const words = splitWords(argument.slice(0, argument.length - raw.length));
  const [reference] = words;
  if (reference === undefined) return completeReference(typed, context);
  const isBranch = ["-b", "--branch"].includes(words.at(-1)?.text ?? "");
  if (isBranch) return completeBranch(reference.text, { typed, prefix: "" }, context);
  const hasBranch = words.some(({ text }) => text === "-b" || text === "--branch");
  return hasBranch || !"-b".startsWith(typed)
    ? []
    : completeBranch(reference.text, { typed: "", prefix: "-b " }, context);
}

async function completeReference(typed: string, context: PromptContext): Promise<readonly Completion[]> {
  const { terminal } = context;
  if (typed === "") return [...beginnings, ...(await packages("", context))];
  if (/^(?:[./~\\]|[a-z]:[/\\])/i.test(typed)) return completePath(typed, terminal);
  if (/^(?:https?|ssh|git):|^-/.test(typed)) return [];
  if (allPackagePrefixes.some((prefix) => typed.startsWith(`${prefix}:`))) return packages(typed, context);
  const [folders, found] = await Promise.all([completePath(typed, terminal), packages(typed, context)]);
  return [...folders, ...found];
}

/** Dependencies that are not added yet. */
async function packages(
  typed: string,
  { lookups, terminal: { signal } }: PromptContext,
): Promise<readonly Completion[]> {
  const dependencies = (await lookups?.(signal).dependencies()) ?? [];
  const items = dependencies
    .filter(({ isAdded }) => !isAdded)
    .map(({ version, spec }) => {
      const reference = packageReference(spec.type, spec.package);
      return { label: reference, detail: version ?? "package", word: `${reference} ` };
    });
  return matchChoices(items, typed);
}

/** The repository's main branch first. The host is asked once in a while. */
async function completeBranch(
  reference: string,
  { typed, prefix }: { typed: string; prefix: string },
  { lookups, terminal: { signal } }: PromptContext,
): Promise<readonly Completion[]> {
  const repository = parseTyped(reference);
  if (lookups === undefined || !isOneOff(repository) || repository.type !== "git") return [];
  const { main, branches, tags } = await lookups(signal).branches(repository.url);
  const item = (detail: string) => (name: string) => ({ label: `${prefix}${name}`, detail, word: `${prefix}${name} ` });
  const items = [
    ...(main === null ? [] : [item("main branch")(main)]),
    ...branches.filter((name) => name !== main).map(item("branch")),
    ...tags.toReversed().map(item("tag")),
  ];
  return matchChoices(items, typed);
}
