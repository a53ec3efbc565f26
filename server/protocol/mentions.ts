import { pathOf } from "./kinds/kinds.ts";
import { isOneOff, parseReference } from "./reference.ts";
import { splitRevision } from "./resource-fields.ts";
import type { ResourceListing } from "./resource.ts";

/** `@` at the start of a word, up to white space. */
const mention = /(?<=^|[\s(])@(\S+)/g;

/** Refers to every open project. */
export const workspaceName = "workspace";

export interface Mentionable {
  /** The names of the configured resources and the open projects. */
  names: readonly string[];
  /** The names of the open projects, which `@workspace` and `@.` mention. */
  projects?: readonly string[];
  /** Whether a file or folder exists; paths are as they are written. */
  exists: (path: string) => boolean;
}

/** Whether a text can contain a mention: most questions are answered without the list of resources. */
export function mayMention(text: string): boolean {
  return text.search(mention) !== -1;
}

/**
 * Takes the `@mentions` out of a question. A mention is a known name, with or without an `@` of its own, or a one-off
 * reference; of paths only those that exist: `@/lib/utils` is how many projects import, `@Injectable`, `a@b.c` and
 * `@types/node` are no mentions either (docs/contract.md).
 */
export function extractMentions(
  question: string,
  known: Mentionable,
): { question: string; resources: readonly string[] } {
  const resources: string[] = [];
  const stripped = question.replace(mention, (whole: string, text: string) => {
    const word = withoutPunctuation(text);
    const mentioned = mentionedBy(word, known);
    if (mentioned.length === 0) return whole;
    resources.push(...mentioned.filter((resource) => !resources.includes(resource)));
    return text.slice(word.length);
  });
  if (resources.length === 0) return { question, resources };
  return {
    question: stripped
      .replace(/[^\S\n]{2,}/g, " ")
      .replace(/ +([.,;:!?])/g, "$1")
      .trim(),
    resources,
  };
}

/** What the listed resources let a question mention. */
export function mentionableAmong(
  listings: readonly Pick<ResourceListing, "name" | "origin">[],
  { exists }: Pick<Mentionable, "exists">,
): Mentionable {
  const projects = listings.filter(({ origin }) => origin === "project").map(({ name }) => name);
  return { names: listings.map(({ name }) => name), projects, exists };
}

/** Without the punctuation at its end, which belongs to the sentence; a path such as `.` stays. */
export function withoutPunctuation(word: string): string {
  let end = word.length;
  while (end > 1 && ".,;:!?)".includes(word.charAt(end - 1))) end--;
  return word.slice(0, end);
}

function mentionedBy(word: string, { names, projects = [], exists }: Mentionable): readonly string[] {
  const name = names.find((candidate) => candidate === `@${word}` || candidate === word);
  if (name !== undefined) return [name];
  const { name: base, revision = "" } = splitRevision(word);
  const named = revision === "" ? undefined : names.find((candidate) => candidate === `@${base}` || candidate === base);
  if (named !== undefined) return [`${named}@${revision}`];
  if (projects.length > 0 && (word === workspaceName || word === ".")) return projects;
  const reference = parseReference(word);
  if (!isOneOff(reference)) return [];
  const path = pathOf(reference);
  return path === undefined || exists(path) ? [word] : [];
}
