import type { ConfigLocation } from "../../server/config/config.ts";
import type { PackageType } from "../../server/protocol/kinds/names.ts";
import { findPlacesOnDisk } from "../../server/resources/packages/on-disk.ts";
import { type Finding, ok, warn } from "./check.ts";

const names: { readonly [Type in PackageType]?: { check: string; fix: string } } = {
  npm: { check: "npm packages", fix: "install them (npm install), so that they are read from disk" },
  pypi: { check: "Python packages", fix: "make an environment (uv sync, or python -m venv .venv) and install them" },
  cargo: { check: "Rust crates", fix: "run cargo fetch, so that they are read from disk" },
  maven: { check: "JVM packages", fix: "run mvn dependency:sources, so that they are read from disk" },
  gem: {
    check: "Ruby gems",
    fix: "install them in the project (bundle install --path vendor/bundle), or set GEM_HOME",
  },
  golang: { check: "Go modules", fix: "run go mod download, so that they are read from disk" },
};

/** Where the packages of the project are, for each ecosystem that it has dependencies in. */
export async function checkPackages(location: ConfigLocation): Promise<Finding[]> {
  return (await findPlacesOnDisk(location)).map(({ type, places }) => {
    const { check, fix } = names[type] ?? {
      check: `${type} packages`,
      fix: "install them, so that they are read from disk",
    };
    if (places.length > 0) return ok(check, places.join(", "));
    const otherwise = type === "gem" ? "" : "; a registry is asked for what the project locks";
    return warn(check, `none is on this computer${otherwise}`, fix);
  });
}
