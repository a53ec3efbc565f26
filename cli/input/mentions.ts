import { existsSync } from "node:fs";
import { toAbsolutePath } from "../../server/lib/absolute-path.ts";
import { nearest } from "../../server/lib/nearest.ts";
import { splitAttachedText } from "../../server/protocol/attached-text.ts";
import {
  extractMentions,
  type Mentionable,
  mayMention,
  mentionableAmong,
  workspaceName,
} from "../../server/protocol/mentions.ts";
import type { ConnectedApp } from "../app/open-app.ts";
import type { Terminal } from "../terminal.ts";

/** Takes the `@mentions` out of a question; `notes` are those of `noteMisspelt`. */
export async function readMentions(
  app: Pick<ConnectedApp, "listResources">,
  question: string,
  { signal, cwd, homeDirectory }: Pick<Terminal, "signal" | "cwd" | "homeDirectory">,
): Promise<{ question: string; resources: readonly string[]; notes: readonly string[] }> {
  if (!mayMention(question)) return { question, resources: [], notes: [] };
  const { resources } = await app.listResources({}, { signal });
  const exists = (path: string) => existsSync(toAbsolutePath(path, { folder: cwd, homeDirectory }));
  const known = mentionableAmong(resources, { exists });
  return { ...extractMentions(question, known), notes: noteMisspelt(question, known) };
}

/**
 * A note for each `@word` that is nearly a known name, because it is sent as plain text. Ignores code, attached text,
 * and words with a slash or parentheses, which are packages and decorators.
 */
export function noteMisspelt(
  question: string,
  { names, projects = [] }: Pick<Mentionable, "names" | "projects">,
): string[] {
  const prose = splitAttachedText(question).question.replace(/```[\s\S]*?(?:```|$)|`[^`\n]*`/g, "``");
  const words = new Set(Array.from(prose.matchAll(mentionLike), ([, word = ""]) => word));
  // A mention shares the `@` of a scoped package's name.
  const mentions = [...names, ...(projects.length > 0 ? [workspaceName] : [])].map((name) => name.replace(/^@/, ""));
  return [...words].flatMap((word) => {
    if (mentions.includes(word)) return [];
    // A name that only contains the word is not a spelling of it: `@Input` is not `@input-mask`.
    const similar = mentions.filter((name) => Math.abs(name.length - word.length) <= 2);
    const [close] = nearest(word, similar, { limit: 1 });
    return close === undefined ? [] : [`no resource named "${word}"; did you mean @${close}?`];
  });
}

/** A word of three characters or more, up to white space or punctuation: shorter ones are near to everything. */
const mentionLike = /(?<=^|[\s(])@([a-z\d][\w.-]+[a-z\d])(?=[.,;:!?)]*(?:\s|$))/gi;
