import * as z from "zod";
import { fetchedShape, limits, textUpTo } from "../resource-fields.ts";
import { packageKind, type PackageReference, PackageVersion } from "./package.ts";

/** https://doc.rust-lang.org/cargo/reference/manifest.html#the-name-field, with the restrictions of crates.io. */
const namePattern = /^[a-zA-Z][\w-]*$/;

export const CrateName = textUpTo(limits.packageLength, `a crate name has at most ${limits.packageLength} characters`)
  .regex(namePattern, "not a valid crate name")
  .meta({
    description: "The name of a Rust crate, or of a crate of the standard library, such as `std`.",
    pattern: namePattern.source,
  });

export const CargoResource = z
  .object({
    type: z.literal("cargo").describe("A Rust crate, at the version that the project's Cargo.lock has."),
    ...fetchedShape({
      package: CrateName,
      version: PackageVersion.nullish(),
    }),
  })
  .meta({ id: "CargoResource" });
export type CargoResource = z.infer<typeof CargoResource>;
export type CargoReference = PackageReference<"cargo">;

export const cargo = packageKind({
  type: "cargo",
  schema: CargoResource,
  example: "serde",
  noun: "Rust crate",
  icon: "package",
  snippet: { package: "${1:crate}" },
  label: (l10n) => l10n.t("Rust crate"),
  summary: (l10n) => l10n.t("The version in your project's Cargo.lock, or any other"),
  prompt: (l10n) => ({
    prompt: l10n.t("The crate's name, with or without a version."),
    placeholder: "serde, tokio@1",
  }),
  readPage: crateOfPage,
  isExact: (version) => /^\d+\.\d+\.\d+/.test(version),
});

/** A page of crates.io, docs.rs, lib.rs or the standard library's documentation as `<name>[@<version>]`. */
function crateOfPage({ hostname, pathname }: URL): string | undefined {
  const pattern = Object.entries(pagePatterns).find(([host]) => hostname.replace(/^www\./, "") === host)?.[1];
  const [, name, version] = pattern?.exec(decodeURIComponent(pathname)) ?? [];
  return name === undefined || version === undefined ? name : `${name}@${version}`;
}

const pagePatterns: Readonly<Record<string, RegExp>> = {
  "crates.io": /^\/crates\/([^/]+)(?:\/(\d[^/]*))?(?:\/.*)?$/,
  "lib.rs": /^\/crates\/([^/]+)\/?$/,
  "docs.rs":
    /^\/(?:crate\/)?(?!(?:crate|about|releases)(?:\/|$))([a-zA-Z][\w-]*)(?:\/(?:([\d^~=][^/]*)|[^/]+)(?:\/.*)?)?\/?$/,
  "doc.rust-lang.org": /^\/(?:(?:stable|beta|nightly)\/)?(std|core|alloc|proc_macro)(?:\/.*)?$/,
};
