import * as z from "zod";
import { controls, fetchedShape, limits, readUrl, RefreshPolicy, textUpTo, unstorable } from "../resource-fields.ts";
import { type FieldsOf, type InvalidReference, invalidReference, notFetched, type ResourceKind } from "./kind.ts";
import { packageReference, type PackageType, packageTypes, withoutPrefix } from "./names.ts";

export const PackageVersion = textUpTo(limits.versionLength, `a version has at most ${limits.versionLength} characters`)
  .min(1, "a version must not be empty")
  .regex(/^[^\s/]+$/, "a version or tag has no spaces and no '/'")
  .refine(
    (version) => !unstorable.test(version),
    "a version must not contain control characters or unpaired surrogates",
  )
  .meta({
    description: "A version, range or tag. Without one: what the workspace has installed, else `latest`.",
    pattern: `^[^\\s/${controls}]+$`,
  });

/** A configured package. */
export interface PackageResource<Type extends PackageType> {
  type: Type;
  name: string;
  package: string;
  version?: string | null | undefined;
  specialNotes?: string | null | undefined;
  refresh?: RefreshPolicy | null | undefined;
}

export interface PackageReference<Type extends PackageType> {
  type: Type;
  canonical: string;
  package: string;
  version?: string;
}

export const packageListing = {
  package: z.string().nullable(),
  version: z.string().nullable(),
  refresh: RefreshPolicy.nullable(),
};

/** The standard library of a language. It is no package of a registry: it is read from this computer. */
export interface StandardLibrary {
  /** `Go's standard library` */
  label: string;
  /** The URL of its source. */
  repository: string;
  /** Whether a name of the ecosystem means it or a part of it. */
  includes(name: string): boolean;
}

export interface PackageKind<Type extends PackageType> extends ResourceKind<
  PackageResource<Type>,
  PackageReference<Type>,
  FieldsOf<typeof packageListing>
> {
  schema: ReturnType<typeof packageSchema<Type>>;
  /** A name, as an example. */
  example: string;
  standardLibrary?: StandardLibrary | undefined;
}

type Words = Pick<PackageKind<PackageType>, "noun" | "snippet" | "label" | "summary" | "prompt">;

/** What differs between the ecosystems, beside their words. */
interface PackageKindOptions<Type extends PackageType> extends Words {
  type: Type;
  /** The name of the schema of a configured package, and what it says of it. */
  id: string;
  about: string;
  /** The schema of a name. */
  Name: z.ZodString;
  /** A name, for the hint on how a reference is written. */
  example: string;
  /** The registry's page of a package as `<name>[@<version>]`. */
  readPage: (url: URL) => string | undefined;
  /** Other ways to write a name as `<name>[@<version>]`. */
  toName?: (text: string) => string;
  /** The last part of a name that has several. Default: the whole name. */
  suggestName?: (name: string) => string;
  isExact: (version: string) => boolean;
  standardLibrary?: StandardLibrary;
}

/** The schema of a configured package. */
function packageSchema<Type extends PackageType>({
  type,
  id,
  about,
  Name,
}: Pick<PackageKindOptions<Type>, "type" | "id" | "about" | "Name">) {
  const own = fetchedShape({ package: Name, version: PackageVersion.nullish() });
  return z.object({ type: z.literal(type).describe(about), ...own }).meta({ id });
}

/**
 * A kind of resource that is a package of one ecosystem. A reference is `<prefix>:<name>[@<version>]` (`names.ts` has
 * the prefixes), a package URL (`pkg:<type>/<name>@<version>`), or the registry's page.
 */
export function packageKind<Type extends PackageType>({
  type,
  id,
  about,
  Name,
  example,
  readPage,
  toName = (text) => text,
  suggestName = (name) => name,
  isExact,
  standardLibrary,
  ...words
}: PackageKindOptions<Type>): PackageKind<Type> {
  const schema = packageSchema({ type, id, about, Name });
  const readName = (written: string, original: string): PackageReference<Type> | InvalidReference => {
    const text = toName(written);
    const at = text.indexOf("@", 1);
    const name = at === -1 ? text : text.slice(0, at);
    const version = at === -1 ? undefined : text.slice(at + 1);
    if (name === "")
      return invalidReference(original, `a package reference needs a name, as in ${packageReference(type, example)}`);
    if (version === "") return invalidReference(original, "nothing follows the '@' of the package reference");
    const canonical = packageReference(type, name, version);
    return { type, canonical, package: name, ...(version === undefined ? {} : { version }) };
  };

  const read = (text: string): PackageReference<Type> | InvalidReference | undefined => {
    const written = withoutPrefix(type, text);
    if (written !== undefined) return readName(written, text);
    const url = readUrl(text);
    const found = url === undefined ? undefined : (readPackageUrl(url, type) ?? readPage(url));
    return found === undefined ? undefined : readName(found, text);
  };

  return {
    ...words,
    icon: "package",
    schema,
    example,
    standardLibrary,
    sourceField: "package",
    isFetched: true,
    dependsOnProject: true,
    form: packageReference(type, "<package>"),

    read,
    readAs: (text) => read(text) ?? readName(text, text),
    faultOf(reference) {
      const { error } = schema.pick({ package: true, version: true }).safeParse(reference);
      const reason = error?.issues[0]?.message;
      return reason === undefined
        ? undefined
        : {
            reason,
            hint: `write it as ${packageReference(type, "<name>")} or ${packageReference(type, "<name>", "<version>")}`,
          };
    },
    suggestName: (reference) => suggestName(reference.package),
    toSpec(reference, { name, version = reference.version }) {
      return { type, name, package: reference.package, ...(version === undefined ? {} : { version }) };
    },

    atRevision(target, { canonical, revision }) {
      const version = versionOfRevision(revision);
      return version === target.version ? undefined : { type, canonical, package: target.package, version };
    },
    /** `npm:hono@4.9.1+0123456789abcdef`: a package and its revision, which is more than a version. */
    readRevision(text) {
      const [, name = "", revision] = /^([a-z]+:@?[^@]+)@([^@]+\+[0-9a-f]{6,})$/.exec(text) ?? [];
      return revision === undefined || withoutPrefix(type, name) === undefined ? undefined : { name, revision };
    },
    pin: (spec, revision) => ({ ...spec, version: versionOfRevision(revision) }),
    isPinned: ({ version }) => isExact(version ?? ""),
    shortRevision: (revision) => versionOfRevision(revision),

    origin: ({ package: name, version }) => (version ? `${name ?? ""}@${version}` : (name ?? "")),
    current({ version, revision, fetchedAt, installedVersion }, l10n) {
      if (revision === null) return version ?? "";
      const found = versionOfRevision(revision);
      if (installedVersion !== undefined) return l10n.t("{0}, not the installed {1}", found, installedVersion);
      return fetchedAt === null ? l10n.t("{0} · installed", found) : found;
    },
    facts: ({ package: name, version }, l10n) => [
      l10n.t("Package: {0}", name ?? ""),
      ...(version ? [l10n.t("Version: {0}", version)] : []),
    ],
    absent: notFetched,
  };
}

/** The version in the revision of a package: `5.3.0+<hash>`; a version may hold a `+` of its own. */
export function versionOfRevision(revision: string): string {
  const end = revision.lastIndexOf("+");
  return end === -1 ? revision : revision.slice(0, end);
}

/** `pkg:npm/%40scope/name@1.0.0?…` (https://github.com/package-url/purl-spec) as `<name>[@<version>]`. */
function readPackageUrl({ protocol, pathname }: URL, type: PackageType): string | undefined {
  if (protocol !== "pkg:") return undefined;
  const [, found, name] = /^\/{0,2}([a-zA-Z]+)\/(.+?)\/*$/.exec(pathname) ?? [];
  return found?.toLowerCase() === type && name !== undefined ? decodeURIComponent(name) : undefined;
}

/** Whether a resource is a package of any ecosystem. */
export function isPackage<Target extends { type: string }>(
  target: Target,
): target is Extract<Target, { type: PackageType }> {
  return packageTypes.some((type) => type === target.type);
}
