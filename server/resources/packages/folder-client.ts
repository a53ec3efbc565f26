import { copyFile, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { CitewellError, codeOf } from "../../errors.ts";
import { exists } from "./files.ts";
import type { RegistryClient } from "./registry-client.ts";
import { failed, type RegistryAdvice } from "./registry-faults.ts";

/** A registry in a folder, which the user's own configuration names as `file:///…`. Archives are checked by the caller. */
export function createFolderClient(advice: RegistryAdvice): RegistryClient {
  return {
    read: async (address, { packageName }) => ({
      text: await reading(address, packageName, (file) => readFile(file, "utf8")),
      address,
      contentType: "",
    }),
    has: (address) => exists(fileURLToPath(address)),
    download: (address, file, { packageName }) => reading(address, packageName, (from) => copyFile(from, file)),
  };

  async function reading<Result>(
    address: URL,
    packageName: string | undefined,
    action: (file: string) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await action(fileURLToPath(address));
    } catch (error) {
      if (codeOf(error) === "ENOENT" && packageName !== undefined) {
        const hint = advice.missing(address, packageName);
        throw new CitewellError("PackageNotFound", `no package "${packageName}" in ${address.href}`, { hint });
      }
      throw failed(`${address.href} cannot be read: ${codeOf(error) ?? ""}`, `see: ${advice.showRegistry}`, error);
    }
  }
}
