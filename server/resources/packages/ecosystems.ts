import type { PackageType } from "../../protocol/kinds/names.ts";
import type { Ecosystem } from "./ecosystem.ts";
import { composerEcosystem } from "./composer/composer.ts";
import { cargoEcosystem } from "./cargo/cargo.ts";
import { gemEcosystem } from "./gem/gem.ts";
import { mavenEcosystem } from "./maven/maven.ts";
import { golangEcosystem } from "./golang/golang.ts";
import { nugetEcosystem } from "./nuget/nuget.ts";
import { npmEcosystem } from "./npm/npm.ts";
import { pypiEcosystem } from "./pypi/pypi.ts";

/** Every ecosystem by the `type` of its resources; docs/development/adding-an-ecosystem.md says how to add one. */
export const ecosystems: { readonly [Type in PackageType]: Ecosystem } = {
  npm: npmEcosystem,
  pypi: pypiEcosystem,
  cargo: cargoEcosystem,
  maven: mavenEcosystem,
  golang: golangEcosystem,
  gem: gemEcosystem,
  composer: composerEcosystem,
  nuget: nugetEcosystem,
};
