// Node 20 cannot run TypeScript: bundle scripts and benchmarks first.
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { build } from "esbuild";
import { root } from "./prepare.mjs";

/** Keeps `import.meta.dirname` of bundled modules pointing at their own folder. @type {import("esbuild").Plugin} */
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

/** Bundles xterm's packages: Node does not find the named exports of their CommonJS files. @type {import("esbuild").Plugin} */
const xtermInside = {
  name: "xterm-inside",
  setup({ onResolve }) {
    const { resolve } = createRequire(import.meta.url);
    onResolve({ filter: /^@xterm\// }, ({ path: name }) => ({ path: resolve(name) }));
  },
};

/** Bundles and runs a TypeScript file, with packages from node_modules. On failure this process exits with its code. */
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
    plugins: [ownFolders, xtermInside],
    logLevel: "warning",
  });
  const { status } = spawnSync(process.execPath, [outfile, ...args], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
