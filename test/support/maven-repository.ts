import { createHash } from "node:crypto";
import { type RegistryServer, startRegistryServer } from "./registry-server.ts";
import { packZip, type ZipEntry } from "./zip.ts";

/** A Maven repository on loopback. */
export interface MavenRepository extends RegistryServer {
  /** `http://127.0.0.1:<port>/maven2/` */
  url: string;
  publish(publication: MavenPublication): void;
}

export interface MavenPublication {
  /** `group:artifact` */
  name: string;
  version: string;
  /** The sources by path; null for no sources JAR. Default: one class. */
  files?: Record<string, string> | null;
  /** Instead of `files`. */
  entries?: readonly ZipEntry[];
  /** What the POM has beside the coordinates. */
  pom?: string;
  /** The algorithms that have a file of checksums. Default: SHA-1. */
  algorithms?: readonly string[];
  /** The checksum in these files instead of the right one. */
  checksum?: string;
  /** The version in the names of files, of a snapshot. */
  fileVersion?: string;
}

/** Starts a repository with the usual layout. Works with mvn. */
export async function startMavenRepository(): Promise<MavenRepository> {
  const files = new Map<string, Uint8Array | string>();
  const versions = new Map<string, string[]>();

  const server = await startRegistryServer((path, response) => {
    const found = files.get(path.replace("/maven2/", ""));
    if (found === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-length": Buffer.byteLength(found) }).end(found);
  });
  const { host } = server;

  return {
    ...server,
    url: `http://${host}/maven2/`,
    publish(publication) {
      const { name, version, fileVersion = version, algorithms = ["sha1"], pom = "" } = publication;
      const [group = "", artifact = ""] = name.split(":");
      const folder = `${group.replaceAll(".", "/")}/${artifact}`;
      const stem = `${folder}/${version}/${artifact}-${fileVersion}`;
      files.set(`${stem}.pom`, pomOf({ name, version, rest: pom }));
      const known = [...(versions.get(name) ?? []), version];
      versions.set(name, known);
      const list = known.map((one) => `<version>${one}</version>`).join("");
      files.set(
        `${folder}/maven-metadata.xml`,
        `<metadata><versioning><versions>${list}</versions></versioning></metadata>`,
      );
      if (fileVersion !== version) {
        const entry = `<snapshotVersion><classifier>sources</classifier><extension>jar</extension><value>${fileVersion}</value></snapshotVersion>`;
        files.set(
          `${folder}/${version}/maven-metadata.xml`,
          `<metadata><versioning><snapshotVersions>${entry}</snapshotVersions></versioning></metadata>`,
        );
      }
      if (publication.files === null) return;
      const bytes = packSources(publication);
      files.set(`${stem}-sources.jar`, bytes);
      for (const algorithm of algorithms) {
        const hash = createHash(algorithm).update(bytes).digest("hex");
        files.set(`${stem}-sources.jar.${algorithm}`, publication.checksum ?? hash);
      }
    },
  };
}

/** A sources JAR. */
export function packSources({ name, version, files, entries }: MavenPublication): Buffer {
  const artifact = name.slice(name.indexOf(":") + 1);
  const own = files ?? { [`demo/${artifact.replaceAll("-", "_")}.java`]: `// ${name} ${version}\nclass Demo {}\n` };
  return packZip(entries ?? Object.entries(own).map(([path, content]) => ({ path, content, method: 8 })));
}

/** A POM with more elements. */
export function pomOf({ name, version, rest = "" }: { name: string; version: string; rest?: string }): string {
  const [group = "", artifact = ""] = name.split(":");
  return `<?xml version="1.0"?>
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>
${rest}</project>
`;
}

/** `<dependencies>` with `group:artifact[:version[:scope]]` each. */
export function dependencies(...coordinates: readonly string[]): string {
  const rows = coordinates.map((text) => {
    const [group, artifact, version, scope] = text.split(":");
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId>${version ? `<version>${version}</version>` : ""}${scope ? `<scope>${scope}</scope>${scope === "import" ? "<type>pom</type>" : ""}` : ""}</dependency>`;
  });
  return `<dependencies>${rows.join("\n")}</dependencies>\n`;
}

/** A `settings.xml` whose mirror is the only repository. */
export function mirrorSettings(url: string, rest = ""): string {
  return `<settings><mirrors><mirror><id>loopback</id><mirrorOf>*</mirrorOf><url>${url}</url></mirror></mirrors>${rest}</settings>`;
}
