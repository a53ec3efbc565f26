// `npm run package`: builds one VSIX for all platforms, for the Marketplace and Open VSX, and its bill of materials.
import { readFileSync } from "node:fs";
import path from "node:path";
import { prepare, root } from "./prepare.mjs";
import { writeSbom } from "./sbom.mjs";

/** Packs the existing dist/. It is fully bundled, so no dependencies are included. */
export async function packExtension(packagePath) {
  const { createVSIX } = await import("@vscode/vsce");
  await createVSIX({ cwd: root, packagePath, dependencies: false });
}

if (import.meta.filename === process.argv[1]) {
  prepare();
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const packagePath = path.join(root, `citewell-${version}.vsix`);
  await packExtension(packagePath);
  await writeSbom(packagePath);
}
