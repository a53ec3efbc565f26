import { crc32, deflateRawSync } from "node:zlib";

/** An entry of a zip archive. */
export interface ZipEntry {
  path: string;
  content?: string;
  /** The Unix mode with file type; 0 as on other systems. */
  mode?: number;
  /** 0: stored, as yarn does; 8: deflated. */
  method?: number;
  flags?: number;
  /** False header values. */
  size?: number;
  checksum?: number;
}

/** Creates a zip of arbitrary entries; a path with a trailing slash is a folder. */
export function packZip(entries: readonly ZipEntry[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  for (const entry of entries) {
    const { path, content = "", method = 0, flags = 0 } = entry;
    const bytes = Buffer.from(content);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const name = Buffer.from(path);
    // Both headers share these fields; offsets are those of the local header.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(entry.checksum ?? crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(entry.size ?? bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const mode = entry.mode ?? (path.endsWith("/") ? 0o40755 : 0o100644);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(mode * 0x10000, 6);
    rest.writeUInt32LE(lengthOf(bodies), 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x03", "latin1"), common, rest, name);
    bodies.push(Buffer.from("PK\x03\x04"), common, name, packed);
  }
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(lengthOf(directory), 12);
  end.writeUInt32LE(lengthOf(bodies), 16);
  return Buffer.concat([...bodies, ...directory, end]);
}

/** Creates a zip in yarn's cache format: files are below `node_modules/<name>/`. */
export function packYarnZip(name: string, files: Record<string, string>, { method = 0 } = {}): Buffer {
  const folder = `node_modules/${name}/`;
  const entries = Object.entries(files).map(([path, content]) => ({ path: folder + path, content, method }));
  return packZip([{ path: "node_modules/" }, { path: folder }, ...entries]);
}

function lengthOf(buffers: readonly Buffer[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0);
}
