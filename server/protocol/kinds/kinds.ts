import * as z from "zod";
import { git, gitListing, type GitReference } from "./git.ts";
import { GitResource } from "./git-fields.ts";
import type { FieldsOf, ResourceKind } from "./kind.ts";
import { local, localListing, type LocalReference, LocalResource } from "./local.ts";
import { kindNames, servedKinds } from "./names.ts";
import { packageListing } from "./package.ts";
import { type AnyPackageReference, packageKinds, packageSchemas } from "./packages.ts";

/** The schema of each kind, discriminated by `type`. */
export const specSchemas = [GitResource, LocalResource, ...packageSchemas] as const;
type Spec = z.infer<(typeof specSchemas)[number]>;

/** A resource that a request names and that is not configured. Its canonical form is its name. */
export type OneOff = GitReference | LocalReference | AnyPackageReference;

/** The fields of every kind, as a listing has them. */
export const kindFields = { ...gitListing, ...localListing, ...packageListing };
export type KindFields = FieldsOf<typeof kindFields>;

type AnyKind = ResourceKind<Spec, OneOff, KindFields>;

/**
 * Every kind of resource by the `type` of its specs, in the order of lists. A reference is read by the last one that
 * knows its form: git takes every URL that no other kind claims.
 */
export const kinds = { git, local, ...packageKinds } satisfies { [Type in KindName]: AnyKind };

export const KindName = z.enum(kindNames);
export type KindName = z.infer<typeof KindName>;

/**
 * The kind of a spec, reference or listing. Its methods take values of that kind only: pass the value that named it.
 * (TypeScript compares the parameters of methods in both directions, and so accepts the widening.)
 */
export function kindOf({ type }: { type: KindName }): AnyKind {
  return kinds[type];
}

/** What a service for others offers: `git repository, npm package or Go module`. */
export const servedNouns = listOf(servedKinds.map((type) => kinds[type].noun));

/** The URL, package or path of a resource. */
export function sourceOf(listing: KindFields & { type: KindName }): string {
  const found = Object.entries(listing).find(([field]) => field === kindOf(listing).sourceField);
  return typeof found?.[1] === "string" ? found[1] : "";
}

/** The path on this computer that a target reads; undefined if it is fetched. */
export function pathOf(target: Spec | OneOff): string | undefined {
  return kindOf(target).pathOf?.(target);
}

/** The spec with its path changed; one without a path stays as it is. */
export function mapPath(spec: Spec, change: (path: string) => string): Spec {
  const kind = kindOf(spec);
  const path = kind.pathOf?.(spec);
  return path === undefined ? spec : (kind.withPath?.(spec, change(path)) ?? spec);
}

/** `an HTTPS git URL, npm:<package> or a path`. */
export const referenceForms = listOf(Object.values(kinds).map(({ form }) => form));

function listOf(items: readonly string[]): string {
  return new Intl.ListFormat("en-GB", { type: "disjunction" }).format(items);
}
