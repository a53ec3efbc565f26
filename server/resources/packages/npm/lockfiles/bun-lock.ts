import { parse } from "jsonc-parser";
import * as z from "zod";
import { ownValue } from "../../files.ts";
import { highest, type Locked, lockedOf, type LockfileQuestion } from "./lockfile.ts";

const BunLock = z.object({
  workspaces: z.record(z.string(), z.object({ name: z.string().optional() })).catch({}),
  /** Keyed by `name@version`. */
  patchedDependencies: z.record(z.string(), z.unknown()).catch({}),
  /** Keyed by name, or `parent/name` if a parent needs another version; the first item is `name@version`. */
  packages: z.record(z.string(), z.tuple([z.string()]).rest(z.unknown())),
});

/** `bun.lock`, JSON with trailing commas: https://bun.sh/docs/pm/lockfile. Its binary predecessor is not read. */
export function readBunLock(text: string, { package: name, importer }: LockfileQuestion): Locked | undefined {
  const value: unknown = parse(text, [], { allowTrailingComma: true });
  const lock = BunLock.safeParse(value).data;
  if (lock === undefined) return undefined;
  const asking = ownValue(lock.workspaces, importer)?.name;
  const toLocked = (entry: Entry) => lockedAs(name, entry, lock.patchedDependencies);
  const own = asking === undefined ? undefined : ownValue(lock.packages, `${asking}/${name}`);
  const entry = own ?? ownValue(lock.packages, name);
  if (entry !== undefined) return toLocked(entry);
  const nested = Object.values(lock.packages).filter(([resolution]) => resolution.startsWith(`${name}@`));
  return highest(nested.map(toLocked));
}

type Entry = readonly [string, ...unknown[]];

function lockedAs(name: string, [resolution, ...rest]: Entry, patched: Readonly<Record<string, unknown>>): Locked {
  if (Object.hasOwn(patched, resolution)) return { type: "elsewhere", origin: "a patch" };
  const at = resolution.indexOf("@", 1);
  const integrity = rest.find((item) => typeof item === "string" && /^sha\d+-/.test(item));
  return lockedOf(
    at === -1 ? name : resolution.slice(0, at),
    resolution.slice(at + 1),
    typeof integrity === "string" ? integrity : undefined,
  );
}
