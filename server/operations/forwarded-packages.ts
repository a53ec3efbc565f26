import { CitewellError } from "../errors.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { Forward } from "../upgrade/forwards.ts";
import { joinFacts, type VersionFacts } from "../upgrade/read-version.ts";
import type { WantedPackage } from "./upgrade-target.ts";

/** The most packages whose names another exports that are read. */
const forwardsRead = 3;

/** With what the package exports of others, at the versions that it asks for. */
export async function withForwarded(
  facts: VersionFacts,
  read: (forwarded: { module: string; names: readonly string[] }) => Promise<VersionFacts | undefined>,
): Promise<VersionFacts> {
  let joined = facts;
  let count = 0;
  for (const module of new Set(facts.forwards.map(rootOf))) {
    if (count === forwardsRead) break;
    const forwards = facts.forwards.filter((one) => rootOf(one) === module);
    const names = forwards.flatMap(({ name }) => name?.original ?? []);
    const other = await read({ module, names }).catch((error: unknown) => {
      if (!(error instanceof CitewellError)) throw error;
      return `what it exports of ${module} was not read: ${error.message}`;
    });
    if (other === undefined) continue;
    count++;
    joined =
      typeof other === "string" ? { ...joined, notes: [...joined.notes, other] } : joinFacts(joined, other, forwards);
  }
  return joined;
}

/** The crate of a path, and a module of a script as it is. */
function rootOf({ module }: Forward): string {
  return module.split("::")[0] ?? module;
}

/** A package that a manifest at the root of another one asks for, by text; the code may write `-` as `_`. */
export async function requirementOf(
  name: string,
  snapshot: Snapshot,
  { signal }: { signal: AbortSignal },
): Promise<WantedPackage | undefined> {
  const own = name.replaceAll(".", String.raw`\.`).replace(/[-_]/g, "[-_]");
  const forms = {
    "Cargo.toml": String.raw`^(?:\[(?:.*\.)?dependencies\.(?<table>${own})\](?:\n(?!\[).*)*?\nversion|(?<key>${own})(?:\s*=\s*\{[^}]*?\bversion)?)\s*=\s*"(?<version>[^"]+)"`,
    "package.json": String.raw`"(?<key>${own})"\s*:\s*"(?<version>[^"]+)"`,
  };
  for (const [path, form] of Object.entries(forms)) {
    const source = await snapshot.read(path, { signal }).catch(() => undefined);
    signal.throwIfAborted();
    const { table, key, version } = new RegExp(form, "m").exec(source?.text ?? "")?.groups ?? {};
    const written = table ?? key;
    if (written !== undefined && version !== undefined) return { name: written, version };
  }
  return undefined;
}
