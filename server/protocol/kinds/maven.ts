import * as z from "zod";
import { fetchedShape, limits, textUpTo } from "../resource-fields.ts";
import { packageKind, type PackageReference, PackageVersion } from "./package.ts";

/** `group:artifact`, or the name of a class or package. https://maven.apache.org/pom.html#Maven_Coordinates */
const namePattern = /^[a-zA-Z0-9_](?:[\w-]|\.(?!\.))*(?::[a-zA-Z0-9_](?:[\w-]|\.(?!\.))*)?$/;

export const MavenName = textUpTo(limits.packageLength, `a package name has at most ${limits.packageLength} characters`)
  .regex(namePattern, "not a group and artifact such as org.slf4j:slf4j-api, nor the name of a class")
  .meta({
    description:
      "`group:artifact` of a JVM package, the full name of a class of a dependency that is on disk, or `jdk` for the installed JDK.",
    pattern: namePattern.source,
  });

export const MavenResource = z
  .object({
    type: z.literal("maven").describe("A JVM package, at the version that the project's build names."),
    ...fetchedShape({
      package: MavenName,
      version: PackageVersion.nullish(),
    }),
  })
  .meta({ id: "MavenResource" });
export type MavenResource = z.infer<typeof MavenResource>;
export type MavenReference = PackageReference<"maven">;

export const maven = packageKind({
  type: "maven",
  schema: MavenResource,
  example: "org.slf4j:slf4j-api",
  noun: "JVM package",
  icon: "package",
  snippet: { package: "${1:group}:${2:artifact}" },
  label: (l10n) => l10n.t("JVM package"),
  summary: (l10n) => l10n.t("The version in your Maven or Gradle build, or any other"),
  prompt: (l10n) => ({
    prompt: l10n.t("The package's group and artifact, with or without a version."),
    placeholder: "org.slf4j:slf4j-api, com.google.guava:guava:33.4.0-jre",
  }),
  toName: fromCoordinates,
  suggestName: (name) => name.slice(name.indexOf(":") + 1),
  readPage: packageOfPage,
  isExact: isExactVersion,
});

/** Whether a version means one published version for ever: no range, snapshot or keyword, and more than a major number. */
export function isExactVersion(version: string): boolean {
  return /^(?!\d+$)(?!.*-SNAPSHOT$)(?!(?:latest|release)$)[a-zA-Z0-9][\w.~-]*$/i.test(version);
}

/** Words of Maven's longer coordinates that are neither name nor version: `g:a:jar:sources:1.0:compile`. */
const otherParts =
  /^(?:jar|pom|war|aar|bundle|test-jar|sources|javadoc|compile|provided|runtime|test|system|import|@\w+)$/;

/** `g:a:1.0`, `g/a@1.0` of a package URL and `g:a@1.0` as `g:a[@1.0]`. */
function fromCoordinates(text: string): string {
  const [name = "", ...after] = text.replace("/", ":").split("@");
  const [group = "", artifact, ...more] = name.split(":");
  const version = after.length > 0 ? after : more.filter((part) => !otherParts.test(part)).slice(0, 1);
  return [artifact === undefined ? group : `${group}:${artifact}`, ...version].join("@");
}

/** Pages of central.sonatype.com, search.maven.org, mvnrepository.com and javadoc.io, and folders of Maven Central. */
function packageOfPage({ hostname, pathname }: URL): string | undefined {
  const parts = decodeURIComponent(pathname)
    .split("/")
    .filter((part) => part !== "");
  const [first, group, artifact, version] = parts;
  const isPage =
    (/^(?:central\.sonatype\.com|search\.maven\.org|(?:www\.)?mvnrepository\.com)$/.test(hostname) &&
      first === "artifact") ||
    (/^(?:www\.)?javadoc\.io$/.test(hostname) && first === "doc");
  if (isPage) return group && artifact ? [`${group}:${artifact}`, version].filter(Boolean).join("@") : undefined;
  if (!/^repo1?\.maven\.(?:apache\.)?org$/.test(hostname) || first !== "maven2") return undefined;
  const end = parts.findIndex((part, at) => at > 2 && /^\d/.test(part));
  const [folders, number] = end === -1 ? [parts.slice(1), []] : [parts.slice(1, end), parts.slice(end, end + 1)];
  return folders.length < 2
    ? undefined
    : [[folders.slice(0, -1).join("."), folders.at(-1)].join(":"), ...number].join("@");
}
