import { completeMention } from "../../client/mentions.ts";
import { nearest } from "../../server/lib/nearest.ts";
import { splitWords } from "../input/words.ts";

/** Asks the last question again, about the dependencies that it names as well. */
export const includeLine = "+";

/** What can be typed beside questions, and what it is. */
export const replCommands = {
  "/help": { type: "help", help: "show this" },
  "/resources": { type: "resources", help: "list what can be asked" },
  "/add": { type: "program", help: "add a repository, folder or package: /add https://…, ./folder or npm:<package>" },
  "/remove": { type: "program", help: "remove a resource: /remove NAME" },
  "/refresh": { type: "program", help: "fetch a resource again: /refresh NAME" },
  "/verify": { type: "program", help: "check the citations of a Markdown file: /verify FILE" },
  "/connect": { type: "program", help: "choose a provider and model: /connect -p PROVIDER -m MODEL" },
  "/resume": { type: "resume", help: "list earlier conversations; /resume NUMBER goes on with one" },
  "/clear": { type: "clear", help: "forget the conversation, begin a new one" },
  "/new": { type: "clear", help: "the same as /clear" },
  "/quit": { type: "quit", help: "leave; Ctrl+D does, too" },
  "/exit": { type: "quit", help: "leave" },
} as const satisfies Record<string, { type: ReplLine["type"]; help: string }>;

/** A line that was typed: a command or a question. */
export type ReplLine =
  | { type: "include" }
  | { type: "help" }
  | { type: "resources" }
  | { type: "program"; args: string[] }
  | { type: "resume"; text: string }
  | { type: "clear" }
  | { type: "quit" }
  | { type: "unknown"; message: string }
  | { type: "question"; text: string }
  | { type: "empty" };

/** A line is a command when its first word is `/` and letters: `/api/users` begins a question. */
export function readReplLine(line: string): ReplLine {
  const text = line.trim();
  if (text === "") return { type: "empty" };
  const [word = ""] = text.split(/\s+/);
  const argument = text.slice(word.length).trim();
  if (text === includeLine) return { type: "include" };
  if (!/^\/[a-z]*$/i.test(word)) return { type: "question", text };
  const name = word.toLowerCase();
  if (!isCommand(name)) {
    const [close] = nearest(name, Object.keys(replCommands));
    const hint = close === undefined ? "/help lists the commands" : `did you mean ${close}?`;
    return { type: "unknown", message: `no command ${word}: ${hint}` };
  }
  const { type } = replCommands[name];
  if (type === "program") return { type, args: [name.slice(1), ...splitWords(argument).map((one) => one.text)] };
  if (type === "resume") return { type, text: argument };
  if (argument !== "") return { type: "unknown", message: `${name} takes nothing after it` };
  return { type };
}

/** What the text before the cursor may become, for readline: a command, or a mention of a resource. */
export function completeReplLine(text: string, resources: readonly string[]): [string[], string] {
  if (/^\/[a-z]*$/i.test(text)) {
    return [Object.keys(replCommands).filter((command) => command.startsWith(text.toLowerCase())), text];
  }
  const mention = completeMention(
    text,
    resources.map((name) => ({ name })),
  );
  if (mention === undefined) return [[], text];
  // Readline appends to what is typed.
  const names = mention.candidates
    .map((candidate) => candidate.mention)
    .filter((name) => name.startsWith(mention.word));
  return [names.map((name) => `${name} `), mention.word];
}

function isCommand(word: string): word is keyof typeof replCommands {
  return Object.hasOwn(replCommands, word);
}
