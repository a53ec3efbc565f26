import type { Snapshot } from "../resources/snapshot.ts";

/** A line of a manifest that says what a package needs. */
export interface Requirement {
  /** `node`, `import only`, `rust`. */
  name: string;
  snapshot: Snapshot;
  path: string;
  /** 1-based. */
  line: number;
  /** What of the line says it. */
  text: string;
}

const forms: readonly { file: RegExp; line: RegExp; name: string }[] = [
  { file: /^package\.json$/, line: /"node"\s*:\s*"[<>=^~\d][^"]*"/, name: "node" },
  { file: /^package\.json$/, line: /"type"\s*:\s*"module"/, name: "import only" },
  { file: /^Cargo\.toml$/, line: /^\s*rust-version\s*=.*/, name: "rust" },
  { file: /^go\.mod$/, line: /^go\s+\d.*/, name: "go" },
  { file: /^pyproject\.toml$/, line: /^\s*requires-python\s*=.*/, name: "python" },
  { file: /(?:^|\/)(?:PKG-INFO|METADATA)$/, line: /^Requires-Python:.*/, name: "python" },
];

/** What a manifest at the root of a package requires. */
export function requirementsIn(snapshot: Snapshot, path: string, lines: readonly string[]): Requirement[] {
  return forms
    .filter(({ file }) => file.test(path))
    .flatMap(({ line, name }) => {
      const at = lines.findIndex((text) => line.test(text));
      const isLoadedBoth = name === "import only" && lines.some((text) => /"require"\s*:/.test(text));
      const text = line.exec(lines[at] ?? "")?.[0].trim();
      return text === undefined || isLoadedBoth ? [] : [{ name, snapshot, path, line: at + 1, text }];
    });
}

/** Whether a file may have some. */
export function hasRequirements(path: string): boolean {
  return forms.some(({ file }) => file.test(path));
}
