import { cargoEcosystem } from "../../server/resources/packages/cargo/cargo.ts";
import { toErrorBody } from "../../server/errors.ts";
import type { CargoRegistry } from "./cargo-registry.ts";
import { type NpmWorkspace, npmWorkspace, type NpmWorkspaceOptions } from "./npm-workspace.ts";

export type CargoWorkspaceOptions = Omit<NpmWorkspaceOptions, "npmrc" | "ecosystem"> & {
  /** A registry that the user's configuration uses instead of crates.io. */
  registry?: CargoRegistry;
};

/** A temporary user with a Rust project, isolated from the machine's configuration. */
export function cargoWorkspace({
  registry,
  files = "",
  ...options
}: CargoWorkspaceOptions = {}): Promise<NpmWorkspace> {
  const config = registry === undefined ? "" : `//- home/.cargo/config.toml\n${replacingCratesIo(registry)}`;
  return npmWorkspace({ ...options, files: `${config}${files}`, ecosystem: cargoEcosystem });
}

/** Cargo's configuration with a registry instead of crates.io. */
export function replacingCratesIo({ index }: Pick<CargoRegistry, "index">): string {
  return `[source.crates-io]\nreplace-with = "mirror"\n[source.mirror]\nregistry = "${index}"\n`;
}

/** The label and the files; or the error and what it left. */
export async function outcome(options: CargoWorkspaceOptions, name = "demo", version?: string): Promise<string[]> {
  await using workspace = await cargoWorkspace(options);
  try {
    await using snapshot = await workspace.open({ name: "it", package: name, version });
    return [snapshot.info.label.replace(", fetched just now", ""), ...snapshot.files.map((file) => file.path)];
  } catch (error) {
    const { tag, error: message } = toErrorBody(error);
    return [`${tag}: ${message}`, ...(await workspace.kept())].map((line) =>
      line.replaceAll(/127\.0\.0\.1:\d+/g, "<host>").replaceAll(workspace.folder.path, "<root>"),
    );
  }
}
