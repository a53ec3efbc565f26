import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { CitewellError } from "../../../errors.ts";
import { toAbsolutePath } from "../../../lib/absolute-path.ts";
import { isStandardLibrary } from "../../../protocol/kinds/packages.ts";
import type { Exclude } from "../../walk.ts";
import type { InstalledChoice, RequestedPackage } from "../ecosystem.ts";
import { exists, foldersUpFrom, programsOnPath, readTextFile } from "../files.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { parseToml, readTomlFile } from "../toml.ts";
import { normalizeName } from "./names.ts";

/** The sources that rustup installs for a toolchain. Copies of crates from the registry among them are left out. */
const excludeVendored: Exclude = (entryPath, { isFolder }) => (isFolder && entryPath === "vendor" ? "" : undefined);

/**
 * The standard library, of which `std` is read with all that it is made of: that of the project's toolchain, or of that of a version; undefined for other crates.
 * @throws PackageNotFound (no toolchain, or its sources are not installed)
 */
export async function findStandardLibrary(
  { package: name, version }: RequestedPackage,
  location: PackageLocation,
): Promise<InstalledChoice | undefined> {
  const crate = normalizeName(name);
  if (!isStandardLibrary("cargo", crate)) return undefined;
  const found = await findToolchain(version || undefined, location);
  if (found === undefined) {
    throw new CitewellError(
      "PackageNotFound",
      `no Rust toolchain ${version ? `${version} ` : ""}with ${name} is here`,
      {
        hint: version
          ? `run: rustup toolchain install ${version} --component rust-src`
          : "install Rust with rustup, or add the repository https://github.com/rust-lang/rust as a resource",
      },
    );
  }
  const { sysroot, label, isOfRustup } = found;
  const library = path.join(sysroot, "lib", "rustlib", "src", "rust", "library");
  const folder = await realpath(crate === "std" ? library : path.join(library, crate)).catch(() => undefined);
  if (folder === undefined) {
    throw new CitewellError("PackageNotFound", `the toolchain ${label} has no sources of the standard library`, {
      hint: isOfRustup
        ? `run: rustup component add rust-src --toolchain ${label}`
        : "install the package with Rust's sources (on Debian rust-src), or use rustup",
    });
  }
  const installed = {
    folder,
    name: crate,
    version: (await versionOf(sysroot)) ?? label,
    integrity: undefined,
    exclude: excludeVendored,
  };
  return { type: "installed", installed, origin: `sources of the toolchain ${label}` };
}

interface Toolchain {
  sysroot: string;
  label: string;
  isOfRustup: boolean;
}

/** The toolchain that rustup would use, else the one on the PATH. */
async function findToolchain(version: string | undefined, location: PackageLocation): Promise<Toolchain | undefined> {
  const { env, homeDirectory, cwd } = location;
  const named = env["RUSTUP_HOME"];
  const home = named ? toAbsolutePath(named, { folder: cwd, homeDirectory }) : path.join(homeDirectory, ".rustup");
  const installed = await readdir(path.join(home, "toolchains")).catch(() => []);
  const wanted = version ?? (await chosenToolchain(home, location));
  // `1.95` is installed as `1.95-x86_64-unknown-linux-gnu`.
  const label = installed.find((it) => it === wanted || it.startsWith(`${wanted ?? ""}-`));
  if (label !== undefined && wanted !== undefined) {
    return { sysroot: path.join(home, "toolchains", label), label, isOfRustup: true };
  }
  for (const rustc of version === undefined ? await programsOnPath(["rustc"], location) : []) {
    // Rustup's own `rustc` is not of a toolchain.
    if (!path.basename(rustc).startsWith("rustc")) continue;
    const sysroot = path.dirname(path.dirname(rustc));
    if (await exists(path.join(sysroot, "lib", "rustlib"))) return { sysroot, label: sysroot, isOfRustup: false };
  }
  return undefined;
}

const Settings = z.object({
  default_toolchain: z.string().optional().catch(undefined),
  overrides: z.record(z.string(), z.string()).catch({}),
});
const ToolchainFile = z.object({ toolchain: z.object({ channel: z.string() }) });

/** As rustup: environment, then the nearest override or `rust-toolchain` file, then the default. */
async function chosenToolchain(home: string, location: PackageLocation): Promise<string | undefined> {
  const settings = Settings.safeParse(await readTomlFile(path.join(home, "settings.toml"))).data;
  if (location.env["RUSTUP_TOOLCHAIN"]) return location.env["RUSTUP_TOOLCHAIN"];
  for (const folder of foldersOf(location).flatMap(foldersUpFrom)) {
    const overridden = settings?.overrides[folder];
    if (overridden !== undefined) return overridden;
    for (const file of ["rust-toolchain", "rust-toolchain.toml"]) {
      const text = await readTextFile(path.join(folder, file));
      if (text === undefined) continue;
      const channel = ToolchainFile.safeParse(await parseToml(text)).data?.toolchain.channel ?? text.trim();
      // A path would let the project choose any folder.
      if (/^\w[\w.-]*$/.test(channel)) return channel;
    }
  }
  return settings?.default_toolchain;
}

/** `1.95.0`, from the list of what rustup installed. */
async function versionOf(sysroot: string): Promise<string | undefined> {
  const manifest = await readTextFile(path.join(sysroot, "lib", "rustlib", "multirust-channel-manifest.toml"));
  return /^\[pkg\.rust\]\r?\nversion = "([^ "]+)/m.exec(manifest ?? "")?.[1];
}
