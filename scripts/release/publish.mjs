// Each function returns false if this version is already published.
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import npmDefaults from "npm-registry-fetch/lib/default-opts.js";
import { root } from "../prepare.mjs";

/** Publishes to the registry in `publishConfig`, else npm's, with `NPM_TOKEN`. npm reads the variable, so no file contains it. */
export async function publishToNpm(tarball) {
  const { publishConfig } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  const { registry = npmDefaults.registry } = publishConfig;
  const folder = await mkdtemp(path.join(os.tmpdir(), "citewell-publish-"));
  try {
    const userconfig = path.join(folder, "npmrc");
    await writeFile(userconfig, `${registry.replace(/^https?:/, "")}:_authToken=\${NPM_TOKEN}\n`);
    const words = ["publish", tarball, "--registry", registry, "--userconfig", userconfig, "--ignore-scripts"];
    const shell = process.platform === "win32";
    const { status, stderr } = spawnSync("npm", words, { cwd: folder, encoding: "utf8", shell });
    if (status === 0) return true;
    if (/previously published|EPUBLISHCONFLICT/.test(stderr)) return false;
    throw new Error(`npm publish failed:\n${stderr}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Publishes with `VSCE_PAT`. https://code.visualstudio.com/api/working-with-extensions/publishing-extension */
export async function publishToMarketplace(vsix) {
  const { publishVSIX } = await import("@vscode/vsce");
  try {
    await publishVSIX(vsix, { pat: process.env.VSCE_PAT });
    return true;
  } catch (error) {
    if (error instanceof Error && /already exists/.test(error.message)) return false;
    throw error;
  }
}

/** Sends the same request as `ovsx`: https://open-vsx.org/swagger-ui/index.html, `/api/-/publish`. */
export async function publishToOpenVsx(vsix, token) {
  const url = new URL("/api/-/publish", process.env.OVSX_REGISTRY_URL ?? "https://open-vsx.org");
  url.searchParams.set("token", token);
  const headers = { "content-type": "application/octet-stream" };
  const response = await fetch(url, { method: "POST", headers, body: await readFile(vsix) });
  const { error } = await response.json().catch(() => ({ error: `status ${response.status}` }));
  if (response.ok && error === undefined) return true;
  if (/already published/.test(error)) return false;
  throw new Error(`Open VSX refused the extension: ${error}`);
}
