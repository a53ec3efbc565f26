import { CitewellError } from "../../errors.ts";
import type { PublishedChoice } from "./ecosystem.ts";

/** The version of a reference, or the newest, where no project decides it. */
export function fromRegistry(
  name: string,
  version: string | null | undefined,
  { isExact, installedVersion }: { isExact: (version: string) => boolean; installedVersion?: string | undefined },
): PublishedChoice {
  const wanted = { name, version: version || "latest" };
  const origin = isExact(wanted.version) ? "from the registry" : `${wanted.version} in the registry`;
  return { type: "published", wanted, origin, installedVersion, ...(version ? {} : { isUnasked: true }) };
}

/** What a label adds where the name of a request is not the package's own. */
export function aliasNote(requested: string, real: string, spell = (name: string) => name): string {
  return spell(requested) === spell(real) ? "" : ` as ${requested}`;
}

/** A PackageNotFound: no registry replaces another origin. `by` is the file that has the origin. */
export function notPublished(
  name: string,
  {
    by,
    origin,
    registry = "a registry",
    fetching = "install it",
  }: { by: string; origin: string; registry?: string; fetching?: string },
): CitewellError {
  return new CitewellError("PackageNotFound", `${by} takes ${name} from ${origin}, not from ${registry}`, {
    hint: `${fetching}, so that it is read from disk, or add its repository or folder as a resource`,
  });
}
