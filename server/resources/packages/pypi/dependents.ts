import type { DependentsList } from "../ecosystem.ts";
import type { PackageLocation } from "../package-location.ts";
import { readDistributions } from "./installed.ts";
import { fieldOf, fieldsOf } from "./metadata.ts";
import { normalizeName } from "./names.ts";

/** The distributions of the nearest environment whose metadata requires one; what an extra needs does not count. */
export async function dependentsOf(name: string, location: PackageLocation): Promise<DependentsList | undefined> {
  const all = await readDistributions(location);
  const nameIn = (metadata: string) => fieldOf(metadata, "Name") ?? "";
  const wanted = all.map(nameIn).find((it) => normalizeName(it) === normalizeName(name));
  if (wanted === undefined) return undefined;
  const by = all.flatMap((metadata) => {
    for (const required of fieldsOf(metadata, "Requires-Dist")) {
      const [, own = "", range = ""] = /^([\w.-]+)\s*(?:\[[^\]]*\])?\s*\(?([^;)]*)/.exec(required) ?? [];
      if (normalizeName(own) !== normalizeName(name) || /\bextra\s*==/.test(required)) continue;
      const version = fieldOf(metadata, "Version");
      return [{ name: nameIn(metadata), version, wanted: range.trim() || undefined, file: "its metadata" }];
    }
    return [];
  });
  return { name: wanted, by };
}
