import { completeMention } from "../../client/mentions.ts";
import { lastWord } from "../input/words.ts";
import type { Completion } from "./completion.ts";
import { matchChoices } from "./picker.ts";
import type { PromptContext } from "./prompt-context.ts";
import { slashCommands } from "./slash-commands.ts";

/** What the end of a text may become. */
export interface Completions {
  /** The end that a completion replaces. */
  typed: string;
  items: readonly Completion[];
}

/** Completes the command or the mention that the text before the cursor ends with. */
export function completeWord(
  before: string,
  { resources }: { resources: readonly { name: string; type: string }[] },
): Completions {
  if (/^\/[a-z-]*$/i.test(before)) {
    const items = Object.entries(slashCommands).map(([name, { help }]) => ({
      label: `/${name}`,
      detail: help,
      word: `/${name} `,
    }));
    return { typed: before, items: matchChoices(items, before) };
  }
  const { word = "", candidates = [] } = completeMention(before, resources) ?? {};
  const items = candidates.map(({ mention, resource }) => ({
    label: mention,
    detail: resource.type,
    word: `${mention} `,
  }));
  return { typed: word, items };
}

/** Completes the argument of a command; undefined where the text before the cursor ends with none that is completed. */
export function completeArgument(before: string, context: PromptContext): Promise<Completions> | undefined {
  const argument = argumentOf(before);
  if (argument === undefined) return undefined;
  const items = slashCommands[argument.command]?.complete?.(argument.text, context);
  return items?.then((found) => ({ typed: typedOf(argument.text), items: found }));
}

/** The word of an argument that the text before the cursor ends with. */
export function argumentWord(before: string): string {
  return typedOf(argumentOf(before)?.text ?? "");
}

const typedOf = (argument: string) => lastWord(argument)?.raw ?? "";

function argumentOf(before: string): { command: string; text: string } | undefined {
  const [, name = "", text] = /^\/([a-z-]+)\s+(.*)$/i.exec(before) ?? [];
  const command = name.toLowerCase();
  return text === undefined || !Object.hasOwn(slashCommands, command) ? undefined : { command, text };
}
