// Node 20 runs no TypeScript: scripts and benches written in it are bundled first.
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";
import { root } from "./prepare.mjs";

/** Our modules find files beside themselves; in a bundle they go on doing so. @type {import("esbuild").Plugin} */
export const ownFolders = {
  name: "own-folders",
  setup({ onLoad }) {
    onLoad({ filter: /\.(ts|mjs)$/ }, async ({ path: file }) => {
      if (file.includes("node_modules")) return undefined;
      const text = await readFile(file, "utf8");
      const contents = text
        .replaceAll(/import\.meta\.dirname/g, JSON.stringify(path.dirname(file)))
        .replaceAll(/import\.meta\.filename/g, JSON.stringify(file));
      return { contents, loader: "ts" };
    });
  },
};

/** Runs a file of the project to its end; packages are those of node_modules. This process ends with it where it fails. */
export async function runTypeScript(entry, args = []) {
  const name = entry.replaceAll(/\W/g, "-");
  const outfile = path.join(root, "node_modules", ".cache", "citewell", `${name}.mjs`);
  await build({
    entryPoints: [path.join(root, entry)],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node20",
    format: "esm",
    plugins: [ownFolders],
    logLevel: "warning",
  });
  const { status } = spawnSync(process.execPath, [outfile, ...args], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
