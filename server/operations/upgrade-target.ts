import * as z from "zod";
import { CitewellError } from "../errors.ts";
import { parseJson } from "../lib/parse-json.ts";
import { type PackageType, packageReference, withoutPrefix } from "../protocol/kinds/names.ts";
import { isOneOff, parseReference } from "../protocol/reference.ts";
import { quoteValue } from "../protocol/validation.ts";
import type { ListedVersion } from "../resources/packages/ecosystem.ts";
import { ecosystems } from "../resources/packages/ecosystems.ts";
import { pagesFolder } from "../resources/packages/package-pages.ts";
import type { Resources } from "../resources/resources.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { numbersOf } from "../upgrade/version-numbers.ts";
import type { Target } from "./targets.ts";

/** A version of a package, perhaps of another one than the project uses. */
export interface WantedPackage {
  name: string;
  /** A version, range or tag. */
  version: string;
}

/**
 * What `--to` may mean, likeliest first: a version, also where the ecosystem gives its major another name
 * (`example.com/pkg/v5`), or another package, with or without a version: `org.demo:other@5`.
 */
export function wantedPackages(
  to: string | undefined,
  { type, name }: { type: PackageType; name: string },
): [WantedPackage, ...WantedPackage[]] {
  if (to === undefined) return [{ name, version: "latest" }];
  const written = withoutPrefix(type, to);
  if (written !== undefined || isPackageName.test(to)) {
    const [, other = "", version = "latest"] = /^(.[^@]*)(?:@(.+))?$/.exec(written ?? to) ?? [];
    return [{ name: other, version }];
  }
  const own = { name, version: to };
  const moved = ecosystems[type].nameAt?.(name, to) ?? name;
  return moved === name ? [own] : [{ name: moved, version: to }, own];
}

/** No version, range or tag has a slash, a colon or an `@`. */
const isPackageName = /[/:@]/;

/** A version of a package as a target. @throws InvalidRequest (no such form of a version) */
export function packageTarget(type: PackageType, { name, version }: WantedPackage): Target {
  const reference = parseReference(packageReference(type, name, version));
  if (isOneOff(reference)) return reference;
  throw new CitewellError("InvalidRequest", `${quoteValue(version)} is no version of ${name}`);
}

/** The most major versions that are looked up by name. */
const majorsAhead = 5;

/**
 * The newest major version of a package that has a name of its own, as a sentence; undefined if its registry has none, or
 * cannot be asked.
 */
export async function nextMajor(
  { type, name, version }: WantedPackage & { type: PackageType },
  { listVersions }: Pick<Resources, "listVersions">,
  { signal }: { signal: AbortSignal },
): Promise<string | undefined> {
  const { nameAt } = ecosystems[type];
  const [current = 0] = numbersOf(version);
  if (nameAt === undefined) return undefined;
  let found: string | undefined;
  for (let major = Math.max(1, current) + 1; major <= current + majorsAhead; major++) {
    const next = nameAt(name, String(major));
    const target = packageTarget(type, { name: next, version: "latest" });
    const listed = await listVersions(target, { signal }).catch((error: unknown): ListedVersion[] => {
      if (!(error instanceof CitewellError) || signal.aborted) throw error;
      return [];
    });
    // The registry may answer for a package that has the name's beginning.
    const newest = listed?.find((one) => numbersOf(one.version)[0] === major);
    if (newest === undefined) break;
    found = `Its major version ${major} has a name of its own: ${next} (${newest.version}).`;
  }
  return found;
}

const Metadata = z.object({ deprecated: z.string().min(1) });
/** Go's mark is a comment: https://go.dev/ref/mod#go-mod-file-module-deprecation */
const goMark = /^\s*\/\/ Deprecated:\s*(.+)$/m;
/** The most characters of such a text. */
const statementLimit = 300;

/** What a registry says of a version that should no longer be used, as a sentence: often what replaces it. */
export async function deprecationOf(
  snapshot: Snapshot,
  { signal }: { signal: AbortSignal },
): Promise<string | undefined> {
  const read = async (path: string) => (await snapshot.read(path, { signal }).catch(() => undefined))?.text ?? "";
  const metadata = Metadata.safeParse(parseJson(await read(`${pagesFolder}/metadata.json`))).data?.deprecated;
  const text = metadata ?? goMark.exec(await read("go.mod"))?.[1];
  signal.throwIfAborted();
  return text && `Its registry says that it is deprecated: ${text.replace(/\s+/g, " ").slice(0, statementLimit)}`;
}
