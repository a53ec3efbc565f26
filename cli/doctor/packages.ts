import type { ConfigLocation } from "../../server/config/config.ts";
import { ecosystems } from "../../server/resources/packages/ecosystems.ts";
import { type Finding, ok, warn } from "./check.ts";

/** Where the packages of the project are, for each ecosystem that it has dependencies in. */
export async function checkPackages(location: ConfigLocation): Promise<Finding[]> {
  const found = await Promise.all(
    Object.values(ecosystems).map(async ({ onDisk, openRegistry, namesNear }) => {
      if ((await namesNear(location)).length === 0) return [];
      const places = await onDisk.places(location);
      if (places.length > 0) return [ok(onDisk.noun, places.join(", "))];
      const otherwise = openRegistry === undefined ? "" : "; a registry is asked for what the project locks";
      return [warn(onDisk.noun, `none is on this computer${otherwise}`, onDisk.fix)];
    }),
  );
  return found.flat();
}
