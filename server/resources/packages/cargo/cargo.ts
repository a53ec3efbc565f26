import path from "node:path";
import { CitewellError } from "../../../errors.ts";
import type { Ecosystem } from "../ecosystem.ts";
import { placeOnDisk } from "../files.ts";
import { wordTest } from "../named-in-text.ts";
import { cargoHome } from "./cargo-config.ts";
import { normalizeName } from "./names.ts";
import { excludeUnwanted } from "./places.ts";
import { openCargoRegistry } from "./registry.ts";
import { isExact } from "./requirements.ts";
import { findStandardLibrary } from "./standard-library.ts";
import { chooseVersion } from "./version-choice.ts";
import { namesNear, readDependencies } from "./workspace.ts";

/** Rust crates: `Cargo.lock`, what Cargo has unpacked, vendored and checked out, and registries with a sparse index. */
export const cargoEcosystem: Ecosystem = {
  type: "cargo",
  choose: chooseVersion,
  isExact,
  openRegistry: openCargoRegistry,
  onDisk: {
    noun: "Rust crates",
    fix: "run cargo fetch, so that they are read from disk",
    async places(location) {
      const registry = await placeOnDisk(path.join(cargoHome(location), "registry"));
      try {
        const library = await findStandardLibrary({ package: "std" }, location);
        return [...registry, ...(library === undefined ? [] : [`the standard library in ${library.installed.folder}`])];
      } catch (error) {
        if (!(error instanceof CitewellError)) throw error;
        return [...registry, `no standard library: ${error.message}`];
      }
    },
  },
  exclude: excludeUnwanted,
  imports: { languages: ["rust"], packagesOf: (module) => [module.split("::")[0] ?? module] },
  dependencies: readDependencies,
  hasSeveralVersions: true,
  hasAliases: true,
  namesNear,
  nameTest: (text) => wordTest(text, { type: "cargo", word: "[A-Za-z][\\w-]*", spell: normalizeName }),
};
