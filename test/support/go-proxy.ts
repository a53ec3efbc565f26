import { createHash } from "node:crypto";
import { type RegistryServer, startRegistryServer } from "./registry-server.ts";
import { packZip, type ZipEntry } from "./zip.ts";

/** A module proxy on loopback, with a checksum database. */
export interface GoProxy extends RegistryServer {
  /** `http://127.0.0.1:<port>` */
  url: string;
  publish(publication: GoPublication): void;
}

export interface GoPublication {
  module: string;
  version: string;
  /** The contents of files by path. */
  files?: Record<string, string>;
  /** Further entries of the archive, with their whole paths. */
  entries?: readonly ZipEntry[];
  /** The checksum in the database; null for none. Default: that of the archive. */
  checksum?: string | null;
}

const escape = (text: string) => text.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);

export async function startGoProxy(): Promise<GoProxy> {
  const answers = new Map<string, string | Uint8Array>();
  const versions = new Map<string, string[]>();

  const server = await startRegistryServer((path, response) => {
    const answer = answers.get(path);
    if (answer === undefined) return void response.writeHead(404).end("not found");
    response.writeHead(200).end(answer);
  });

  return {
    ...server,
    url: `http://${server.host}`,
    publish(publication) {
      const { module, version, checksum = checksumOf(publication) } = publication;
      const files = filesOf(publication);
      const base = `/${escape(module)}`;
      const known = [...(versions.get(module) ?? []), version];
      versions.set(module, known);
      const info = JSON.stringify({ Version: version, Time: "2026-01-02T03:04:05Z" });
      answers.set(`${base}/@v/list`, known.filter((one) => !one.startsWith("v0.0.0-")).join("\n"));
      answers.set(`${base}/@latest`, info);
      answers.set(`${base}/@v/${escape(version)}.info`, info);
      answers.set(`${base}/@v/${escape(version)}.mod`, files["go.mod"] ?? `module ${module}\n`);
      answers.set(`${base}/@v/${escape(version)}.zip`, packModule(publication));
      if (checksum === null) return;
      answers.set(
        `/sumdb/sum.golang.org/lookup${base}@${escape(version)}`,
        `1\n${module} ${version} ${checksum}\n${module} ${version}/go.mod h1:${"A".repeat(43)}=\n\ngo.sum database tree\n1\n`,
      );
    },
  };
}

/** The files of a module: a manifest and a package. */
export function filesOf({ module, version, files }: GoPublication): Record<string, string> {
  return (
    files ?? { "go.mod": `module ${module}\n\ngo 1.22\n`, "it.go": `package it\n\nconst Version = "${version}"\n` }
  );
}

/** The archive of a module. */
export function packModule(publication: GoPublication): Buffer {
  return packZip(entriesOf(publication));
}

function entriesOf(publication: GoPublication): ZipEntry[] {
  const { module, version, entries = [] } = publication;
  const own = Object.entries(filesOf(publication)).map(([path, content]) => ({
    path: `${module}@${version}/${path}`,
    content,
    method: 8,
  }));
  return [...own, ...entries];
}

/** The `h1:` checksum, https://pkg.go.dev/golang.org/x/mod/sumdb/dirhash#Hash1 */
export function checksumOf(publication: GoPublication): string {
  const sha256 = (text: string) => createHash("sha256").update(text);
  const lines = entriesOf(publication)
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, content = "" }) => `${sha256(content).digest("hex")}  ${path}\n`);
  return `h1:${sha256(lines.join("")).digest("base64")}`;
}

/** A module in the module cache of `home/go`, as fixture text. */
export function downloaded(publication: GoPublication, folder = "home/go/pkg/mod"): string {
  const { module, version } = publication;
  const files = Object.entries(filesOf(publication)).map(
    ([path, content]) => `//- ${folder}/${escape(module)}@${escape(version)}/${path}\n${content}`,
  );
  const hash = `//- ${folder}/cache/download/${escape(module)}/@v/${escape(version)}.ziphash\n${checksumOf(publication)}\n`;
  return `${files.join("")}${hash}`;
}
