// `npm run generate`: generates files from the schemas (schema/, docs/errors.md, docs/protocol.md, the settings in
// package.json and package.nls.json) and from the sources (l10n/).
// With --check it writes nothing and fails if a file on disk is outdated.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { nodeOptions } from "../esbuild.mjs";
import { root } from "./prepare.mjs";

const generated = await generate();
const isChecking = process.argv.includes("--check");
const changed = [];
for (const [name, text] of Object.entries(generated)) {
  const file = path.join(root, name);
  if ((await readFile(file, "utf8").catch(() => undefined)) === text) continue;
  changed.push(name);
  if (isChecking) continue;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}
for (const name of changed)
  process.stderr.write(`${name} ${isChecking ? "is not what npm run generate writes" : "written"}\n`);
if (isChecking && changed.length === 0) process.stderr.write("generated files are up to date\n");
process.exitCode = isChecking && changed.length > 0 ? 1 : 0;

/** Text by path. Bundled first, because Node 20 cannot run TypeScript. */
async function generate() {
  const folder = await mkdtemp(path.join(os.tmpdir(), "citewell-generate-"));
  try {
    await build({
      ...nodeOptions,
      entryPoints: [path.join(root, "scripts/generate.ts")],
      outdir: folder,
    });
    const { generatedFiles } = await import(pathToFileURL(path.join(folder, "generate.mjs")).href);
    const read = (name) => readFile(path.join(root, name), "utf8");
    const extension = (await readdir(path.join(root, "extension"), { recursive: true })).sort();
    const kinds = (await readdir(path.join(root, "server/protocol/kinds"))).sort();
    return generatedFiles({
      manifest: await read("package.json"),
      texts: await read("package.nls.json"),
      extension: await Promise.all(
        [
          ...extension.map((file) => path.join("extension", file)),
          ...kinds.map((file) => path.join("server/protocol/kinds", file)),
        ]
          .filter((file) => file.endsWith(".ts"))
          .map((file) => read(file)),
      ),
      webviewStrings: await read("extension/webview/strings.ts"),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
