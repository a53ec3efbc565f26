import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { migrations } from "../../server/hosted/store/migrations.ts";

/** Differs when a step of the schema is added or changed. */
export const schemaVersion = createHash("sha256").update(JSON.stringify(migrations)).digest("hex").slice(0, 12);

/**
 * A folder below the machine's temporary one that is made once and kept for all test files and runs: making a database takes
 * seconds, copying it does not.
 */
export async function keptTemplate(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const template = path.join(
    process.env["CITEWELL_KEPT"] ?? os.tmpdir(),
    `citewell-${name}-${process.getuid?.() ?? 0}`,
  );
  if (existsSync(template)) return template;
  const making = await mkdtemp(`${template}-`);
  await make(making);
  // Another test file may have been faster.
  await rename(making, template).catch(() => rm(making, { recursive: true, force: true }));
  return template;
}
