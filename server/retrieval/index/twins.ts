/**
 * Files that say again what another one says, and which one: packages ship `src/parse.ts` beside `dist/parse.js`,
 * `dist/parse.cjs` and `dist/parse.d.ts`. The original of a group is what a person wrote, as far as paths can tell.
 */
export function findTwins(paths: readonly string[]): Map<string, string> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const stem = moduleStem(path);
    if (stem === undefined) continue;
    const group = groups.get(stem);
    if (group === undefined) groups.set(stem, [path]);
    else group.push(path);
  }
  return new Map([...groups.values()].flatMap(twinsIn));
}

/** Every file of a group that is further from its source than the best one, with that one. */
function twinsIn(group: readonly string[]): [twin: string, original: string][] {
  const original = group.reduce((best, path) => (distanceOf(path) < distanceOf(best) ? path : best));
  const nearest = distanceOf(original);
  return group.filter((path) => distanceOf(path) > nearest).map((path) => [path, original]);
}

/** The path without build folders and extension; undefined for what is no JavaScript or TypeScript module. */
export function moduleStem(path: string): string | undefined {
  const stem = /^(.*?)(?:\.d)?\.[cm]?[jt]sx?$/.exec(path)?.[1];
  return stem
    ?.split("/")
    .filter((folder) => !buildFolder.test(folder))
    .join("/");
}

const buildFolder =
  /^(?:src|source|sources|dist|lib|build|out|_?esm|_?cjs|_?mjs|umd|es|es\d+|esnext|modules?|commonjs|types|typings|node|browser|bundles|dist-\w+)$/;

/** The distance from the source: TypeScript, scripts, CommonJS scripts, declarations. */
function distanceOf(path: string): number {
  if (/\.d\.[cm]?ts$/.test(path)) return 3;
  if (/\.[cm]?tsx?$/.test(path)) return 0;
  const isBuilt = !/(?:^|\/)(?:src|source)\//.test(path);
  const isOlderFormat = /(?:^|\/)(?:_?cjs|commonjs|umd)\//.test(path);
  return (/\.jsx?$/.test(path) ? 1 : 4) + (isBuilt ? 1 : 0) + (isOlderFormat ? 0.5 : 0);
}
