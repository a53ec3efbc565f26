import path from "node:path";
import picomatch from "picomatch";
import * as z from "zod";
import { expandFolders, readJsonFile, readYamlFile } from "../files.ts";

const Patterns = z.array(z.string()).catch([]);
const Manifest = z
  .object({ workspaces: z.union([z.object({ packages: Patterns }).transform((it) => it.packages), Patterns]) })
  .catch({ workspaces: [] });
const PnpmWorkspace = z.object({ packages: Patterns }).catch({ packages: [] });

/** Whether a folder, relative to `root`, is a package of its workspace; undefined if `root` has no workspace. */
export async function memberTest(root: string): Promise<((relative: string) => boolean) | undefined> {
  const { wanted, ignore } = await readPatterns(root);
  if (wanted.length === 0) return undefined;
  const isMember = picomatch(wanted, { ignore });
  return (relative) => isMember(relative.split(path.sep).join("/"));
}

/** The folders of a workspace's packages, without `root`. */
export async function findMembers(root: string): Promise<string[]> {
  const isMember = await memberTest(root);
  if (isMember === undefined) return [];
  const { wanted } = await readPatterns(root);
  const found = (await Promise.all(wanted.map((pattern) => expandFolders(root, pattern)))).flat();
  return [...new Set(found)].filter((folder) => isMember(path.relative(root, folder)));
}

async function readPatterns(root: string): Promise<{ wanted: string[]; ignore: string[] }> {
  const { workspaces } = Manifest.parse(await readJsonFile(path.join(root, "package.json")));
  const pnpm = PnpmWorkspace.parse(await readYamlFile(path.join(root, "pnpm-workspace.yaml")));
  const patterns = [...workspaces, ...pnpm.packages].map((pattern) => pattern.replace(/^(!?)\.?\/|\/+$/g, "$1"));
  return {
    wanted: patterns.filter((pattern) => !pattern.startsWith("!")),
    ignore: patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1)),
  };
}
