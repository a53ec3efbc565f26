import * as z from "zod";
import { fetchedShape, limits, textUpTo } from "../resource-fields.ts";
import { nameFromPath } from "./kind.ts";
import { packageKind, type PackageReference, PackageVersion } from "./package.ts";

/** An import path, https://go.dev/ref/mod#module-path: no element begins or ends with a dot. */
const pathPattern = /^[\w~+-](?:[\w.~+-]*[\w~+-])?(?:\/[\w~+-](?:[\w.~+-]*[\w~+-])?)*$/;

export const GolangPath = textUpTo(
  limits.packageLength,
  `a package path has at most ${limits.packageLength} characters`,
)
  .regex(pathPattern, "not a valid path of a Go module or package")
  .meta({
    description: "The path of a Go module, or of a package in one; of the standard library, `std` or a package.",
    pattern: pathPattern.source,
  });

export const GolangResource = z
  .object({
    type: z.literal("golang").describe("A Go module, at the version that the project builds with."),
    ...fetchedShape({
      package: GolangPath,
      version: PackageVersion.nullish(),
    }),
  })
  .meta({ id: "GolangResource" });
export type GolangResource = z.infer<typeof GolangResource>;
export type GolangReference = PackageReference<"golang">;

export const golang = packageKind({
  type: "golang",
  schema: GolangResource,
  example: "github.com/spf13/cobra",
  noun: "Go module",
  icon: "package",
  snippet: { package: "${1:module}" },
  label: (l10n) => l10n.t("Go module"),
  summary: (l10n) => l10n.t("The version that your go.mod names, or any other"),
  prompt: (l10n) => ({
    prompt: l10n.t("The path of the module or of a package in it, with or without a version."),
    placeholder: "github.com/spf13/cobra, net/http",
  }),
  readPage: pathOfPage,
  isExact: (version) => /^v\d+\.\d+\.\d+/.test(version),
  suggestName: nameOfModule,
});

/** The last element of a path that is no major version: `cobra`, `chi` of `…/chi/v5`, `yaml` of `gopkg.in/yaml.v3`. */
export function nameOfModule(path: string): string {
  const elements = path.replace(/(?<=.)[/.]v\d+$/, "").split("/");
  // The Go part of a project of several languages, such as `github.com/json-iterator/go`.
  return nameFromPath(elements.at(-1) === "go" ? elements.slice(-2).join("-") : (elements.at(-1) ?? path));
}

/** `pkg.go.dev/<path>[@<version>[/<package>]]` as `<path>[@<version>]`. */
function pathOfPage({ hostname, pathname }: URL): string | undefined {
  if (hostname !== "pkg.go.dev") return undefined;
  const [, path, version] = /^\/(?:mod\/)?([^@]+?)(?:@([^/]+)[^@]*)?\/?$/.exec(decodeURIComponent(pathname)) ?? [];
  if (path === undefined || /^(?:about|badge|files|license-policy|search|static|vuln)(?:\/|$)/.test(path))
    return undefined;
  return version === undefined ? path : `${path}@${version}`;
}
