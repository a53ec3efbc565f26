// Builds dist/: one entry, citewell.mjs, whose heavy parts are chunks that are loaded only when a command needs them.
import { rm } from "node:fs/promises";
import { build } from "esbuild";

/** What CommonJS packages expect and an ES module does not have: vscode-languageserver calls `require`, write-file-atomic reads its own name. */
const commonJsNames = [
  'import{createRequire as __createRequire}from"node:module";',
  "const require=__createRequire(import.meta.url),__filename=import.meta.filename,__dirname=import.meta.dirname;",
].join("");

/** @type {import("esbuild").BuildOptions} */
export const nodeOptions = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  splitting: true,
  // Without `module` first, jsonc-parser resolves to a build that breaks at run time.
  mainFields: ["module", "main"],
  outExtension: { ".js": ".mjs" },
  banner: { js: commonJsNames },
  define: { "process.env.NODE_ENV": '"production"' },
  legalComments: "linked",
  logLevel: "warning",
};

if (import.meta.filename === process.argv[1]) {
  await rm("dist", { recursive: true, force: true });
  await build({
    ...nodeOptions,
    entryPoints: { citewell: "cli/main.ts" },
    outdir: "dist",
    chunkNames: "chunks/[name]-[hash]",
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: process.argv.includes("--sourcemap"),
  });
}
