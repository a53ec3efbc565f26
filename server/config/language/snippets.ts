/** A text as a snippet has it: `$`, `}` and `\` stand for themselves. */
export function escapeSnippet(text: string): string {
  return text.replace(/[\\$}]/g, "\\$&");
}

/** A resource of each kind, with what has to be filled in. */
export const resourceSnippets: readonly { label: string; documentation: string; text: string }[] = [
  {
    label: "git",
    documentation: "A git repository, read over HTTPS.",
    text: object(
      '"type": "git"',
      '"name": "${2:name}"',
      '"url": "https://${1:github.com/owner/repository}"',
      '"branch": "${3:main}"',
    ),
  },
  {
    label: "local",
    documentation: "A folder of this computer, read as it is now.",
    text: object('"type": "local"', '"name": "${2:name}"', '"path": "${1:./folder}"'),
  },
  {
    label: "npm",
    documentation: "A package, at the version that the workspace has installed.",
    text: object('"type": "npm"', '"name": "${2:name}"', '"package": "${1:package}"'),
  },
];

export const fileSnippet = '{\n\t"resources": [\n\t\t$0\n\t]\n}\n';

/** Editors put their own indentation in place of tabs. */
function object(...properties: string[]): string {
  return `{\n\t${properties.join(",\n\t")}\n}`;
}
