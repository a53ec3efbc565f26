import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { packExtension } from "../../../scripts/package.mjs";

/** Global setup of vitest: sets the path that the first UI test packs the extension to. CITEWELL_VSIX overrides it. */
export function setup(): (() => Promise<void>) | undefined {
  if (process.env["CITEWELL_VSIX"] !== undefined) return undefined;
  const file = path.join(os.tmpdir(), `citewell-${process.pid}.vsix`);
  process.env["CITEWELL_VSIX"] = file;
  return () => rm(file, { force: true });
}

/** The packaged extension, as users install it. */
export async function packagedExtension(): Promise<string> {
  const file = process.env["CITEWELL_VSIX"];
  if (file === undefined) throw new Error("CITEWELL_VSIX names no packaged extension");
  if (!existsSync(file)) await packExtension(file);
  return file;
}
