import { CitewellError, codeOf, messageOf } from "../../errors.ts";

/**
 * Imports a package that is not bundled: it is too large for those who do not host.
 * @param name with the version that we test
 * @throws ToolMissing
 */
export async function importOptional<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const isMissing = codeOf(error) === "ERR_MODULE_NOT_FOUND";
    const fault = isMissing ? "is not installed" : `cannot be loaded: ${messageOf(error)}`;
    throw new CitewellError("ToolMissing", `the package "${name}" ${fault}`, {
      hint: `run: npm install --global ${name}`,
      cause: error,
    });
  }
}
