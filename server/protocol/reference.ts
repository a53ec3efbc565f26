import { type InvalidReference, invalidReference } from "./kinds/kind.ts";
import { kindOf, kinds, type OneOff, referenceForms } from "./kinds/kinds.ts";
import { ResourceName } from "./resource-fields.ts";
import type { ResourceSpec } from "./resource.ts";

/**
 * What a resource is called in a question, in `add` and on every wire: a configured name, or a one-off reference.
 * `canonical` is a one-off's name everywhere: its normalised URL, package reference or path as given.
 */
export type Reference = { type: "name"; name: string } | OneOff | InvalidReference;

/**
 * Reads a reference by its form alone: nothing is looked up. A bare word is a name, never a path; a path starts
 * with `.`, `~`, `/` or a drive. `file:` and `ssh:` URLs and the like are `invalid`, with the reason.
 */
export function parseReference(text: string): Reference {
  const trimmed = text.trim();
  for (const kind of Object.values(kinds).toReversed()) {
    const reference = kind.read(trimmed);
    if (reference !== undefined) return reference;
  }
  if (ResourceName.safeParse(trimmed).success) return { type: "name", name: trimmed };
  return invalidReference(trimmed, `not a resource name, ${referenceForms}`);
}

/** Whether it names something that can be opened without being configured. */
export function isOneOff(reference: Reference): reference is OneOff {
  return reference.type !== "name" && reference.type !== "invalid";
}

/** A resource as it is kept: a page's URL becomes its repository's. */
export function normalizeSpec(spec: ResourceSpec): ResourceSpec {
  return kindOf(spec).normalize?.(spec) ?? spec;
}

/** The last segment of a URL, package or path as a resource name. */
export function suggestName(reference: OneOff): string {
  return kindOf(reference).suggestName(reference);
}
