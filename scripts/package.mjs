// `npm run package`: one VSIX for every platform, for the Marketplace and Open VSX alike.
import { readFileSync } from "node:fs";
import path from "node:path";
import { prepare, root } from "./prepare.mjs";

/** Packs what stands in dist/ already. All that runs is bundled there, so that no package comes along. */
export async function packExtension(packagePath) {
  const { createVSIX } = await import("@vscode/vsce");
  await createVSIX({ cwd: root, packagePath, dependencies: false });
}

if (import.meta.filename === process.argv[1]) {
  prepare();
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  await packExtension(path.join(root, `citewell-${version}.vsix`));
}
