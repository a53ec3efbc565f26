// `npm run release`: checks, packs and publishes the version in package.json.
//   npm run release -- --dry-run    everything except publishing; needs no token
// A token in the environment enables each registry: NPM_TOKEN npm, VSCE_PAT the Visual Studio Marketplace, OVSX_PAT
// Open VSX. Published versions are skipped, so that the command can be repeated after a failure.
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { packExtension } from "./package.mjs";
import { prepare, root } from "./prepare.mjs";
import { writeSbom } from "./sbom.mjs";
import { publishToMarketplace, publishToNpm, publishToOpenVsx } from "./release/publish.mjs";
import { checkPackage, readExtensionFiles, readTarball } from "./release/package-checks.mjs";
import { checkSource, readManifest } from "./release/source-checks.mjs";

const args = process.argv.slice(2);
if (args.some((arg) => arg !== "--dry-run")) {
  process.stderr.write(`error: release takes --dry-run and nothing else: ${args.join(" ")}\n`);
  process.exit(2);
}
process.exitCode = await release({ isDryRun: args.includes("--dry-run") });

async function release({ isDryRun }) {
  const { NPM_TOKEN, VSCE_PAT, OVSX_PAT } = process.env;
  if (!isDryRun && !NPM_TOKEN && !VSCE_PAT && !OVSX_PAT) return fail("set NPM_TOKEN, VSCE_PAT or OVSX_PAT to publish");
  const { name, version } = await readManifest();
  process.stdout.write(`${name} ${version}\n`);
  const sourceFaults = await report(checkSource());
  prepare();
  const folder = await mkdtemp(path.join(os.tmpdir(), "citewell-release-"));
  try {
    const tarball = packTarball(folder);
    const vsix = path.join(folder, `${name}-${version}.vsix`);
    await packExtension(vsix);
    const packageFaults = [
      ...(await report(checkPackage(tarball, { kind: "npm", files: await readTarball(tarball) }))),
      ...(await report(checkPackage(vsix, { kind: "vsix", files: await readExtensionFiles() }))),
      ...(await report(checkRuns(tarball, { folder, version }))),
    ];
    const faults = [...sourceFaults, ...packageFaults];
    if (faults.length > 0) return fail(`${faults.length} of these must be mended before ${version} can be released`);
    for (const file of [tarball, vsix]) {
      const sbom = await writeSbom(path.join(root, path.basename(file)));
      process.stdout.write(`  ok    ${path.basename(sbom)} lists what is bundled\n`);
    }
    if (isDryRun) {
      process.stdout.write("ready; this was a dry run, so nothing was published\n");
      return 0;
    }
    return await publish({ tarball, vsix, version });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Prints one line per check. Returns the failed checks. */
async function report(checks) {
  const faults = [];
  for await (const { claim, fault } of checks) {
    process.stdout.write(fault === undefined ? `  ok    ${claim}\n` : `  FAIL  ${claim}: ${fault}\n`);
    if (fault !== undefined) faults.push(fault);
  }
  return faults;
}

/** Skips `prepack`, because dist/ is already built. */
function packTarball(folder) {
  const { status, stdout } = npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder]);
  if (status !== 0) throw new Error("npm pack failed");
  const [packed] = Object.values(JSON.parse(stdout));
  return path.join(folder, packed.filename);
}

/** Runs the program from the tarball, installed offline into an empty folder. */
async function* checkRuns(tarball, { folder, version }) {
  const claim = "the npm package installs offline and runs";
  const prefix = path.join(folder, "installed");
  const installed = npm(["install", "--offline", "--no-audit", "--no-fund", "--prefix", prefix, tarball]);
  const program = path.join(prefix, "node_modules", "citewell", "dist", "citewell.mjs");
  const ran = spawnSync(process.execPath, [program, "--version"], { cwd: folder, encoding: "utf8" });
  if (installed.status !== 0) yield { claim, fault: "npm install failed" };
  else if (ran.stdout.trim() !== version) yield { claim, fault: `--version printed ${JSON.stringify(ran.stdout)}` };
  else yield { claim };
}

async function publish({ tarball, vsix, version }) {
  const { NPM_TOKEN, VSCE_PAT, OVSX_PAT } = process.env;
  const places = [
    { name: "the npm registry", variable: "NPM_TOKEN", token: NPM_TOKEN, publish: () => publishToNpm(tarball) },
    { name: "the Marketplace", variable: "VSCE_PAT", token: VSCE_PAT, publish: () => publishToMarketplace(vsix) },
    { name: "Open VSX", variable: "OVSX_PAT", token: OVSX_PAT, publish: () => publishToOpenVsx(vsix, OVSX_PAT) },
  ];
  for (const place of places) {
    if (!place.token) {
      process.stdout.write(`  skip  ${place.name}: ${place.variable} is not set\n`);
      continue;
    }
    const isNew = await place.publish();
    process.stdout.write(`  ok    ${version} ${isNew ? "was published to" : "is already in"} ${place.name}\n`);
  }
  const { status } = spawnSync("git", ["tag", "--force", `v${version}`], { cwd: root });
  if (status !== 0) return fail(`the tag v${version} could not be set`);
  process.stdout.write(`released; now: git push origin v${version}\n`);
  return 0;
}

function npm(words) {
  const shell = process.platform === "win32";
  return spawnSync("npm", words, { cwd: root, encoding: "utf8", shell, stdio: ["ignore", "pipe", "inherit"] });
}

function fail(message) {
  process.stdout.write(`error: ${message}\n`);
  return 1;
}
