import type * as z from "zod";

/** Translates a sentence with `{0}` for a value, as the editor's `l10n` does. */
export interface Words {
  t(message: string, ...values: string[]): string;
}

/** English as it is written. */
export const plainWords: Words = {
  t: (message, ...values) => message.replace(/\{(\d)\}/g, (whole, index) => values[Number(index)] ?? whole),
};

export interface InvalidReference {
  type: "invalid";
  text: string;
  reason: string;
}

export function invalidReference(text: string, reason: string): InvalidReference {
  return { type: "invalid", text, reason };
}

/** Fields of a listing or of a spec: each may be null or absent. */
export type FieldsOf<Shape extends z.ZodRawShape> = {
  readonly [Name in keyof Shape]?: z.infer<Shape[Name]> | undefined;
};

/** The part of a listing that says what is on disk. */
export interface StoredRevision {
  revision: string | null;
  fetchedAt: string | null;
  installedVersion?: string | undefined;
}

/** The answers of a person who adds a resource. */
export interface Details {
  name: string;
  branch?: string | undefined;
  searchPaths?: readonly string[] | undefined;
  version?: string | undefined;
}

/**
 * A kind of resource, without its I/O: how a reference to it is written and read, how it is configured, and its words.
 * `server/resources/kinds.ts` has the other half. Sentences for people come from `l10n.t` with a literal text, which is
 * how `npm run generate` finds them.
 *
 * `Spec` is a configured resource, `Reference` a one-off, and `Fields` its own fields as a listing or spec has them.
 */
export interface ResourceKind<Spec, Reference extends { canonical: string }, Fields> {
  schema: z.ZodObject;
  /** The field that names the origin: a URL, a package, a path. */
  sourceField: string;
  /** Whether it is fetched, and so can be on disk at several revisions. Otherwise it is read in place, as it is now. */
  isFetched: boolean;
  /** Whether the open project decides what a spec without a revision opens. */
  dependsOnProject?: boolean;

  /** The word in the middle of a sentence: `git repository`. */
  noun: string;
  /** How a reference is written, in a list of such forms: `npm:<package>`. */
  form: string;
  /** The name of a codicon. */
  icon: string;
  /** A snippet of its entry in the configuration file; the fields after `type` and `name`. */
  snippet: Readonly<Record<string, string>>;
  label(l10n: Words): string;
  /** One line for a person who chooses what to add. */
  summary(l10n: Words): string;
  /** The question for the reference, and examples of an answer. */
  prompt(l10n: Words): { prompt: string; placeholder: string };

  /** Undefined if the text is not of this kind by its form alone. Nothing is looked up. */
  read(text: string): Reference | InvalidReference | undefined;
  /** The text as a reference of this kind, also where its form alone would not say so. */
  readAs(text: string): Reference | InvalidReference;
  /** Why a reference breaks the rules of a configured resource. */
  faultOf?(reference: Reference): { reason: string; hint: string } | undefined;
  /** The text that opens the same later, where the canonical form does not say all of it. */
  toText?(reference: Reference, text: string): string;
  /** A name from the last part of the origin. */
  suggestName(reference: Reference): string;
  toSpec(reference: Reference, details: Details): Spec;
  /** A spec as it is kept. */
  normalize?(spec: Spec): Spec;

  /** The path on this computer that it reads. */
  pathOf?(target: Spec | Reference): string;
  withPath?(spec: Spec, path: string): Spec;
  /** The URL whose host must be allowed. */
  urlOf?(spec: Spec): string;

  /** The same origin at another revision, under the same name; undefined if that cannot be fetched. */
  atRevision?(target: Spec | Reference, at: { canonical: string; revision: string }): Reference | undefined;
  /** A name that says a revision as well, taken apart. */
  readRevision?(name: string): { name: string; revision: string } | undefined;
  /** The spec, always at that revision. */
  pin?(spec: Spec, revision: string): Spec;
  isPinned?(fields: Fields): boolean;
  shortRevision(revision: string): string;

  /** Its origin in one line: `npm:zod@4` without the prefix, a repository's URL with its branch. */
  origin(fields: Fields): string;
  /** The revision that questions get, in a few words. */
  current(fields: Fields & StoredRevision, l10n: Words & { shortPath(path: string): string }): string;
  /** Its origin as labelled facts: `Branch: main`. */
  facts(fields: Fields, l10n: Words): string[];
  /** The state `absent`, and what to do about it. */
  absent(l10n: Words): { words: string; advice: string };
}

/** A resource name made from the last segment of a URL or path. */
export function nameFromPath(text: string): string {
  const last = text.split(/[/\\]/).findLast((segment) => segment !== "" && !/^\.+$/.test(segment)) ?? "resource";
  const name = last
    .replace(/\.git$/, "")
    .replace(/[^a-zA-Z0-9._-]+/g, "-")
    .replace(/\.{2,}/g, ".");
  return name.replace(/^[^a-zA-Z0-9]+/, "").slice(0, 64) || "resource";
}

/** `absent` of a kind that is fetched. */
export function notFetched(l10n: Words): { words: string; advice: string } {
  return {
    words: l10n.t("not fetched yet"),
    advice: l10n.t("It is not fetched yet. The first question fetches it, or fetch it now."),
  };
}
