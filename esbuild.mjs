// Builds dist/: citewell.mjs (server and command line; heavy parts are chunks that are loaded only when a command needs
// them), extension.cjs with what it loads on first use beside it, the chat's webview, and what browsers load of the
// hosted service's pages. What a thread or process runs is a file of a known name, for which server/local-app.ts looks
// beside itself.
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";
import { withoutPausedEnd } from "./scripts/undici-end.mjs";
import { thirdPartyNotices } from "./scripts/third-party-notices.mjs";

/** What CommonJS packages expect and an ES module does not have: vscode-languageserver calls `require` and looks at its own name. */
const commonJsNames = [
  'import{createRequire as __createRequire}from"node:module";',
  "const require=__createRequire(import.meta.url),__filename=import.meta.filename,__dirname=import.meta.dirname;",
].join("");

/** zod's messages in fifty languages come along with its namespace, a quarter of a megabyte; it loads English by itself. */
const englishOnly = {
  name: "english-only",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: "export {};" }));
  },
};

/**
 * The older MCP package loads ajv, 110 KB, with every server; the validator is called only by servers that ask the client
 * for input, and ours asks for none.
 */
const withoutAjv = {
  name: "without-ajv",
  setup({ onLoad }) {
    const contents = "export class AjvJsonSchemaValidator {}";
    onLoad({ filter: /[\\/]sdk[\\/].*[\\/]validation[\\/]ajv-provider\.js$/ }, () => ({ contents }));
  },
};

/** The same of the current MCP package, whose usual validator is 300 KB. */
const smallValidator = {
  "@modelcontextprotocol/server/_shims": path.resolve(
    import.meta.dirname,
    "node_modules/@modelcontextprotocol/server/dist/shimsWorkerd.mjs",
  ),
};

/**
 * Express brings tables of Chinese, Japanese and Korean encodings, 170 KB; what it reads here is bytes, JSON, which is
 * always Unicode, and forms, which are UTF-8 or Latin-1.
 */
const withoutEastAsianTables = {
  name: "without-east-asian-tables",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]iconv-lite[\\/]encodings[\\/]dbcs-data\.js$/ }, () => ({
      contents: "module.exports = {};",
    }));
  },
};

/** @type {import("esbuild").BuildOptions} */
const common = {
  bundle: true,
  define: { "process.env.NODE_ENV": '"production"' },
  // dist/THIRD-PARTY-NOTICES.txt has the licences.
  legalComments: "none",
  logLevel: "warning",
  plugins: [englishOnly, withoutAjv, withoutEastAsianTables, withoutPausedEnd],
};

/** @type {import("esbuild").BuildOptions} */
export const nodeOptions = {
  ...common,
  platform: "node",
  target: "node20",
  format: "esm",
  // Tables of characters take half the bytes.
  charset: "utf8",
  splitting: true,
  // Optional: only those who host install one of them (docs/decisions/0019-hosted.md).
  external: ["pg", "@electric-sql/pglite", "nodemailer"],
  alias: smallValidator,
  // Without `module` first, jsonc-parser resolves to a build that breaks at run time.
  mainFields: ["module", "main"],
  outExtension: { ".js": ".mjs" },
  banner: { js: commonJsNames },
};

/** CommonJS has no chunks: what the extension imports with `import()` is an entry of its own, loaded when it is reached. */
const laterEntries = {
  "language-client": "extension/language-client.ts",
  chat: "extension/features/chat/chat-host.ts",
  "citation-commands": "extension/features/citations/commands.ts",
  "resource-edits": "extension/features/resources/edits.ts",
  "resource-rows": "extension/features/resources/row-text.ts",
  "compare-versions": "extension/features/resources/compare-versions.ts",
  "editor-models": "extension/features/editor-models/lend.ts",
  "language-tools": "extension/features/language-tools/run.ts",
  models: "extension/features/models/actions.ts",
  participant: "extension/features/participant/answer.ts",
};

/** @type {import("esbuild").BuildOptions} */
export const extensionOptions = {
  ...common,
  platform: "node",
  target: "node22",
  format: "cjs",
  external: ["vscode"],
  mainFields: ["module", "main"],
  outExtension: { ".js": ".cjs" },
  entryPoints: { extension: "extension/extension.ts", zod: "zod", ...laterEntries },
  plugins: [
    ...common.plugins,
    {
      // Eight entries use it: each would have 100 KB of its own.
      name: "shared-zod",
      setup({ onResolve }) {
        onResolve({ filter: /^zod$/ }, ({ kind }) =>
          kind === "entry-point" ? undefined : { path: "./zod.cjs", external: true },
        );
      },
    },
    {
      name: "later-entries",
      setup({ onResolve }) {
        onResolve({ filter: /^\./ }, ({ kind, path: specifier, resolveDir }) => {
          if (kind !== "dynamic-import") return undefined;
          const file = path.relative(import.meta.dirname, path.resolve(resolveDir, specifier));
          const entry = Object.entries(laterEntries).find(([, source]) => path.normalize(source) === file);
          // Without an entry, it would be a part of what every window loads.
          if (entry === undefined)
            return { errors: [{ text: `${file} is imported later, but is not in laterEntries` }] };
          return { path: `./${entry[0]}.cjs`, external: true };
        });
      },
    },
  ],
};

/** @type {import("esbuild").BuildOptions} */
export const webviewOptions = {
  ...common,
  platform: "browser",
  target: "es2023",
  format: "esm",
  splitting: true,
  jsx: "automatic",
  jsxImportSource: "preact",
  entryPoints: { webview: "extension/webview/webview.tsx" },
  chunkNames: "webview-[name]-[hash]",
};

/** What browsers load of the hosted service's pages. @type {import("esbuild").BuildOptions} */
export const pageOptions = {
  ...common,
  platform: "browser",
  target: "es2023",
  format: "esm",
  loader: { ".svg": "copy" },
  entryPoints: ["ask.ts", "list.ts", "resources.ts", "style.css", "icon.svg"].map(
    (name) => `server/hosted/pages/browser/${name}`,
  ),
  outbase: "server/hosted/pages/browser",
};

if (import.meta.filename === process.argv[1]) {
  const output = {
    outdir: "dist",
    minifySyntax: true,
    minifyWhitespace: true,
    minifyIdentifiers: true,
    metafile: true,
    sourcemap: process.argv.includes("--sourcemap"),
  };
  await rm("dist", { recursive: true, force: true });
  const results = await Promise.all([
    build({
      ...nodeOptions,
      ...output,
      entryPoints: {
        citewell: "cli/main.ts",
        "chunks/index-worker": "server/retrieval/indexing/index-worker.ts",
        "chunks/search-worker": "server/retrieval/exact/search-worker.ts",
        "chunks/term-worker": "server/retrieval/indexing/term-worker.ts",
      },
      chunkNames: "chunks/[name]-[hash]",
    }),
    build({ ...extensionOptions, ...output }),
    build({ ...webviewOptions, ...output }),
    build({ ...pageOptions, ...output, outdir: "dist/chunks/pages" }),
  ]);
  await writeFile("dist/THIRD-PARTY-NOTICES.txt", thirdPartyNotices(results.map(({ metafile }) => metafile)));
}
