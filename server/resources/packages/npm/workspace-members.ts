import { readdir } from "node:fs/promises";
import path from "node:path";
import picomatch from "picomatch";
import * as z from "zod";
import { readJsonFile, readYamlFile } from "../files.ts";

const Patterns = z.array(z.string()).catch([]);
const Manifest = z
  .object({ workspaces: z.union([z.object({ packages: Patterns }).transform((it) => it.packages), Patterns]) })
  .catch({ workspaces: [] });
const PnpmWorkspace = z.object({ packages: Patterns }).catch({ packages: [] });

/** Deeper than workspaces nest packages. */
const depthLimit = 6;

/** Whether a folder, relative to `root`, is a package of its workspace; undefined if `root` has no workspace. */
export async function memberTest(root: string): Promise<((relative: string) => boolean) | undefined> {
  const { workspaces } = Manifest.parse(await readJsonFile(path.join(root, "package.json")));
  const pnpm = PnpmWorkspace.parse(await readYamlFile(path.join(root, "pnpm-workspace.yaml")));
  const patterns = [...workspaces, ...pnpm.packages].map((pattern) => pattern.replace(/^(!?)\.?\/|\/+$/g, "$1"));
  const wanted = patterns.filter((pattern) => !pattern.startsWith("!"));
  if (wanted.length === 0) return undefined;
  const ignore = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
  const isMember = picomatch(wanted, { ignore });
  return (relative) => isMember(relative.split(path.sep).join("/"));
}

/** The folders of a workspace's packages, without `root`. */
export async function findMembers(root: string): Promise<string[]> {
  const isMember = await memberTest(root);
  if (isMember === undefined) return [];
  const members: string[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    if (depth > depthLimit) return;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isDirectory() || entry.name === "node_modules" || entry.name === ".git") continue;
      const child = path.join(folder, entry.name);
      if (isMember(path.relative(root, child))) members.push(child);
      await visit(child, depth + 1);
    }
  };
  await visit(root, 1);
  return members;
}
