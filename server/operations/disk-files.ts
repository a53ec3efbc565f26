import path from "node:path";
import type { CitedFile, Opened, OpenFailure } from "../citations/cited-resources.ts";
import { isWithin } from "../citations/resolve.ts";
import { toAbsolutePath } from "../lib/absolute-path.ts";
import { realFile, realPath } from "../resources/real-paths.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { VerifyContext } from "./cited-resources.ts";
import type { Target } from "./targets.ts";

interface DiskFilesOptions extends Pick<VerifyContext, "known" | "places" | "projectOf"> {
  targets: readonly Target[];
  open: (target: Target) => Promise<Opened>;
  /** The snapshots that are already open. */
  snapshots: readonly Snapshot[];
}

/**
 * Finds a file of this computer in the resource or project that it belongs to. A file that belongs to none, and one
 * that its project ignores, is opened by itself, in its folder. Undefined where there is no such file.
 */
export function createDiskFiles(options: DiskFilesOptions) {
  const { targets, known, places, projectOf, open, snapshots } = options;

  return async function onDisk(written: string): Promise<CitedFile | OpenFailure | undefined> {
    if (projectOf === undefined) return undefined;
    const file = await realFile(toAbsolutePath(written, { folder: places.cwd, homeDirectory: places.homeDirectory }));
    if (file === undefined) return undefined;
    for (const candidate of await candidatesFor(file, projectOf)) {
      const opened = await open(candidate);
      const found = opened.type === "snapshot" ? fileIn(opened.snapshot, file) : undefined;
      if (found !== undefined) return found;
    }
    const among = snapshots.map((snapshot) => fileIn(snapshot, file)).find((found) => found !== undefined);
    if (among !== undefined) return among;
    const alone = await open({ type: "local", canonical: path.dirname(file), path: file });
    return alone.type === "failed" ? alone : fileIn(alone.snapshot, file);
  };

  /** The likeliest first. An installed package is what it is under the name that questions give it. */
  async function candidatesFor(
    file: string,
    projectOf: (folder: string) => Promise<string | undefined>,
  ): Promise<readonly Target[]> {
    const installed = packageOf(file);
    if (installed !== undefined) return packageTargets(installed);
    const local = [...targets, ...known.named].filter((target) => target.type === "local");
    const folders = await Promise.all(
      [...new Set(local)].map(async (target) => ({ target, folder: await realFolder(target.path) })),
    );
    const around = folders.filter(({ folder }) => folder !== undefined && isWithin(file, folder));
    around.sort((a, b) => (b.folder ?? "").length - (a.folder ?? "").length);
    if (around.length > 0) return around.map(({ target }) => target);
    const project = await projectOf(path.dirname(file));
    return project === undefined ? [] : [{ type: "local", canonical: project, path: project }];
  }

  /** `npm:hono` means the package installed above the working directory; any other is identified by its folder. */
  function packageTargets({ name, folder, above }: InstalledFile): readonly Target[] {
    const own: Target = { type: "local", canonical: folder, path: folder };
    const matching = targets.filter((target) => target.type === "npm" && target.package === name);
    const isNamed = isWithin(places.cwd, above);
    const canonical = `npm:${name}`;
    return [...matching, ...(isNamed ? [{ type: "npm", canonical, package: name } as const] : []), own];
  }

  async function realFolder(folder: string): Promise<string | undefined> {
    const absolute = toAbsolutePath(folder, { folder: places.cwd, homeDirectory: places.homeDirectory });
    return realPath(absolute);
  }
}

function fileIn(snapshot: Snapshot, file: string): CitedFile | undefined {
  const { directory } = snapshot.info;
  if (directory === undefined || !isWithin(file, directory)) return undefined;
  const relative = path.relative(directory, file).split(path.sep).join("/");
  const isThere = [...snapshot.files, ...snapshot.skipped].some((entry) => entry.path === relative);
  return isThere ? { type: "file", snapshot, path: relative } : undefined;
}

interface InstalledFile {
  name: string;
  folder: string;
  /** The folder that `node_modules` is in. */
  above: string;
}

function packageOf(file: string): InstalledFile | undefined {
  const parts = file.split(path.sep);
  const at = parts.lastIndexOf("node_modules");
  const [first = "", second = ""] = parts.slice(at + 1);
  const name = first.startsWith("@") ? `${first}/${second}` : first;
  if (at <= 0 || name === "" || first.startsWith(".")) return undefined;
  const above = parts.slice(0, at).join(path.sep);
  return { name, above, folder: path.join(above, "node_modules", ...name.split("/")) };
}
