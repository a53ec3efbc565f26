import { completeMention } from "../../../client/mentions.ts";
import type { ChatState, FromWebview } from "../messages.ts";
import { say, type StringKey } from "../strings.ts";

/** Something that can be chosen while typing: a resource to mention, or a command that starts at once. */
export interface Suggestion {
  label: string;
  detail: string;
  /** What replaces the word; undefined for a command. */
  insert?: string;
  message?: FromWebview;
}

export interface Completion {
  /** The word that is completed, as UTF-16 positions in the text. */
  start: number;
  end: number;
  suggestions: readonly Suggestion[];
}

/** How many suggestions are offered at once: so few that none is out of sight. Typing on narrows them. */
const suggestionLimit = 12;

/** What fits the word before the cursor: `@` begins a mention anywhere, `/` a command at the start of the text. */
export function complete(text: string, cursor: number, resources: ChatState["resources"]): Completion | undefined {
  const before = text.slice(0, cursor);
  const mention = completeMention(before, resources);
  if (mention !== undefined) {
    const { word, candidates } = mention;
    return finish(
      cursor - word.length,
      cursor,
      candidates.map(({ mention: label, resource: { detail } }) => ({ label, detail, insert: `${label} ` })),
    );
  }
  const [, command] = /^\/(\S*)$/.exec(before) ?? [];
  return command === undefined ? undefined : finish(0, cursor, suggestCommands(command));
}

function finish(start: number, end: number, suggestions: readonly Suggestion[]): Completion | undefined {
  return suggestions.length === 0 ? undefined : { start, end, suggestions: suggestions.slice(0, suggestionLimit) };
}

function suggestCommands(word: string): Suggestion[] {
  return commands
    .filter(([name]) => name.startsWith(word.toLowerCase()))
    .map(([name, detail, message]) => ({ label: `/${name}`, detail: say(detail), message }));
}

const commands: readonly (readonly [name: string, detail: StringKey, message: FromWebview])[] = [
  ["new", "commandNew", { type: "run", command: "newChat" }],
  ["model", "commandModel", { type: "run", command: "chooseModel" }],
  ["resources", "commandResources", { type: "run", command: "chooseResources" }],
  ["add", "commandAdd", { type: "run", command: "addResource" }],
  ["deps", "commandDependencies", { type: "run", command: "addDependencies" }],
  ["connect", "commandConnect", { type: "run", command: "connectProvider" }],
  ["history", "commandHistory", { type: "run", command: "searchThreads" }],
  ["recheck", "commandRecheck", { type: "run", command: "recheckThread" }],
  ["copy", "commandCopy", { type: "copy" }],
  ["export", "commandExport", { type: "export" }],
  ["clear", "commandClear", { type: "run", command: "newChat" }],
];
