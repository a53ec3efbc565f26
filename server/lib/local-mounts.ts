import { readFileSync } from "node:fs";

/**
 * File systems that report each change by a process of this computer before the system call returns. Not network and
 * FUSE file systems, which others change, nor ZFS, which can roll back under a mount.
 */
const reporting = new Set(["ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "tmpfs", "overlay"]);

/**
 * The mounts through which a folder (a real path) and those below it are read, as text: it changes when one is added,
 * replaced or removed. Undefined if a file system among them does not report its changes, and on systems other than
 * Linux.
 */
export function describeLocalMounts(folder: string): string | undefined {
  const mounts = readMounts();
  const around = mounts.filter(({ point }) => isWithin(folder, point));
  const nearest = Math.max(...around.map(({ point }) => point.length));
  const used = mounts.filter(
    ({ point }) => (isWithin(folder, point) && point.length === nearest) || isWithin(point, folder),
  );
  const isLocal = used.length > 0 && used.every(({ fileSystem }) => reporting.has(fileSystem));
  return isLocal ? used.map(({ line }) => line).join("\n") : undefined;
}

interface Mount {
  point: string;
  fileSystem: string;
  line: string;
}

/** The format is described in https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html. */
function readMounts(): Mount[] {
  let lines: string[];
  try {
    lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  } catch {
    return [];
  }
  return lines.flatMap((line) => {
    const [fields = "", source = ""] = line.split(" - ");
    const point = fields.split(" ")[4];
    return point === undefined ? [] : [{ point: unescape(point), fileSystem: source.split(" ")[0] ?? "", line }];
  });
}

/** Spaces, tabs, line feeds and backslashes are octal: `\040`. */
function unescape(point: string): string {
  return point.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith("/") ? outer : `${outer}/`);
}
