import type { Dependency } from "./dependencies.ts";
import type { CachedChoice, InstalledChoice, PublishedChoice } from "./ecosystem.ts";

/** A choice as a list of dependencies shows it: a version where it is on disk or locked, else what the manifest asks for. */
export function chosenVersion(
  choice: InstalledChoice | Pick<CachedChoice, "type" | "cached"> | PublishedChoice,
): Pick<Dependency, "package" | "version" | "wanted"> {
  if (choice.type === "published") {
    const { wanted, isLocked } = choice;
    const [version, range] = isLocked === true ? [wanted.version, undefined] : [undefined, wanted.version];
    return { package: wanted.name, version, wanted: range };
  }
  const { name, version } = choice.type === "installed" ? choice.installed : choice.cached;
  return { package: name, version, wanted: undefined };
}
