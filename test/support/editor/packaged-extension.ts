import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { packExtension } from "../../../scripts/package.mjs";

/**
 * Global setup of vitest: packs the extension, to the file that CITEWELL_VSIX names if it is set, and names the folder that
 * keeps what installing it made, for the tests after the first.
 */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "citewell-packed-"));
  process.env["CITEWELL_VSIX"] ??= path.join(folder, "citewell.vsix");
  process.env["CITEWELL_INSTALLED"] = path.join(folder, "installed");
  await packagedExtension();
  return () => rm(folder, { recursive: true, force: true });
}

/** The packaged extension, as users install it. */
export async function packagedExtension(): Promise<string> {
  const file = process.env["CITEWELL_VSIX"];
  if (file === undefined) throw new Error("CITEWELL_VSIX names no packaged extension");
  if (!existsSync(file)) await packExtension(file);
  return file;
}
