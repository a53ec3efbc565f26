import path from "node:path";
import type * as z from "zod";
import { CitewellError } from "../errors.ts";
import { toAbsolutePath } from "../lib/absolute-path.ts";
import { nearest } from "../lib/nearest.ts";
import { workspaceName } from "../protocol/mentions.ts";
import { parseReference } from "../protocol/reference.ts";
import { Branch, PackageName, PackageVersion, type ResourceSpec, SearchPath } from "../protocol/resource.ts";
import type { KnownResources } from "./known-resources.ts";
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
 * The resources that a request names, without repetitions; where it names none, those that such a request is about.
 * @throws ResourceNotFound, InvalidRequest (no name and no reference either)
 */
export function selectTargets(asked: readonly string[], known: KnownResources, places: Places): readonly Target[] {
  if (asked.length > 0) {
    const targets = asked.flatMap((text) => selectNamed(text, known, places));
    return [...new Map(targets.map((target) => [nameOf(target), target])).values()];
  }
  if (known.unnamed.length > 0) return known.unnamed;
  throw new CitewellError("ResourceNotFound", "no resource is configured and the question names none", {
    hint: "name one with the question (a repository URL, npm:<package> or a path), or run: citewell add",
  });
}

/**
 * The same resources in a form that opens from anywhere, and later: paths are absolute; a repository's page stays as it
 * was written, because it may name a branch.
 */
export function referencesTo(asked: readonly string[], known: KnownResources, places: Places): string[] {
  const references = asked.flatMap((text) =>
    selectNamed(text, known, places).map((target) =>
      target.type === "git" && "canonical" in target ? text.trim() : nameOf(target),
    ),
  );
  return [...new Set(references)];
}

/** By which an answer refers to it: the configured name, else the normalised URL, package reference or absolute path. */
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
  const reference = parseReference(text);
  switch (reference.type) {
    case "git":
      return checkPage(reference);
    case "npm":
      return checkPackage(reference);
    case "local": {
      const absolute = toAbsolutePath(reference.path, { folder: places.cwd, homeDirectory: places.homeDirectory });
      const project = projects.find((spec) => path.resolve(spec.path) === path.resolve(absolute));
      return project ?? { type: "local", canonical: absolute, path: absolute };
    }
    case "name":
      throw unknownResource(text, specs);
    case "invalid":
      throw new CitewellError("InvalidRequest", `resource ${quoteValue(text)}: ${reference.reason}`, {
        hint: "give a configured name, an HTTPS git URL, npm:<package> or a path",
      });
  }
}

/** A page's URL may name a branch and a folder, under the rules for those of a configured resource. */
function checkPage(reference: Extract<OneOff, { type: "git" }>): OneOff {
  const branch = Branch.optional().safeParse(reference.branch);
  const searchPath = SearchPath.optional().safeParse(reference.searchPath);
  const fault = branch.error ?? searchPath.error;
  if (fault !== undefined) throw invalidReference(reference, { fault, hint: "give the repository's own URL" });
  return reference;
}

function checkPackage(reference: Extract<OneOff, { type: "npm" }>): OneOff {
  const name = PackageName.safeParse(reference.package);
  const version = PackageVersion.optional().safeParse(reference.version);
  const fault = name.error ?? version.error;
  const hint = "write it as npm:<name> or npm:<name>@<version>";
  if (fault !== undefined) throw invalidReference(reference, { fault, hint });
  return reference;
}

function invalidReference({ canonical }: OneOff, { fault, hint }: { fault: z.ZodError; hint: string }): CitewellError {
  const reason = fault.issues[0]?.message ?? "not a reference";
  return new CitewellError("InvalidRequest", `resource ${quoteValue(canonical)}: ${reason}`, { hint });
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
