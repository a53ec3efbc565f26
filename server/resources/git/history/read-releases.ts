import type { Release } from "../../../protocol/git-history.ts";
import type { HistoryRepository } from "./history-repository.ts";
import { undated } from "./read-log.ts";

interface TagOptions {
  timeMs: number;
  signal: AbortSignal;
}

/** A tag that names a version: `v4.18.0`, `release-2.1`, `@scope/name@1.2.3`, `2.0.0-rc.1`. */
const versionTag = /^(?:.*?[^0-9.])?(\d+(?:[._]\d+)+)(?:[-._+]?([a-z].*|\d+-g.*))?$/i;

/**
 * The first release that contains a commit, by version order, full releases before pre-releases; null if tags name
 * versions and none contains it, undefined if no tag names a version.
 * @throws RepositoryTimeout, RepositoryFailed, ToolMissing
 */
export async function firstRelease(
  repository: Pick<HistoryRepository, "run">,
  commit: string,
  options: TagOptions,
): Promise<Release | null | undefined> {
  const containing = await listTags(repository, ["--contains", commit], options);
  const [first] = containing.flatMap(toVersion).toSorted(byVersion);
  if (first !== undefined) return { tag: first.tag, date: first.date };
  const all = containing.length > 0 ? containing : await listTags(repository, [], options);
  return all.some(({ tag }) => versionTag.test(tag)) ? null : undefined;
}

/** The tag of the version that `v2` or `2.1` means: the same numbers, else the first release that begins with them. */
export async function releaseNamed(
  repository: Pick<HistoryRepository, "run">,
  written: string,
  options: TagOptions,
): Promise<string | undefined> {
  return (await releasesNamed(repository, written, options))[0]?.tag;
}

/** The tag of the newest release that begins with the numbers of `v2` or `2.1`; a pre-release only if there is no other. */
export async function newestReleaseNamed(
  repository: Pick<HistoryRepository, "run">,
  written: string,
  options: TagOptions,
): Promise<string | undefined> {
  const releases = await releasesNamed(repository, written, options);
  const isMain = ({ tag }: Version) => ofRepository.test(tag);
  const main = releases.some(isMain) ? releases.filter(isMain) : releases;
  return (main.findLast(({ pre }) => pre === undefined) ?? main.at(-1))?.tag;
}

async function releasesNamed(
  repository: Pick<HistoryRepository, "run">,
  written: string,
  options: TagOptions,
): Promise<Version[]> {
  const numbers = /^v?(\d+(?:\.\d+)*)$/i.exec(written)?.[1]?.split(".").map(Number);
  if (numbers === undefined) return [];
  const versions = (await listTags(repository, [], options)).flatMap(toVersion).toSorted(byVersion);
  return versions.filter((version) => numbers.every((one, index) => one === version.numbers[index]));
}

async function listTags(
  repository: Pick<HistoryRepository, "run">,
  args: readonly string[],
  { timeMs, signal }: TagOptions,
): Promise<Release[]> {
  const format = "--format=%(creatordate:short) %(refname:strip=2)";
  const { stdout } = await repository.run(["tag", "--list", format, ...args], { signal, timeMs });
  return stdout.split("\n").flatMap((line) => {
    const [, date = "", tag = ""] = /^(\S*) (.+)$/.exec(line) ?? [];
    // Git prints nothing, or its first day, for a date that it cannot read.
    return tag === "" ? [] : [{ tag, date: /^(?:1970-01-01)?$/.test(date) ? undated : date }];
  });
}

interface Version extends Release {
  numbers: number[];
  pre: string | undefined;
}

function toVersion(release: Release): Version[] {
  const [, numbers, pre] = versionTag.exec(release.tag) ?? [];
  return numbers === undefined ? [] : [{ ...release, numbers: numbers.split(/[._]/).map(Number), pre }];
}

/** A tag such as `parser-v1.2.0` is of a package of the repository, if others are of the repository itself. */
const ofRepository = /^v?\d/i;

function byVersion(one: Version, other: Version): number {
  const isOther = Number(!ofRepository.test(one.tag)) - Number(!ofRepository.test(other.tag));
  if (isOther !== 0) return isOther;
  const isPre = Number(one.pre !== undefined) - Number(other.pre !== undefined);
  if (isPre !== 0) return isPre;
  const length = Math.max(one.numbers.length, other.numbers.length);
  for (let index = 0; index < length; index++) {
    const difference = (one.numbers[index] ?? 0) - (other.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return (one.pre ?? "").localeCompare(other.pre ?? "", "en", { numeric: true }) || one.tag.localeCompare(other.tag);
}
