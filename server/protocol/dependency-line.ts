/** How a line of a manifest names a dependency, by the manifest's file name; the first group is the name. */
const forms: readonly (readonly [file: RegExp, line: RegExp])[] = [
  [/^package\.json$/, /^\s*"(@?[\w][\w./@-]*)"\s*:\s*"(?:[\^~>=<v\s]*\d|\*|latest|workspace:|catalog:)/],
  [
    /^(?:pyproject\.toml|requirements.*\.(?:txt|in))$/,
    /^\s*["']?([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(?:[=<>~!]=|[<>]|=\s*["'][\^~<>=])/,
  ],
  [/^Cargo\.toml$/, /^\s*([A-Za-z][\w-]*)(?:\.version)?\s*=\s*(?:"[\^~=<>\s]*[\d*]|\{.*\b(?:version|workspace)\b)/],
  [/^go\.mod$/, /^\s*(?:require\s+)?([\w-]+(?:\.[\w-]+)+\/\S+)\s+v\d/],
  [/^composer\.json$/, /^\s*"([\w.-]+\/[\w.-]+)"\s*:\s*"/],
  [/^Gemfile$/, /^\s*gem\s+["']([\w.-]+)["']/],
  [/\.gradle(?:\.kts)?$/, /["']([\w.-]+:[\w.-]+):[\w.$-]/],
  [/\.csproj$|^Directory\.Packages\.props$/, /<Package(?:Reference|Version)\s[^>]*\bInclude="([\w.-]+)"/],
];
/** Keys of a `package.json` or `pyproject.toml` whose values look like versions. */
const ownKeys = /^(?:name|version|node|npm|yarn|pnpm|vscode|main|module|type|license|python|requires-python)$/;

/** Files with lines that name dependencies, as a pattern of VS Code. */
export const manifests =
  "**/{package.json,pyproject.toml,requirements*.txt,requirements*.in,Cargo.toml,go.mod,pom.xml,*.gradle,*.gradle.kts,Gemfile,composer.json,*.csproj,Directory.Packages.props}";

/** Whether lines of a file of that name may name dependencies. */
export function isManifest(fileName: string): boolean {
  return fileName === "pom.xml" || forms.some(([file]) => file.test(fileName));
}

/** The dependency that a line of a manifest is about, as the manifest names it; in a `pom.xml`, `group:artifact`. */
export function dependencyAt(fileName: string, lines: readonly string[], line: number): string | undefined {
  if (fileName === "pom.xml") return artifactAt(lines, line);
  const form = forms.find(([file]) => file.test(fileName))?.[1];
  const name = form?.exec(lines[line] ?? "")?.[1];
  return name === undefined || (/^(?:package\.json|pyproject\.toml)$/.test(fileName) && ownKeys.test(name))
    ? undefined
    : name;
}

/** A `dependency` element is a few lines long. */
const elementLines = 12;

function artifactAt(lines: readonly string[], line: number): string | undefined {
  const before = lines.slice(Math.max(0, line - elementLines), line + 1).join("\n");
  const start = before.lastIndexOf("<dependency>");
  if (start === -1) return undefined;
  const element = [before.slice(start), ...lines.slice(line + 1, line + elementLines)].join("\n");
  const [own = ""] = element.split("</dependency>");
  // The element has ended before the line.
  if (own.split("\n").length < before.slice(start).split("\n").length) return undefined;
  const valueOf = (name: string) => new RegExp(`<${name}>\\s*([^<\\s]+)\\s*</${name}>`).exec(own)?.[1];
  const [group, artifact] = [valueOf("groupId"), valueOf("artifactId")];
  return group === undefined || artifact === undefined ? undefined : `${group}:${artifact}`;
}
