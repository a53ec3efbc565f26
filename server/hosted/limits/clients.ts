/** What the service itself calls a client. The name of a program begins with a letter or a digit. */
export const ownClients = {
  /** The web pages. */
  page: ":page",
  /** It did not say its name. */
  unknown: ":unknown",
  /** Programs beyond `mostClients`. */
  other: ":other",
} as const;

/** How many names of programs are counted apart for a project in a month; a client chooses its name freely. */
export const mostClients = 50;

const nameLength = 60;
const versionLength = 20;

/** The name and the version of a program as they are counted: `claude-code 2.1.0`; undefined if nothing is left of them. */
export function clientName(name: string, version = ""): string | undefined {
  const plain = plainOf(name, nameLength);
  return plain === "" ? undefined : `${plain} ${plainOf(version, versionLength)}`.trim();
}

/** One line of visible characters that begins with a letter or a digit. */
function plainOf(text: string, length: number): string {
  const line = text.replaceAll(/[\p{C}\p{Z}]+/gu, " ").replace(/^[^\p{L}\p{N}]+/u, "");
  return Array.from(line).slice(0, length).join("").trim();
}
