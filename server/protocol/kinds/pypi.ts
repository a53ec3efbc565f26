import * as z from "zod";
import { fetchedShape, limits, textUpTo } from "../resource-fields.ts";
import { packageKind, type PackageReference, PackageVersion } from "./package.ts";

/** https://packaging.python.org/en/latest/specifications/name-normalization/#name-format */
const namePattern = /^[a-zA-Z0-9](?:[\w.-]*[a-zA-Z0-9])?$/;

export const PypiName = textUpTo(limits.packageLength, `a package name has at most ${limits.packageLength} characters`)
  .regex(namePattern, "not a valid Python package name")
  .meta({
    description: "The name of a Python package, or a module of one that is installed.",
    pattern: namePattern.source,
  });

export const PypiResource = z
  .object({
    type: z.literal("pypi").describe("A Python package, at the version that the project's environment has installed."),
    ...fetchedShape({
      package: PypiName,
      version: PackageVersion.nullish(),
    }),
  })
  .meta({ id: "PypiResource" });
export type PypiResource = z.infer<typeof PypiResource>;
export type PypiReference = PackageReference<"pypi">;

export const pypi = packageKind({
  type: "pypi",
  schema: PypiResource,
  example: "requests",
  noun: "Python package",
  icon: "package",
  snippet: { package: "${1:package}" },
  label: (l10n) => l10n.t("Python package"),
  summary: (l10n) => l10n.t("The version in your project's environment, or any other"),
  prompt: (l10n) => ({
    prompt: l10n.t("The package's name, with or without a version."),
    placeholder: "requests, django@5.1",
  }),
  readPage: packageOfPage,
  isExact: (version) => /^v?(?:\d+!)?\d+(?:\.\d+)+[\w.+-]*$/.test(version),
});

/** `pypi.org/project/<name>[/<version>]` as `<name>[@<version>]`. */
function packageOfPage({ hostname, pathname }: URL): string | undefined {
  if (!/^(?:www\.)?pypi\.org$/.test(hostname)) return undefined;
  const match = /^\/(?:project|p)\/([^/]+)(?:\/([^/]+))?\/?$/.exec(decodeURIComponent(pathname));
  if (match === null) return undefined;
  return match[2] === undefined ? match[1] : `${match[1]}@${match[2]}`;
}
