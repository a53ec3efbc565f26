import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { root } from "./prepare.mjs";
import { readNotices } from "./third-party-notices.mjs";

/**
 * Writes the bill of materials of a package beside it: `<package>.cdx.json`, CycloneDX, with the bundled packages only.
 * The lock file also names tools, test libraries, and packages that do not end up in dist/.
 */
export async function writeSbom(packagePath) {
  const notices = await readFile(path.join(root, "dist/THIRD-PARTY-NOTICES.txt"), "utf8");
  const bundled = new Set(readNotices(notices).map(({ name, version }) => `${name}@${version}`));
  const bom = npmSbom();
  const components = bom.components.filter(({ "bom-ref": ref }) => bundled.has(ref));
  const missing = [...bundled].filter((name) => !components.some(({ "bom-ref": ref }) => ref === name));
  if (missing.length > 0) throw new Error(`npm sbom lacks bundled packages: ${missing.join(", ")}`);
  const own = bom.metadata.component["bom-ref"];
  const file = `${packagePath}.cdx.json`;
  const contained = {
    ...bom,
    // npm takes the folder's name.
    metadata: { ...bom.metadata, component: { ...bom.metadata.component, name: "citewell" } },
    // npm marks them as development packages, but these are shipped.
    components: components.map((component) => ({ ...component, properties: [] })),
    dependencies: bom.dependencies
      .filter(({ ref }) => ref === own || bundled.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((name) => bundled.has(name)) })),
  };
  await writeFile(file, `${JSON.stringify(contained, undefined, 2)}\n`);
  return file;
}

function npmSbom() {
  const words = ["sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--sbom-type=application"];
  const shell = process.platform === "win32";
  const { status, stdout } = spawnSync("npm", words, {
    cwd: root,
    encoding: "utf8",
    shell,
    maxBuffer: 2 ** 26,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error("npm sbom failed");
  return JSON.parse(stdout);
}
