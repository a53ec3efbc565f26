import { completeMention } from "../../../client/mentions.ts";
import type { ChatState, FromWebview, ProjectFile } from "../messages.ts";
import type { FoundFiles } from "../store.ts";
import { say, type StringKey } from "../strings.ts";

/**
 * Something that can be chosen while typing: a resource to mention, a file to add, or a command that starts at once.
 */
export interface Suggestion {
  label: string;
  detail: string;
  /** What replaces the word; undefined for a command. */
  insert?: string;
  message?: FromWebview;
  /** Read by screen readers once it is chosen. */
  said?: string;
}

export interface Completion {
  /** The word that is completed, as UTF-16 positions in the text. */
  start: number;
  end: number;
  suggestions: readonly Suggestion[];
}

/** How many suggestions are offered at once: so few that none is out of sight. Typing on narrows them. */
const suggestionLimit = 12;

/**
 * What fits the word before the cursor: `@` begins a mention or a file anywhere, `#` a file, `/` a command at the start
 * of the text.
 */
export function complete(
  text: string,
  cursor: number,
  { resources, files }: { resources: ChatState["resources"]; files: FoundFiles },
): Completion | undefined {
  const before = text.slice(0, cursor);
  const mention = completeMention(before, resources);
  const query = fileQuery(before);
  const found = suggestFiles(query, files);
  if (mention !== undefined) {
    const { word, candidates } = mention;
    const mentions = candidates.map(({ mention: label, resource: { detail } }) => ({
      label,
      detail,
      insert: `${label} `,
    }));
    // What may be the name of a package is not replaced by a file that has its letters somewhere.
    const named = found.filter(({ insert }) => insert?.toLowerCase().includes(word.slice(1).toLowerCase()));
    const filesKept = Math.min(named.length, 4);
    return finish(cursor - word.length, cursor, [...mentions.slice(0, suggestionLimit - filesKept), ...named]);
  }
  if (query !== undefined) return finish(cursor - query.length - 1, cursor, found);
  const [, command] = /^\/(\S*)$/.exec(before) ?? [];
  return command === undefined ? undefined : finish(0, cursor, suggestCommands(command));
}

function finish(start: number, end: number, suggestions: readonly Suggestion[]): Completion | undefined {
  return suggestions.length === 0 ? undefined : { start, end, suggestions: suggestions.slice(0, suggestionLimit) };
}

/** The letters of a file's path that the text ends with, behind `#` or `@`; `#12` is an issue. */
export function fileQuery(before: string): string | undefined {
  return /(?:^|[\s(])(?:@|#(?!\d+$))([^\s#@]{0,200})$/.exec(before)?.[1];
}

/** Until the files for the last letters are there, those of the letters before that still fit. */
function suggestFiles(query: string | undefined, { query: searched, files }: FoundFiles): Suggestion[] {
  if (query === undefined || !query.startsWith(searched)) return [];
  const fitting =
    query === searched ? files : files.filter(({ path }) => path.toLowerCase().includes(query.toLowerCase()));
  const isAlone = new Set(files.map(({ resource }) => resource)).size <= 1;
  return fitting.map((file) => suggestFile(file, isAlone));
}

function suggestFile({ resource, path }: ProjectFile, isAlone: boolean): Suggestion {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  const label = path.slice(path.lastIndexOf("/") + 1);
  return {
    label,
    detail: isAlone ? folder : `${resource}${folder === "" ? "" : `: ${folder}`}`,
    insert: `${path} `,
    message: { type: "attachFile", resource, path },
    said: say("attachedFile", path),
  };
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
