import { realpath } from "node:fs/promises";
import path from "node:path";
import type { Exclude } from "../../walk.ts";
import type { InstalledChoice } from "../ecosystem.ts";
import { exists, programsOnPath } from "../files.ts";
import type { PackageLocation } from "../package-location.ts";
import { findEnvironments } from "./environments.ts";

/** The name of all of it. */
const all = "python";

/** Not its own: packages, compiled files, and its tests, which are half of it. */
const exclude: Exclude = (entry) =>
  /^(?:site-packages|dist-packages|lib-dynload|test|config-[^/]*)$/.test(entry) ? "" : undefined;

/**
 * The standard library of the interpreter that the nearest environment names, or that is on the `PATH`: a module of it, or
 * all of it as `python`. Undefined for other modules, and without an interpreter.
 */
export async function findStandardLibrary(
  name: string,
  location: PackageLocation,
): Promise<InstalledChoice | undefined> {
  if (location.isAnonymous === true || !/^[A-Za-z_]\w*(?:\.\w+)*$/.test(name)) return undefined;
  const folder = await libraryFolder(location);
  if (folder === undefined) return undefined;
  const [module = name] = name.split(".");
  const isThere = await Promise.all(
    [`${module}.py`, path.join(module, "__init__.py")].map((file) => exists(path.join(folder, file))),
  );
  if (module !== all && !isThere.includes(true)) return undefined;
  // `datetime` is all of `_pydatetime`.
  const own = new RegExp(`^(?:_py)?${module}(?:\\.py$|/|$)`);
  const excludeOthers: Exclude = (entry, it) => (own.test(entry) ? exclude(entry, it) : "");
  const installed = {
    folder,
    name: module,
    version: /[\d.]+/.exec(path.basename(folder))?.[0] ?? "",
    integrity: undefined,
    exclude: module === all ? exclude : excludeOthers,
  };
  return { type: "installed", installed, origin: `of Python's standard library in ${folder}` };
}

/** The folder of the library of the first interpreter that has one. */
async function libraryFolder(location: PackageLocation): Promise<string | undefined> {
  const homes = (await findEnvironments(location)).map(({ home }) => home);
  const named = homes.map((home) => realpath(path.join(home, "python3")).catch(() => path.join(home, "python.exe")));
  for (const program of [...(await Promise.all(named)), ...(await programsOnPath(["python3", "python"], location))]) {
    const { dir, base } = path.parse(program);
    const usual = ["lib", "lib64"].map((lib) => path.join(dir, "..", lib, base));
    for (const folder of /^python3\.\d+t?$/.test(base) ? usual : [path.join(dir, "Lib")]) {
      const real = await realpath(folder).catch(() => "");
      // The environment is a file of the project, and could name any folder.
      const isOwn = path.basename(real) === path.basename(folder) && (await exists(path.join(real, "os.py")));
      if (isOwn) return real;
    }
  }
  return undefined;
}
