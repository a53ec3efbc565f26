import path from "node:path";
import * as z from "zod";
import { toAbsolutePath } from "../../../lib/absolute-path.ts";
import type { FetchSettings } from "../../../lib/fetch.ts";
import { foldersUpFrom, ownValue } from "../files.ts";
import type { PackageLocation } from "../package-location.ts";
import type { RegistryAccess } from "../registry-client.ts";
import {
  createRequestRule,
  publicRule,
  readRegistryNetwork,
  registryUrl,
  type RegistryWords,
} from "../registry-config.ts";
import { failed, redacted } from "../registry-faults.ts";
import { readTomlFile } from "../toml.ts";

/** Where Cargo takes the crates of a source from. */
export type CrateOrigin =
  | { type: "registry"; index: string }
  /** A folder of unpacked crates, which `cargo vendor` writes. */
  | { type: "directory"; folder: string }
  /** A folder of `.crate` files. */
  | { type: "local-registry"; folder: string };

/** Cargo's configuration (https://doc.rust-lang.org/cargo/reference/config.html). */
export interface CargoConfig {
  /** What a source of `Cargo.lock` is, or is replaced with; undefined for a git repository that nothing replaces. */
  originOf(source: string): CrateOrigin | undefined;
  /** The source of a registry that a manifest names. @throws RegistryFailed (not configured) */
  sourceOf(registry: string): string;
  /**
   * The address of a sparse index with a slash at its end, and what may be sent to it.
   * @throws RegistryFailed (a git index, no URL, or plain HTTP that the user did not configure)
   */
  open(index: string): { url: string; access: RegistryAccess };
  network: FetchSettings;
}

/** The source of crates.io in `Cargo.lock`, for its sparse index, too. */
export const cratesIo = "registry+https://github.com/rust-lang/crates.io-index";
const cratesIoIndex = "sparse+https://index.crates.io/";

const Text = z.string().optional().catch(undefined);
const Source = z.object({ "replace-with": Text, registry: Text, directory: Text, "local-registry": Text, git: Text });
const Registry = z.object({ index: Text, token: Text });
const Layer = z.object({
  source: z.record(z.string(), Source).catch({}),
  registries: z.record(z.string(), Registry).catch({}),
  http: z.object({ proxy: Text, cainfo: Text }).catch({}),
});
type Layer = z.infer<typeof Layer>;

const words: RegistryWords = {
  noun: "crate registry",
  places: "[registries] and [source] in .cargo/config.toml",
  ownFile: "config.toml of Cargo's home",
};

/** Cargo's home folder. */
export function cargoHome({ env, homeDirectory, cwd }: PackageLocation): string {
  const named = env["CARGO_HOME"];
  return named ? toAbsolutePath(named, { folder: cwd, homeDirectory }) : path.join(homeDirectory, ".cargo");
}

/**
 * Layers, strongest first: environment, the folders upwards, Cargo's home. As for npm, the project's files are not
 * trusted: they choose registries, but tokens are for those that the environment or Cargo's home has by the same name,
 * and neither proxies nor certificates are read from them. Credential providers are programs, and so are not run.
 */
export async function readCargoConfig(location: PackageLocation): Promise<CargoConfig> {
  const { cwd, env, registries, isAnonymous = false } = location;
  const stated = registries?.cargo;
  const usualIndex = stated === undefined ? cratesIoIndex : `sparse+${addressOf(stated)}`;
  const home = cargoHome(location);
  const folders = isAnonymous ? [] : foldersUpFrom(cwd).map((folder) => path.join(folder, ".cargo"));
  const project = await Promise.all(folders.filter((folder) => folder !== home).map(readLayer));
  const own = isAnonymous ? Layer.parse({}) : await readLayer(home);
  const credentials = isAnonymous ? {} : await readCredentials(home);
  const layers = [...project, own];
  const sourceNames = [...new Set(layers.flatMap(({ source }) => Object.keys(source)))];
  const fieldOf = (name: string, field: keyof z.infer<typeof Source>) =>
    layers.map(({ source }) => ownValue(source, name)?.[field]).find((value) => value !== undefined);
  const indexIn = (from: readonly Layer[], name: string) =>
    [env[`${variableOf(name)}_INDEX`], ...from.map((it) => ownValue(it.registries, name)?.index)].find(Boolean);
  const tokens = Object.keys({ ...own.registries, ...own.source, ...credentials, ...namesInEnvironment(env) }).flatMap(
    (name) => {
      const index = indexIn([own], name) ?? ownValue(own.source, name)?.registry;
      const token =
        env[`${variableOf(name)}_TOKEN`] ?? ownValue(credentials, name)?.token ?? ownValue(own.registries, name)?.token;
      return index === undefined ? [] : [{ index: addressOf(index), token }];
    },
  );
  const mayRequest = createRequestRule([addressOf(usualIndex), ...tokens.map(({ index }) => index)]);

  return {
    originOf(source) {
      const plain = source.replace(/^(?:registry|git)\+|[?#].*$/g, "");
      const isSame = (address: string | undefined) => address !== undefined && addressOf(address) === addressOf(plain);
      const [first] =
        source === cratesIo
          ? ["crates-io"]
          : sourceNames.filter((name) => isSame(fieldOf(name, "registry")) || isSame(fieldOf(name, "git")));
      const unreplaced = source.startsWith("git+")
        ? undefined
        : { type: "registry" as const, index: source === cratesIo ? usualIndex : plain };
      return first === undefined ? unreplaced : follow(first, unreplaced);
    },
    sourceOf(registry) {
      if (registry === "crates-io") return cratesIo;
      const index = indexIn(layers, registry);
      if (index !== undefined) return index.startsWith("sparse+") ? index : `registry+${index}`;
      throw failed(
        `the registry "${registry}" of Cargo.toml is not configured`,
        `add [registries.${registry}] with its index to .cargo/config.toml`,
      );
    },
    open(index) {
      if (!index.startsWith("sparse+")) {
        throw failed(
          `the registry ${redacted(index)} has a git index, which is not read`,
          'if it has a sparse index, too, write index = "sparse+https://…" in .cargo/config.toml',
        );
      }
      const url = registryUrl(addressOf(index), { mayRequest, words });
      const token = tokens.find((it) => sameAddress(it.index, url))?.token;
      const authorizationFor = ({ origin }: URL) => (origin === new URL(url).origin ? token : undefined);
      return { url, access: { mayRequest, ...publicRule(location), authorizationFor } };
    },
    network: await readRegistryNetwork(
      {
        proxy: env["CARGO_HTTP_PROXY"] || own.http.proxy,
        certificates: env["CARGO_HTTP_CAINFO"] || own.http.cainfo,
      },
      location,
    ),
  };

  /** Follows `replace-with`, which names a source or a registry; a few steps, so that a circle ends. */
  function follow(first: string, unreplaced: CrateOrigin | undefined): CrateOrigin | undefined {
    let name = first;
    for (let steps = 0; steps < 10; steps++) {
      const next = fieldOf(name, "replace-with");
      if (next === undefined) break;
      name = next;
    }
    if (name === first) return unreplaced;
    const [folder, local] = [fieldOf(name, "directory"), fieldOf(name, "local-registry")];
    if (folder !== undefined) return { type: "directory", folder };
    if (local !== undefined) return { type: "local-registry", folder: local };
    const index = fieldOf(name, "registry") ?? (name === "crates-io" ? usualIndex : indexIn(layers, name));
    return index === undefined ? unreplaced : { type: "registry", index };
  }
}

/** `CARGO_REGISTRIES_MY_CORP` of a registry called `my-corp`. */
function variableOf(name: string): string {
  return `CARGO_REGISTRIES_${name.toUpperCase().replaceAll("-", "_")}`;
}

function namesInEnvironment(env: PackageLocation["env"]): Record<string, true> {
  const names = Object.keys(env).map((key) => /^CARGO_REGISTRIES_(\w+)_INDEX$/.exec(key)?.[1]?.toLowerCase());
  return Object.fromEntries(names.filter((name) => name !== undefined).map((name) => [name, true as const]));
}

function addressOf(index: string): string {
  return index.replace(/^(?:sparse|registry)\+/, "").replace(/\/?$/, "/");
}

function sameAddress(a: string, b: string): boolean {
  return URL.canParse(a) && new URL(a).href === b;
}

/** `config.toml` of a folder `.cargo`. Paths are relative to the folder above. */
async function readLayer(folder: string): Promise<Layer> {
  const layer = Layer.parse((await readEither(folder, "config")) ?? {});
  const resolve = (at: string | undefined) => (at === undefined ? undefined : path.resolve(folder, "..", at));
  const source = Object.entries(layer.source).map(([name, it]) => [
    name,
    { ...it, directory: resolve(it.directory), "local-registry": resolve(it["local-registry"]) },
  ]);
  return { ...layer, source: Object.fromEntries(source) };
}

async function readCredentials(home: string): Promise<Layer["registries"]> {
  return Layer.parse((await readEither(home, "credentials")) ?? {}).registries;
}

/** With and without the ending, as Cargo. */
async function readEither(folder: string, name: string): Promise<unknown> {
  return (await readTomlFile(path.join(folder, name))) ?? readTomlFile(path.join(folder, `${name}.toml`));
}
