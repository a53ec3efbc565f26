import * as z from "zod";

/** The limits of docs/contract.md, "Limits". Lengths are UTF-16 units. */
export const limits = {
  nameLength: 64,
  branchLength: 128,
  searchPathLength: 256,
  notesLength: 500,
  questionLength: 100_000,
  resourcesPerRequest: 20,
  /** npm's own limit: https://docs.npmjs.com/cli/configuring-npm/package-json#name */
  packageLength: 214,
  versionLength: 128,
  urlLength: 2048,
  pathLength: 4096,
} as const;

/** A control character, or an unpaired surrogate, which no encoding or database can store. */
export const unstorable = /[\p{Cc}\p{Cs}]/u;
const namePattern = /^@?[a-zA-Z0-9][a-zA-Z0-9._-]*(\/[a-zA-Z0-9][a-zA-Z0-9._-]*)*$/;
/**
 * JSON schemas do not have refinements. So each rule is repeated in the `pattern` that they get, one for each schema:
 * zod would write several as `allOf`, which not every reader of tool schemas understands. This one is the part of
 * `unstorable` that validators without Unicode properties can express.
 */
export const controls = "\\u0000-\\u001f\\u007f-\\u009f";
export const withoutControls = `^[^${controls}]*$`;

/** A text of at most so many UTF-16 units. zod counts code points, as JSON Schema does: its own rule is for the schema. */
export function textUpTo(limit: number, message: string) {
  return z
    .string()
    .max(limit, { error: message, abort: true })
    .refine((text) => text.length <= limit, message);
}

export const ResourceName = textUpTo(limits.nameLength, `a name has at most ${limits.nameLength} characters`)
  .regex(namePattern, "a name starts with a letter or digit and holds letters, digits, '.', '_', '-' and single '/'")
  .refine((name) => !name.includes(".."), "a name must not contain '..'")
  .meta({
    description: "The name by which questions refer to the resource.",
    examples: ["express"],
    pattern: `^(?!.*\\.\\.)${namePattern.source.slice(1)}`,
  });

/** A name, and the revision or version behind its `@`: `zod@v3`, `@acme/lib@1.2.0`. */
export function splitRevision(text: string): { name: string; revision?: string } {
  const at = text.indexOf("@", 1);
  return at === -1 ? { name: text } : { name: text.slice(0, at), revision: text.slice(at + 1) };
}

export const SpecialNotes = textUpTo(limits.notesLength, `notes have at most ${limits.notesLength} characters`)
  .refine((notes) => !unstorable.test(notes), "notes must not contain control characters or unpaired surrogates")
  .meta({ description: "Free notes that are shown to the model as the user's.", pattern: withoutControls });

export const RefreshPolicy = z.enum(["always", "daily", "manual"]).meta({
  description:
    "When to check for a newer revision of a branch, range or tag: with every question, once a day, or on request.",
});
export type RefreshPolicy = z.infer<typeof RefreshPolicy>;

/** The fields of a configured resource: those of every kind around its own. */
export function specShape<Own extends z.ZodRawShape>(own: Own) {
  return { name: ResourceName, ...own, specialNotes: SpecialNotes.nullish() };
}

/** As `specShape`, for kinds that are fetched. */
export function fetchedShape<Own extends z.ZodRawShape>(own: Own) {
  return { ...specShape(own), refresh: RefreshPolicy.nullish() };
}

/** A URL whose path can be decoded, or undefined, as for `%zz`. */
export function readUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  try {
    decodeURIComponent(url.pathname);
    return url;
  } catch {
    return undefined;
  }
}

/** Absolute on any platform: `/x`, `\x`, `C:\x`, `C:x`. */
export function isAbsolutePath(path: string): boolean {
  return /^([/\\]|[a-zA-Z]:)/.test(path);
}
