import * as z from "zod";
import { fetchedShape, limits, textUpTo } from "../resource-fields.ts";
import { packageKind, type PackageReference, PackageVersion } from "./package.ts";

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
export type NpmReference = PackageReference<"npm">;

export const npm = packageKind({
  type: "npm",
  schema: NpmResource,
  example: "zod",
  noun: "npm package",
  icon: "package",
  snippet: { package: "${1:package}" },
  label: (l10n) => l10n.t("npm package"),
  summary: (l10n) => l10n.t("The version that your workspace has installed, or any other"),
  prompt: (l10n) => ({
    prompt: l10n.t("The package's name, with or without a version."),
    placeholder: "zod, @scope/name, zod@4",
  }),
  readPage: packageOfPage,
  isExact: (version) => /^\d+\.\d+\.\d+/.test(version),
});

/** `npmjs.com/package/<name>[/v/<version>]` as `<name>[@<version>]`. */
function packageOfPage({ hostname, pathname }: URL): string | undefined {
  if (!/^(www\.)?npmjs\.(com|org)$/.test(hostname)) return undefined;
  const match = /^\/package\/((?:@[^/]+\/)?[^/]+)(?:\/v\/([^/]+))?\/?$/.exec(decodeURIComponent(pathname));
  if (match === null) return undefined;
  return match[2] === undefined ? match[1] : `${match[1]}@${match[2]}`;
}
