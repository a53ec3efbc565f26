import { CitewellError } from "../errors.ts";
import { toAbsolutePath } from "../lib/absolute-path.ts";
import { nearest } from "../lib/nearest.ts";
import { parseReference } from "../protocol/reference.ts";
import { PackageName, PackageVersion, type ResourceSpec } from "../protocol/resource.ts";
import { quoteValue } from "../protocol/validation.ts";
import type { OneOff } from "../resources/resources.ts";

/** What a question is asked of: a configured resource, or something named just for this question. */
export type Target = ResourceSpec | OneOff;

export interface Places {
  /** What relative paths are relative to, absolute. */
  cwd: string;
  /** What `~` stands for, absolute. */
  homeDirectory: string;
}

/**
 * The resources that a question names, without repetitions; all configured ones where it names none.
 * @throws ResourceNotFound, InvalidRequest (no name and no reference either)
 */
export function selectTargets(
  asked: readonly string[],
  configured: readonly ResourceSpec[],
  places: Places,
): readonly Target[] {
  if (asked.length > 0) {
    const targets = asked.map((text) => selectTarget(text, configured, places));
    return [...new Map(targets.map((target) => [nameOf(target), target])).values()];
  }
  if (configured.length > 0) return configured;
  throw new CitewellError("ResourceNotFound", "no resource is configured and the question names none", {
    hint: "name one with the question (a repository URL, npm:<package> or a path), or run: citewell add",
  });
}

/** By which an answer refers to it: the configured name, else the normalised URL, package reference or absolute path. */
export function nameOf(target: Target): string {
  return "name" in target ? target.name : target.canonical;
}

function selectTarget(text: string, configured: readonly ResourceSpec[], places: Places): Target {
  const named = configured.find(({ name }) => name === text);
  if (named !== undefined) return named;
  const reference = parseReference(text);
  switch (reference.type) {
    case "git":
      return reference;
    case "npm":
      return checkPackage(reference);
    case "local": {
      const absolute = toAbsolutePath(reference.path, { folder: places.cwd, homeDirectory: places.homeDirectory });
      return { type: "local", canonical: absolute, path: absolute };
    }
    case "name":
      throw unknownResource(text, configured);
    case "invalid":
      throw new CitewellError("InvalidRequest", `resource ${quoteValue(text)}: ${reference.reason}`, {
        hint: "give a configured name, an HTTPS git URL, npm:<package> or a path",
      });
  }
}

function checkPackage(reference: Extract<OneOff, { type: "npm" }>): OneOff {
  const name = PackageName.safeParse(reference.package);
  const version = PackageVersion.optional().safeParse(reference.version);
  const fault = name.error ?? version.error;
  if (fault === undefined) return reference;
  const reason = fault.issues[0]?.message ?? "not a package reference";
  throw new CitewellError("InvalidRequest", `resource ${quoteValue(reference.canonical)}: ${reason}`, {
    hint: "write it as npm:<name> or npm:<name>@<version>",
  });
}

function unknownResource(name: string, configured: readonly ResourceSpec[]): CitewellError {
  const names = configured.map((spec) => spec.name);
  const close = nearest(name, names);
  const hint =
    close.length > 0
      ? `did you mean ${close.join(" or ")}?`
      : `run: citewell resources — or name a package as npm:${name}, a folder as ./${name}`;
  return new CitewellError("ResourceNotFound", `no resource named ${quoteValue(name)}`, { hint });
}
