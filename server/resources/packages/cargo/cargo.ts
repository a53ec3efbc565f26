import type { Ecosystem } from "../ecosystem.ts";
import { wordTest } from "../named-in-text.ts";
import { normalizeName } from "./names.ts";
import { excludeUnwanted } from "./places.ts";
import { openCargoRegistry } from "./registry.ts";
import { isExact } from "./requirements.ts";
import { chooseVersion } from "./version-choice.ts";
import { namesNear, readDependencies } from "./workspace.ts";

/** Rust crates: `Cargo.lock`, what Cargo has unpacked, vendored and checked out, and registries with a sparse index. */
export const cargoEcosystem: Ecosystem = {
  type: "cargo",
  choose: chooseVersion,
  isExact,
  openRegistry: openCargoRegistry,
  exclude: excludeUnwanted,
  imports: { languages: ["rust"], packagesOf: (module) => [module.split("::")[0] ?? module] },
  dependencies: readDependencies,
  hasSeveralVersions: true,
  hasAliases: true,
  namesNear,
  nameTest: (text) => wordTest(text, { type: "cargo", word: "[A-Za-z][\\w-]*", spell: normalizeName }),
};
