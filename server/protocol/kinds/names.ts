/** The types of packages, one for each ecosystem, in the order of lists; server/resources/packages/ reads them. */
export const packageTypes = ["npm", "pypi", "cargo", "maven", "golang", "gem", "composer", "nuget"] as const;
export type PackageType = (typeof packageTypes)[number];

/** All kinds of resource. Apart from `kinds.ts` so that a command line can be read without zod. */
export const kindNames = ["git", "local", ...packageTypes] as const;

/** Those that are read from this computer alone. A service for others does not offer them. */
const kindsOnDisk = ["composer", "gem", "nuget", "local"] as const satisfies readonly (typeof kindNames)[number][];
type KindOnDisk = (typeof kindsOnDisk)[number];

export function isServed<Name extends string>(name: Name): name is Exclude<Name, KindOnDisk> {
  return !kindsOnDisk.some((one) => one === name);
}

/** The kinds that a service for others offers. */
export const servedKinds = kindNames.filter(isServed);
export type ServedPackageType = Exclude<PackageType, KindOnDisk>;
export const servedPackageTypes: readonly ServedPackageType[] = packageTypes.filter(isServed);

/** How references to packages begin, before the colon: first the form that is written, then others that are read. */
const packagePrefixes = {
  npm: ["npm"],
  pypi: ["pypi"],
  cargo: ["cargo", "crate", "rust"],
  maven: ["maven", "mvn", "java"],
  golang: ["go", "golang"],
  gem: ["gem"],
  composer: ["composer"],
  nuget: ["nuget"],
} as const satisfies Record<PackageType, readonly [string, ...string[]]>;

export const allPackagePrefixes: readonly string[] = Object.values(packagePrefixes).flat();

/** How packages are written: `npm:<package>, pypi:<package>, …`. */
export const packageForms = Object.values(packagePrefixes)
  .map(([prefix]) => `${prefix}:<package>`)
  .join(", ");

/** `npm:zod`, `npm:zod@4.1.0`. */
export function packageReference(type: PackageType, name: string, version?: string): string {
  return `${packagePrefixes[type][0]}:${name}${version === undefined ? "" : `@${version}`}`;
}

/** The type of packages that references with this prefix name. */
export function packageTypeOf(prefix: string): PackageType | undefined {
  return packageTypes.find((type) => packagePrefixes[type].some((one) => one === prefix));
}

/** What follows the prefix of a reference to a package of that type; undefined for other texts. */
export function withoutPrefix(type: PackageType, text: string): string | undefined {
  const prefix = packagePrefixes[type].find((one) => text.startsWith(`${one}:`));
  return prefix === undefined ? undefined : text.slice(prefix.length + 1);
}

/** Whether a reference is of a package, by its prefix: `npm:zod`. */
export function isPackageReference(reference: string): boolean {
  return packageTypes.some((type) => withoutPrefix(type, reference) !== undefined);
}
