import { createHash } from "node:crypto";
import { type RegistryServer, startRegistryServer } from "./registry-server.ts";
import { packEntries } from "./npm-registry.ts";
import { packZip } from "./zip.ts";

/** A package index on loopback. */
export interface PypiIndex extends RegistryServer {
  /** `http://127.0.0.1:<port>/simple/` */
  url: string;
  publish(publication: PypiPublication): void;
}

/** A file of a version. */
export interface PypiPublication {
  name: string;
  version: string;
  /** Default: a pure wheel. */
  filename?: string;
  /** Default: the files of `wheelFiles`, packed as the file's name says. */
  bytes?: Uint8Array;
  /** The contents of modules by path. */
  files?: Record<string, string>;
  /** Additional lines of its metadata. */
  metadata?: string | undefined;
  yanked?: boolean;
  /** Another address. */
  url?: string;
  hashes?: Record<string, string>;
  /** When it was uploaded. */
  uploadTime?: string;
}

/** Starts an index with the simple API, as JSON or as HTML alone. Works with pip. */
export async function startPypiIndex({ format = "json" }: { format?: "json" | "html" } = {}): Promise<PypiIndex> {
  const projects = new Map<string, Record<string, unknown>[]>();
  const archives = new Map<string, Uint8Array>();

  const server = await startRegistryServer((path, response) => {
    const archive = archives.get(path);
    if (archive !== undefined) return void response.writeHead(200, { "content-length": archive.length }).end(archive);
    const files = projects.get(/^\/simple\/([^/]+)\/$/.exec(path)?.[1] ?? "");
    if (files === undefined) return void response.writeHead(404).end();
    const type = format === "json" ? "application/vnd.pypi.simple.v1+json" : "text/html";
    response.writeHead(200, { "content-type": type });
    response.end(format === "json" ? JSON.stringify({ meta: { "api-version": "1.1" }, files }) : htmlOf(files));
  });
  const { host } = server;

  return {
    ...server,
    url: `http://${host}/simple/`,
    publish(publication) {
      const { name, version, yanked = false } = publication;
      const filename = publication.filename ?? `${name.replaceAll("-", "_")}-${version}-py3-none-any.whl`;
      const bytes = publication.bytes ?? packDistribution({ ...publication, filename });
      const url = publication.url ?? `../../files/${filename}`;
      const hashes = publication.hashes ?? { sha256: sha256(bytes) };
      archives.set(`/files/${filename}`, bytes);
      const key = name.toLowerCase().replace(/[-_.]+/g, "-");
      const file = { filename, url, hashes, yanked, size: bytes.length, "upload-time": publication.uploadTime };
      projects.set(key, [...(projects.get(key) ?? []), file]);
    },
  };
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A wheel (zip) or source archive (`.tar.gz`), as the file's name says. */
export function packDistribution(publication: PypiPublication & { filename: string }): Buffer {
  const { filename, name, version } = publication;
  const files = filename.endsWith(".whl") ? wheelFiles(publication) : sourceFiles(publication);
  const entries = Object.entries(files).map(([path, content]) => ({ path, content }));
  if (filename.endsWith(".whl")) return packZip(entries.map((entry) => ({ ...entry, method: 8 })));
  return packEntries(entries.map(({ path, content }) => ({ path: `${name}-${version}/${path}`, content })));
}

const moduleOf = (name: string) => name.toLowerCase().replace(/[-.]+/g, "_");

/** The files of a wheel, as an installation has them. */
export function wheelFiles({ name, version, files, metadata }: Omit<PypiPublication, "bytes">): Record<string, string> {
  const modules = files ?? { [`${moduleOf(name)}/__init__.py`]: `VERSION = "${version}"\n` };
  const info = `${name.replaceAll("-", "_")}-${version}.dist-info`;
  const own: Record<string, string> = { ...modules, [`${info}/METADATA`]: metadataOf({ name, version, metadata }) };
  const record = [...Object.keys(own), `${info}/RECORD`].map((path) => `${path},,\n`).join("");
  return { ...own, [`${info}/RECORD`]: record };
}

function sourceFiles({ name, version, files, metadata }: PypiPublication): Record<string, string> {
  const modules = files ?? { [`src/${moduleOf(name)}/__init__.py`]: `VERSION = "${version}"\n` };
  return {
    ...modules,
    "PKG-INFO": metadataOf({ name, version, metadata }),
    "setup.py": 'raise SystemExit("this must never run")\n',
  };
}

function metadataOf({ name, version, metadata = "" }: Pick<PypiPublication, "name" | "version" | "metadata">): string {
  return `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\nSummary: About ${name}\n${metadata}\n# ${name}\n\nThe readme of ${name}.\n`;
}

function htmlOf(files: readonly Record<string, unknown>[]): string {
  const links = files.map(({ filename, url, hashes, yanked }) => {
    const [hash] = typeof hashes === "object" && hashes !== null ? Object.entries(hashes) : [];
    const fragment = hash === undefined ? "" : `#${hash.join("=")}`;
    return `<a href="${String(url)}${fragment}"${yanked === true ? ' data-yanked=""' : ""}>${String(filename)}</a><br/>`;
  });
  return `<!DOCTYPE html><html><body>${links.join("\n")}</body></html>`;
}

/** A virtual environment with distributions, as fixture text. */
export function environment(folder: string, distributions: readonly Omit<PypiPublication, "bytes">[]): string {
  const site = `${folder}/lib/python3.12/site-packages`;
  const files = distributions.flatMap((distribution) => Object.entries(wheelFiles(distribution)));
  return [
    `//- ${folder}/pyvenv.cfg\nhome = /usr/bin\n`,
    ...files.map(([path, content]) => `//- ${site}/${path}\n${content}`),
  ].join("");
}
