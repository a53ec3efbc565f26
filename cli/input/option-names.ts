import { CitewellError } from "../../server/errors.ts";
import type { FieldNames } from "../../server/protocol/validation.ts";
import type { Wording } from "../../server/transports/call-operation.ts";

/** The options that fill the fields of a request, for errors. */
const optionNames: FieldNames = {
  question: "-q, --question",
  resources: "-r, --resource",
  thread: "--thread",
  query: "query",
  kinds: "--kind",
  limit: "--limit",
  offset: "--offset",
  glob: "-g, --glob",
  contextLines: "-C, --context",
  place: "place",
  text: "--text",
  regex: "--regex",
  commit: "--commit",
  blame: "--blame",
  revision: "--at",
  since: "--since",
  diffLines: "--diff-lines",
  before: "before",
  after: "after",
  package: "package",
  to: "--to",
  changelog: "--changelog",
};

/** The same for what `add` makes of its options. */
export const addOptionNames: FieldNames = {
  name: "-n, --name",
  url: "url-or-path",
  path: "url-or-path",
  package: "url-or-path",
  version: "url-or-path",
  branch: "-b, --branch",
  searchPaths: "-s, --search-path",
  specialNotes: "--notes",
};

/**
 * The arguments that make a command use the same server as the conversation.
 * @throws InvalidUsage (the server does not offer the command, which would change this computer instead)
 */
export function serverArguments(command: string | undefined, server: string | undefined): string[] {
  if (server === undefined || command === "verify") return [];
  if (command === "add" || command === "remove") return ["--server", server];
  throw new CitewellError("InvalidUsage", `/${command} cannot be used with --server`, {
    hint: `run citewell ${command} on the computer of ${server}`,
  });
}

/** How errors of a command speak of its request. */
export function wordingOf(command: string): Wording {
  return { fields: optionNames, hint: `citewell help ${command} lists its options` };
}
