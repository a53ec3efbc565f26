import { classOf } from "../retrieval/file-class.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { addFacts, type NameFacts } from "./declarations.ts";
import { numbersOf } from "./version-numbers.ts";
import { hasRequirements, type Requirement, requirementsIn } from "./requirements.ts";

/** What one version of a package says of names, and what it requires. */
export interface VersionFacts {
  snapshot: Snapshot;
  names: ReadonlyMap<string, NameFacts>;
  requirements: readonly Requirement[];
  /** The text of `package.json`; empty without one. */
  manifest: string;
  /** The modules of other packages of which it exports everything: `clap_builder`. */
  forwards: ReadonlySet<string>;
  notes: readonly string[];
}

/** The most bytes of code that are read of a version. */
const bytesLimit = 64 * 1024 * 1024;
const passedOver = new Set(["test", "example", "vendored", "docs", "changelog", "locale", "data", "template"]);

/** Reads the code of a package. What it keeps of an older version, as `v3/` in 4.0, is passed over. */
export async function readVersion(
  snapshot: Snapshot,
  { names, version, signal }: { names: ReadonlySet<string>; version: string; signal: AbortSignal },
): Promise<VersionFacts> {
  const facts = new Map<string, NameFacts>(Array.from(names, (name) => [name, { declared: [], mentions: 0 }]));
  const requirements: Requirement[] = [];
  const forwards = new Set<string>();
  let manifest = "";
  const notes: string[] = [];
  const files = snapshot.files.filter(({ path }) => !passedOver.has(classOf(path)) && !isOlder(path, version));
  let bytes = 0;
  for (const { path, sizeBytes } of files) {
    bytes += sizeBytes;
    if (bytes > bytesLimit) {
      notes.push(`${snapshot.info.label}: only the first ${bytesLimit / 1024 / 1024} MB of code were read`);
      break;
    }
    const source = await snapshot.read(path, { signal }).catch(() => undefined);
    signal.throwIfAborted();
    if (source === undefined) continue;
    addFacts(facts, { snapshot, path, lines: source.lines });
    for (const module of forwardsIn(source.text)) forwards.add(module);
    if (path === "package.json") manifest = source.text;
    if (hasRequirements(path)) requirements.push(...requirementsIn(snapshot, path, source.lines));
  }
  return { snapshot, names: facts, requirements, manifest, forwards, notes };
}

/** The modules of other packages of which a file exports everything. */
export function forwardsIn(text: string): string[] {
  return Array.from(text.matchAll(forwarding), ([, rust, script]) => rust ?? script ?? "");
}

/** `pub use clap_builder::*`, `export * from "other"`; not of a module beside it. */
const forwarding = /^(?:pub use (?!crate\b|self\b|super\b)(\w+)::\*;|export \* from ["'](?!\.)([^"']+)["'])/gm;

/** The facts of a package and of one whose names it exports. */
export function joinFacts(own: VersionFacts, forwarded: VersionFacts): VersionFacts {
  const names = new Map(
    Array.from(own.names, ([name, { declared, mentions }]): [string, NameFacts] => {
      const other = forwarded.names.get(name) ?? { declared: [], mentions: 0 };
      return [name, { declared: [...declared, ...other.declared], mentions: mentions + other.mentions }];
    }),
  );
  return { ...own, names, notes: [...own.notes, ...forwarded.notes] };
}

/** What a version keeps of an older one: `v3/` in 4.0. */
export function isOlder(path: string, version: string): boolean {
  const [major = 0] = numbersOf(version);
  return [...path.matchAll(/(?<=^|\/)v(\d+)(?=\/)/g)].some(([, number]) => Number(number) < major);
}
