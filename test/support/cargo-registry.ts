import { createHash } from "node:crypto";
import { type RegistryServer, startRegistryServer } from "./registry-server.ts";
import { packEntries } from "./npm-registry.ts";

/** A registry of crates on loopback, with a sparse index. Works with Cargo. */
export interface CargoRegistry extends RegistryServer {
  /** `sparse+http://127.0.0.1:<port>/index/` */
  index: string;
  publish(publication: CratePublication): void;
  /** What follows the host in the address of downloads, or a whole address. Default: `/dl`. */
  downloadFrom(dl: string): void;
}

/** A version to publish. */
export interface CratePublication {
  name: string;
  version: string;
  /** The contents of files by path. */
  files?: Record<string, string>;
  /** Default: `files`, packed. */
  bytes?: Uint8Array;
  yanked?: boolean;
  /** The SHA-256 in the index. Default: that of the bytes. */
  cksum?: string;
  /** Further fields of the index. */
  more?: Record<string, unknown>;
}

export async function startCargoRegistry(): Promise<CargoRegistry> {
  const lines = new Map<string, string[]>();
  const archives = new Map<string, Uint8Array>();
  let dl = "/dl";

  const server = await startRegistryServer((path, response) => {
    if (path === "/index/config.json") {
      const config = { dl: dl.startsWith("/") ? `http://${host}${dl}` : dl, api: `http://${host}` };
      return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(config));
    }
    const archive = archives.get(path);
    if (archive !== undefined) return void response.writeHead(200, { "content-length": archive.length }).end(archive);
    const listed = lines.get(path);
    if (listed === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/plain" }).end(`${listed.join("\n")}\n`);
  });
  const { host } = server;

  return {
    ...server,
    index: `sparse+http://${host}/index/`,
    publish(publication) {
      const { name, version, yanked = false, more = {} } = publication;
      const bytes = publication.bytes ?? packCrate(publication);
      const cksum = publication.cksum ?? sha256(bytes);
      archives.set(`/dl/${name}/${version}/download`, bytes);
      archives.set(`/${name}-${version}.crate`, bytes);
      const line = JSON.stringify({ name, vers: version, deps: [], cksum, features: {}, yanked, ...more });
      const file = `/index/${folderOf(name.toLowerCase())}/${name.toLowerCase()}`;
      lines.set(file, [...(lines.get(file) ?? []), line]);
    },
    downloadFrom(next) {
      dl = next;
    },
  };
}

function folderOf(name: string): string {
  if (name.length < 3) return String(name.length);
  return name.length === 3 ? `3/${name.slice(0, 1)}` : `${name.slice(0, 2)}/${name.slice(2, 4)}`;
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A `.crate` file. */
export function packCrate(publication: Pick<CratePublication, "name" | "version" | "files">): Buffer {
  const { name, version } = publication;
  return packEntries(
    Object.entries(crateFiles(publication)).map(([path, content]) => ({ path: `${name}-${version}/${path}`, content })),
  );
}

/** The files of a crate: a manifest and a library. */
export function crateFiles({
  name,
  version,
  files = { "src/lib.rs": `pub const VERSION: &str = "${version}";\n` },
}: Pick<CratePublication, "name" | "version" | "files">): Record<string, string> {
  return {
    "Cargo.toml": `[package]\nname = "${name}"\nversion = "${version}"\nedition = "2021"\ndescription = "About ${name}"\n`,
    ...files,
  };
}

/** A crate that Cargo has unpacked from crates.io, as fixture text. `home` is Cargo's home. */
export function unpackedCrate(
  crate: Pick<CratePublication, "name" | "version" | "files">,
  { home = "home/.cargo", index = "index.crates.io-1949cf8c6b5b557f" }: { home?: string; index?: string } = {},
): string {
  const folder = `${home}/registry/src/${index}/${crate.name}-${crate.version}`;
  return filesIn(folder, { ...crateFiles(crate), ".cargo-ok": '{"v":1}' });
}

/** Files of a folder, as fixture text. */
export function filesIn(folder: string, files: Record<string, string>): string {
  return Object.entries(files)
    .map(([path, content]) => `//- ${folder}/${path}\n${content.endsWith("\n") ? content : `${content}\n`}`)
    .join("");
}

/** An entry of `Cargo.lock`, from crates.io. */
export function locked(
  name: string,
  version: string,
  {
    source = "registry+https://github.com/rust-lang/crates.io-index",
    checksum,
    dependencies = [],
  }: { source?: string | undefined; checksum?: string; dependencies?: readonly string[] } = {},
): string {
  return [
    "\n[[package]]",
    `name = "${name}"`,
    `version = "${version}"`,
    ...(source === "" ? [] : [`source = "${source}"`]),
    ...(checksum === undefined ? [] : [`checksum = "${checksum}"`]),
    ...(dependencies.length === 0
      ? []
      : ["dependencies = [", ...dependencies.map((dependency) => ` "${dependency}",`), "]"]),
    "",
  ].join("\n");
}
