/**
 * How lock files list what a package depends on: an expression for the line with the name of a dependency, and one for the
 * line above it that begins the entry of the package that depends on it.
 */
interface Row {
  /** Their names, as globs with commas. */
  files: string;
  /** `{name}` is the name of the dependency. */
  entry: string;
  /** With the group `owner`. */
  owner: RegExp;
  /** The line above it that begins a list of the package, and what that line has if they are its dependencies. */
  list?: { begins: RegExp; isOwn: RegExp };
}

const table = /^name = "(?<owner>[^"]+)"/;

const rows: readonly Row[] = [
  { files: "Cargo.lock", entry: `^ "{name}(?: [^"]*)?",?$`, owner: table },
  { files: "uv.lock,pylock*.toml", entry: `^\\s+\\{ ?name = "{name}"`, owner: table },
  {
    files: "poetry.lock",
    entry: `^"?{name}"? = (?:\\{|"|\\[)`,
    owner: table,
    list: { begins: /^\[/, isOwn: /^\[package\.dependencies\]/ },
  },
  { files: "pdm.lock", entry: `^\\s+"{name}(?:[\\[<>=~!; ][^"]*)?",$`, owner: table },
  {
    files: "package-lock.json,npm-shrinkwrap.json",
    entry: `^ {8}"{name}": "[^"]*",?$`,
    owner: /^ {4}"(?:(?:\S*node_modules\/)?(?<owner>[^"]*))": \{$/,
    list: { begins: /^ {6}"\w+": [{[]$/, isOwn: /dependencies"|"requires"/i },
  },
  {
    files: "pnpm-lock.yaml",
    entry: `^ {6}['"]?{name}['"]?: \\d`,
    owner: /^ {2}['"]?\/?(?<owner>@?[^\s@(]+@[^\s('"]+).*:$/,
  },
  {
    files: "yarn.lock",
    entry: `^ {4}"?{name}"?:? "?[^"]+"?$`,
    owner: /^"?(?<owner>@?[^@"\s]+)@/,
    list: { begins: /^ {2}\w+:$/, isOwn: /dependencies:/i },
  },
  {
    files: "packages.lock.json",
    entry: `^ {10}"{name}": "[^"]*",?$`,
    owner: /^ {6}"(?<owner>[^"]+)": \{$/,
  },
  {
    files: "composer.lock",
    entry: `^ {16}"{name}": "`,
    owner: /^ {12}"name": "(?<owner>[^"]+)"/,
    list: { begins: /^ {12}"[\w-]+": [{[]$/, isOwn: /"require"/ },
  },
  { files: "Gemfile.lock,gems.locked", entry: `^ {6}{name}(?: \\(|$)`, owner: /^ {4}(?<owner>\S+) \(/ },
];

/** A package that depends on another one, and the line of a lock file that says so. */
export interface Dependent {
  owner: string;
  line: number;
}

interface Search {
  pattern: string;
  glob: string;
}

/** The searches for the lines of lock files that name a package as a dependency. */
export function dependentSearches(name: string): Search[] {
  return rows.map(({ files, entry }) => ({ pattern: entryFor(entry, name), glob: `**/{${files},}` }));
}

/** What depends on a package, in consecutive lines of a lock file; `line` without an owner if its entry begins above. */
export function dependentsIn(
  { path, startLine, lines }: { path: string; startLine: number; lines: readonly string[] },
  name: string,
): (Omit<Dependent, "owner"> & { owner: string | undefined })[] {
  const file = /[^/]*$/.exec(path)?.[0] ?? path;
  const row = rows.find(({ files }) => files.split(",").some((one) => fits(file, one)));
  if (row === undefined) return [];
  const entry = new RegExp(entryFor(row.entry, name), "i");
  return lines.flatMap((text, at) => {
    if (!entry.test(text)) return [];
    const above = lines.slice(0, at);
    const list = above.findLast((line) => row.list?.begins.test(line));
    if (list !== undefined && row.list?.isOwn.test(list) === false) return [];
    const head = above.findLast((line) => row.owner.test(line));
    return [{ owner: head === undefined ? undefined : row.owner.exec(head)?.groups?.["owner"], line: startLine + at }];
  });
}

function fits(file: string, glob: string): boolean {
  const [start = "", end] = glob.split("*");
  return end === undefined ? file === glob : file.startsWith(start) && file.endsWith(end);
}

/** A name matches with any separators. */
function entryFor(entry: string, name: string): string {
  const parts = name.split(/[\s._-]+/).map((part) => part.replaceAll(/[^\w]/g, "\\$&"));
  return entry.replace("{name}", parts.join("[-_.]?"));
}
