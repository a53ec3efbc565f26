import path from "node:path";
import { CitewellError } from "../errors.ts";
import { toAbsolutePath } from "../lib/absolute-path.ts";
import { nearest } from "../lib/nearest.ts";
import { workspaceName } from "../protocol/mentions.ts";
import { packageReference } from "../protocol/kinds/names.ts";
import { isPackage } from "../protocol/kinds/package.ts";
import { isOneOff, parseReference, type Reference } from "../protocol/reference.ts";
import { gitHubUrl } from "../protocol/typed-reference.ts";
import type { ResourceSpec } from "../protocol/resource.ts";
import type { KnownResources } from "./known-resources.ts";
import { quoteValue } from "../protocol/validation.ts";
import { kindOf, type OneOff, referenceForms } from "../protocol/kinds/kinds.ts";
import type { LocalReference } from "../protocol/kinds/local.ts";

/** The target of a question: a configured resource, or a one-off reference. */
export type Target = ResourceSpec | OneOff;

export interface Places {
  /** What relative paths are relative to, absolute. */
  cwd: string;
  /** The expansion of `~`, absolute. */
  homeDirectory: string;
}

/**
 * The resources that a request names, without repetitions; where it names none, those that such a request is about.
 * @throws ResourceNotFound, InvalidRequest (no name and no reference either)
 */
export function selectTargets(names: readonly string[], known: KnownResources, places: Places): readonly Target[] {
  if (names.length > 0) {
    const targets = names.flatMap((text) => selectNamed(text, known, places));
    return [...new Map(targets.map((target) => [nameOf(target), target])).values()];
  }
  if (known.unnamed.length > 0) return known.unnamed;
  const examples = known.named.map(({ name }) => name);
  const first =
    examples.length === 0 ? "" : `${new Intl.ListFormat("en-GB", { type: "disjunction" }).format(examples)}, `;
  throw new CitewellError(
    "ResourceNotFound",
    `there is no project in ${places.cwd}, and the question names no resource`,
    {
      hint: `name one (-r on the command line): ${first}a repository URL, npm:<package> or a path; or run: citewell add`,
    },
  );
}

/**
 * The same resources in a form that opens from anywhere, and later: paths are absolute; a repository's page stays as it
 * was written, because it may name a branch.
 */
export function referencesTo(names: readonly string[], known: KnownResources, places: Places): string[] {
  const references = names.flatMap((text) =>
    selectNamed(text, known, places).map((target) =>
      "canonical" in target ? (kindOf(target).toText?.(target, text) ?? target.canonical) : target.name,
    ),
  );
  return [...new Set(references)];
}

/**
 * The name by which an answer refers to it: the configured one, else the normalised URL, package reference or absolute
 * path.
 */
export function nameOf(target: Target): string {
  return "name" in target ? target.name : target.canonical;
}

/** @throws ResourceNotFound */
export function requireKnown(name: string, named: readonly ResourceSpec[]): ResourceSpec {
  const found = named.find((spec) => spec.name === name);
  if (found === undefined) throw unknownResource(name, named);
  return found;
}

/** `workspace` is every open project, unless a resource has that name. */
function selectNamed(text: string, known: KnownResources, places: Places): readonly Target[] {
  const isWorkspace = text === workspaceName && known.projects.length > 0;
  if (isWorkspace && known.named.every(({ name }) => name !== text)) return known.projects;
  return [selectTarget(text, known, places)];
}

function selectTarget(text: string, { named: specs, projects }: KnownResources, places: Places): Target {
  const named = specs.find(({ name }) => name === text);
  if (named !== undefined) return named;
  const reference = revisionAt(text, specs) ?? parseReference(text);
  if (reference.type === "name") throw unknownResource(text, specs);
  if (reference.type === "invalid") {
    throw new CitewellError("InvalidRequest", `resource ${quoteValue(text)}: ${reference.reason}`, {
      hint: otherPackage.test(text)
        ? "name the package's git repository instead, as in https://github.com/owner/name"
        : `give a configured name, ${referenceForms}`,
    });
  }
  const kind = kindOf(reference);
  const fault = kind.faultOf?.(reference);
  if (fault !== undefined) {
    const { reason, hint } = fault;
    throw new CitewellError("InvalidRequest", `resource ${quoteValue(reference.canonical)}: ${reason}`, { hint });
  }
  return reference.type === "local" ? selectFolder(reference, { projects, places }) : reference;
}

/**
 * A configured repository, or one by its URL, at a branch, tag or commit behind `@`, or a configured package at a version:
 * `zod@v3`.
 * @throws InvalidRequest (a folder, or a part of a repository)
 */
function revisionAt(text: string, specs: readonly ResourceSpec[]): Reference | undefined {
  for (let at = text.lastIndexOf("@"); at > 0; at = text.lastIndexOf("@", at - 1)) {
    const [base, branch] = [text.slice(0, at), text.slice(at + 1)];
    const spec = specs.find(({ name }) => name === base);
    if (spec?.type === "git") {
      const { url, searchPath, searchPaths } = spec;
      if ((searchPath ?? searchPaths ?? "").length > 0) {
        throw new CitewellError("InvalidRequest", `resource ${quoteValue(text)}: ${base} is a part of its repository`, {
          hint: `name it without the revision: ${base}; or the whole repository`,
        });
      }
      return { type: "git", canonical: text, url, branch };
    }
    if (spec !== undefined && isPackage(spec)) {
      const reference = parseReference(packageReference(spec.type, spec.package, branch));
      return isOneOff(reference) ? { ...reference, canonical: text } : reference;
    }
    if (spec?.type === "local") {
      throw new CitewellError("InvalidRequest", `resource ${quoteValue(text)}: a folder is read as it is now`, {
        hint: `name it without the revision: ${base}; or its repository by its https URL`,
      });
    }
    const reference = /^https?:\/\/[^/@]+\/.+/i.test(base) ? parseReference(base) : undefined;
    if (reference?.type === "git") return { ...reference, canonical: `${reference.url}@${branch}`, branch };
  }
  return undefined;
}

/** A package of an ecosystem that has no resources, by the types of package URLs. */
const otherPackage = /^(?:pkg:)?(?:cocoapods|conan|conda|cran|hackage|hex|pub|swift)[:/]/i;

/** An open project under its own name, else the folder by its absolute path. */
function selectFolder(
  reference: LocalReference,
  { projects, places }: Pick<KnownResources, "projects"> & { places: Places },
): Target {
  const absolute = toAbsolutePath(reference.path, { folder: places.cwd, homeDirectory: places.homeDirectory });
  const project = projects.find((spec) => path.resolve(spec.path) === path.resolve(absolute));
  return project ?? { ...reference, canonical: absolute, path: absolute };
}

function unknownResource(name: string, configured: readonly ResourceSpec[]): CitewellError {
  const names = configured.map((spec) => spec.name);
  return new CitewellError("ResourceNotFound", `no resource named ${quoteValue(name)}`, { hint: hintFor(name, names) });
}

function hintFor(name: string, configured: readonly string[]): string {
  const close = nearest(name, configured);
  if (close.length > 0) return `did you mean ${close.join(" or ")}?`;
  const url = gitHubUrl(name);
  if (url !== undefined) return `name a repository by its URL, as ${url}, a folder as ./${name}`;
  return `run: citewell resources — or name a package as npm:${name}, a folder as ./${name}`;
}
