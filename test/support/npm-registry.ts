import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { Header, Pax } from "tar";
import { parseFixture } from "./fixture.ts";
import { type RegistryServer, startRegistryServer } from "./registry-server.ts";

/** An npm registry on loopback. */
export interface NpmRegistry extends RegistryServer {
  /** `http://127.0.0.1:<port>/`, or a folder below it. */
  url: string;
  /** Its key in an `.npmrc`: `//127.0.0.1:<port>/`. */
  place: string;
  publish(publication: Publication): void;
}

/** A version to publish. */
export interface Publication {
  name: string;
  version: string;
  /** A fixture string; `package.json` is added. */
  files?: string;
  /** A raw tarball instead of `files`. */
  tarball?: Uint8Array;
  /** Additional fields of the version's manifest. */
  manifest?: Record<string, unknown>;
  /** Additional or overridden fields of the version's `dist`. */
  dist?: Record<string, unknown>;
  /** Tags of the version; default: `latest`. */
  tags?: readonly string[];
  /** Additional fields of the packument. */
  document?: Record<string, unknown>;
}

interface Document {
  name: string;
  "dist-tags": Record<string, string>;
  versions: Record<string, unknown>;
  time: Record<string, string>;
}

/** Starts a registry in npm's format: full and abbreviated packuments, and tarballs. Works with real clients. */
export async function startNpmRegistry({ folder = "/" } = {}): Promise<NpmRegistry> {
  const documents = new Map<string, Document>();
  const tarballs = new Map<string, Uint8Array>();

  const answer: Parameters<typeof startRegistryServer>[0] = (path, response, request) => {
    const below = path.startsWith(folder) ? decodeURIComponent(path.slice(folder.length)) : "";
    const tarball = tarballs.get(below);
    if (tarball !== undefined) return void response.writeHead(200, { "content-length": tarball.length }).end(tarball);
    const document = documents.get(below);
    if (document === undefined) return void response.writeHead(404).end("{}");
    const isShort = request.headers.accept?.includes("vnd.npm.install-v1") === true;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(isShort ? { ...document, time: undefined, readme: undefined } : document));
  };
  const server = await startRegistryServer(answer, { decode: (path) => path });
  const { host } = server;

  return {
    ...server,
    url: `http://${host}${folder}`,
    place: `//${host}${folder}`,
    publish({ name, version, files = "", tarball, manifest = {}, dist = {}, tags = ["latest"], document: more = {} }) {
      const bytes =
        tarball ?? packTarball({ "package.json": JSON.stringify({ name, version, ...manifest }), ...filesOf(files) });
      const tarballPath = `${name}/-/${name.split("/").at(-1)}-${version}.tgz`;
      tarballs.set(tarballPath, bytes);
      const document = documents.get(name) ?? { name, "dist-tags": {}, versions: {}, time: {} };
      const checksums = { integrity: sri("sha512", bytes), shasum: createHash("sha1").update(bytes).digest("hex") };
      document.versions[version] = {
        name,
        version,
        ...manifest,
        dist: { ...checksums, tarball: `http://${host}${folder}${tarballPath}`, ...dist },
      };
      document.time[version] = "2026-01-02T03:04:05.678Z";
      for (const tag of tags) document["dist-tags"][tag] = version;
      documents.set(name, Object.assign(document, more));
    },
  };
}

/** Creates an npm tarball with all files in the folder `package`. */
export function packTarball(files: Record<string, string>): Buffer {
  const entries = Object.entries(files).map(([path, content]) => ({ path: `package/${path}`, content }));
  return packEntries(entries);
}

/** An entry of a tar archive. */
export interface TarEntry {
  path: string;
  content?: string;
  type?: "File" | "Directory" | "SymbolicLink" | "Link" | "CharacterDevice";
  linkpath?: string;
  mode?: number;
  /** A false size for the header. */
  size?: number;
}

/** Creates a gzipped tar of arbitrary entries, including adversarial ones that `npm pack` cannot create. */
export function packEntries(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, content = "", type = "File", linkpath = "", mode = 0o644, size }) => {
    const bytes = Buffer.from(content);
    const fields = { path, type, linkpath, mode, size: size ?? bytes.length, mtime: new Date(0) };
    const header = new Header(fields);
    const needsPax = header.encode();
    // A path of more than 255 characters.
    const extension = needsPax ? [new Pax(fields).encode()] : [];
    return [...extension, header.block ?? Buffer.alloc(512), bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** The Subresource Integrity string of bytes. */
export function sri(algorithm: string, bytes: Uint8Array): string {
  return `${algorithm}-${createHash(algorithm).update(bytes).digest("base64")}`;
}

function filesOf(source: string): Record<string, string> {
  return Object.fromEntries(parseFixture(source));
}
