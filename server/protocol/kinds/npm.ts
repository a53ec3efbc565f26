import * as z from "zod";
import { controls, fetchedShape, limits, readUrl, RefreshPolicy, textUpTo, unstorable } from "../resource-fields.ts";
import { type FieldsOf, type InvalidReference, invalidReference, notFetched, type ResourceKind } from "./kind.ts";

/** npm's grammar, older names with capitals included: a dot or underscore never starts a name. */
const packagePattern = /^(?:@[a-zA-Z0-9~-][\w.~-]*\/)?[a-zA-Z0-9~-][\w.~-]*$/;

export const PackageName = textUpTo(
  limits.packageLength,
  `a package name has at most ${limits.packageLength} characters`,
)
  .regex(packagePattern, "not a valid npm package name")
  .refine((name) => name !== "node_modules" && name !== "favicon.ico", "npm reserves this name")
  .meta({
    description: "An npm package name, plain or scoped.",
    pattern: `^(?!(?:node_modules|favicon\\.ico)$)${packagePattern.source.slice(1)}`,
  });

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

export const NpmResource = z
  .object({
    type: z.literal("npm").describe("A package, at the version that the workspace has installed."),
    ...fetchedShape({
      package: PackageName,
      version: PackageVersion.nullish(),
    }),
  })
  .meta({ id: "NpmResource" });
export type NpmResource = z.infer<typeof NpmResource>;

export interface NpmReference {
  type: "npm";
  canonical: string;
  package: string;
  version?: string;
}

export const npmListing = {
  package: z.string().nullable(),
  version: z.string().nullable(),
  refresh: RefreshPolicy.nullable(),
};

export const npm: ResourceKind<NpmResource, NpmReference, FieldsOf<typeof npmListing>> = {
  schema: NpmResource,
  sourceField: "package",
  isFetched: true,
  dependsOnProject: true,
  noun: "npm package",
  form: "npm:<package>",
  icon: "package",
  snippet: { package: "${1:package}" },
  label: (l10n) => l10n.t("npm package"),
  summary: (l10n) => l10n.t("The version that your workspace has installed, or any other"),
  prompt: (l10n) => ({
    prompt: l10n.t("The package's name, with or without a version."),
    placeholder: "zod, @scope/name, zod@4",
  }),

  read(text) {
    if (text.startsWith("npm:")) return readPackage(text.slice("npm:".length), text);
    const page = packageOfPage(text);
    return page === undefined ? undefined : readPackage(page, text);
  },
  readAs: (text) => npm.read(text) ?? readPackage(text, text),
  faultOf(reference) {
    const { error } = NpmResource.pick({ package: true, version: true }).safeParse(reference);
    const reason = error?.issues[0]?.message;
    return reason === undefined ? undefined : { reason, hint: "write it as npm:<name> or npm:<name>@<version>" };
  },
  suggestName: (reference) => reference.package,
  toSpec(reference, { name, version = reference.version }) {
    return { type: "npm", name, package: reference.package, ...(version === undefined ? {} : { version }) };
  },

  atRevision(target, { canonical, revision }) {
    const version = versionOfRevision(revision);
    return version === target.version ? undefined : { type: "npm", canonical, package: target.package, version };
  },
  /** `npm:hono@4.9.1+0123456789abcdef`: a package and its revision, which is more than a version. */
  readRevision(text) {
    const [, name, revision] = /^(npm:@?[^@]+)@([^@]+\+[0-9a-f]{6,})$/.exec(text) ?? [];
    return name === undefined || revision === undefined ? undefined : { name, revision };
  },
  pin: (spec, revision) => ({ ...spec, version: versionOfRevision(revision) }),
  isPinned: ({ version }) => /^\d+\.\d+\.\d+/.test(version ?? ""),
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

/** The version in the revision of a package: `5.3.0+<hash>`; a version may hold a `+` of its own. */
export function versionOfRevision(revision: string): string {
  const end = revision.lastIndexOf("+");
  return end === -1 ? revision : revision.slice(0, end);
}

/** `npmjs.com/package/<name>[/v/<version>]` as `<name>[@<version>]`. */
function packageOfPage(text: string): string | undefined {
  const url = readUrl(text);
  if (url === undefined || !/^(www\.)?npmjs\.(com|org)$/.test(url.hostname)) return undefined;
  const match = /^\/package\/((?:@[^/]+\/)?[^/]+)(?:\/v\/([^/]+))?\/?$/.exec(decodeURIComponent(url.pathname));
  if (match === null) return undefined;
  return match[2] === undefined ? match[1] : `${match[1]}@${match[2]}`;
}

function readPackage(text: string, original: string): NpmReference | InvalidReference {
  const at = text.indexOf("@", 1);
  const name = at === -1 ? text : text.slice(0, at);
  const version = at === -1 ? undefined : text.slice(at + 1);
  if (name === "") return invalidReference(original, "a package reference needs a name, as in npm:zod");
  if (version === "") return invalidReference(original, "nothing follows the '@' of the package reference");
  return version === undefined
    ? { type: "npm", canonical: `npm:${name}`, package: name }
    : { type: "npm", canonical: `npm:${name}@${version}`, package: name, version };
}
