import { compareNumbers } from "../../../lib/compare-numbers.ts";
import type { VersionRules } from "../pick-version.ts";

/** A parsed version (https://packaging.python.org/en/latest/specifications/version-specifiers/), as parts to compare. */
interface Version {
  epoch: number;
  release: readonly number[];
  /** Rank of the phase (dev before alpha, beta, candidate, final, post) and its number. */
  parts: readonly number[];
  isPre: boolean;
  local: string | undefined;
}

const pattern =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(a|alpha|b|beta|c|rc|pre|preview)[-_.]?(\d*))?(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z\d]+(?:[-_.][a-z\d]+)*))?$/;

function parse(text: string): Version | undefined {
  const match = pattern.exec(text.trim().toLowerCase());
  if (match === null) return undefined;
  const [, epoch = "0", release = "", pre, preNumber, implicitPost, post, postNumber, dev, devNumber, local] = match;
  const hasPost = implicitPost !== undefined || post !== undefined;
  // `1.0.dev1` is before `1.0a1`, which is before `1.0`.
  const phase = pre === undefined ? (dev !== undefined && !hasPost ? 0 : 4) : ({ a: 1, b: 2 }[pre.charAt(0)] ?? 3);
  return {
    epoch: Number(epoch),
    release: release.split(".").map(Number),
    parts: [
      phase,
      Number(preNumber ?? 0),
      hasPost ? Number(implicitPost ?? postNumber ?? 0) : -1,
      dev === undefined ? Infinity : Number(devNumber ?? 0),
    ],
    isPre: pre !== undefined || dev !== undefined,
    local: local?.replace(/[-_]/g, "."),
  };
}

export function isVersion(text: string): boolean {
  return parse(text) !== undefined;
}

/** Whether it means exactly one version: `4` means the newest of its releases. */
export function isExact(text: string): boolean {
  return isVersion(text) && !/^v?\d+$/.test(text);
}

export function isPrerelease(text: string): boolean {
  return parse(text)?.isPre === true;
}

/** Negative if `a` is the lower version; versions that cannot be read are the lowest. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)];
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  return comparePublic(left, right) || compareLocal(left.local, right.local);
}

/** Whether they are the same version: `1.0` and `1.0.0` are. */
export function isSameVersion(a: string, b: string): boolean {
  return a === b || (isVersion(a) && isVersion(b) && compareVersions(a, b) === 0);
}

function comparePublic(left: Version, right: Version): number {
  return (
    left.epoch - right.epoch || compareNumbers(left.release, right.release) || compareNumbers(left.parts, right.parts)
  );
}

/** A version without a local part is the lowest; numbers are above words. */
function compareLocal(left: string | undefined, right: string | undefined): number {
  const [a, b] = [left?.split(".") ?? [], right?.split(".") ?? []];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [x, y] = [a[at], b[at]];
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(x), /^\d+$/.test(y)];
    if (isNumber !== isOtherNumber) return isNumber ? 1 : -1;
    const order = isNumber ? Number(x) - Number(y) : x < y ? -1 : Number(x > y);
    if (order !== 0) return order;
  }
  return 0;
}

/** Whether a version satisfies all specifiers: `>=2,<3`, `~=1.4`, `==1.*`, and Poetry's `^1.2`, `~1.2` and `1.*`. */
export function satisfies(text: string, specifiers: string): boolean {
  const version = parse(text);
  return (
    version !== undefined && specifiers.split(",").every((it) => it.trim() === "" || isMet(text, version, it.trim()))
  );
}

/** Whether a text is one or more specifiers that `satisfies` can read. */
function isSpecifier(text: string): boolean {
  return text.split(",").every((it) => /^\s*(?:===|~=|[=!<>]=|[<>^~]|(?=\d|\*))\s*v?[\d*][^\s=<>~^]*\s*$/.test(it));
}

function isMet(text: string, version: Version, specifier: string): boolean {
  const [, operator = "", given = ""] = /^(===|~=|[=!<>]=|[<>^~]|)\s*(.*)$/.exec(specifier) ?? [];
  if (operator === "===") return text.toLowerCase() === given.toLowerCase();
  if (given === "*") return true;
  const prefix = /^(.*)\.\*$/.exec(given)?.[1] ?? (operator === "" && /^\d+$/.test(given) ? given : undefined);
  const wanted = parse(prefix ?? given);
  if (wanted === undefined) return false;
  const order = comparePublic(version, wanted);
  const starts = (length: number) =>
    version.epoch === wanted.epoch &&
    wanted.release.slice(0, length).every((part, at) => part === (version.release[at] ?? 0));
  switch (operator) {
    case "~=":
      return order >= 0 && starts(wanted.release.length - 1);
    case "^": {
      const first = wanted.release.findIndex((part) => part > 0);
      return order >= 0 && starts(first === -1 ? wanted.release.length : first + 1);
    }
    case "~":
      return order >= 0 && starts(Math.min(2, wanted.release.length));
    case "!=":
      return prefix === undefined ? order !== 0 : !starts(wanted.release.length);
    case ">=":
      return order >= 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0 && (compareNumbers(version.release, wanted.release) !== 0 || (wanted.parts[2] ?? -1) >= 0);
    case "<":
      // A pre-release of the given version is not before it.
      return order < 0 && (wanted.isPre || !version.isPre || compareNumbers(version.release, wanted.release) !== 0);
    default:
      if (prefix !== undefined) return starts(wanted.release.length);
      return order === 0 && (wanted.local === undefined || compareLocal(version.local, wanted.local) === 0);
  }
}

export const versionRules: VersionRules = {
  compare: (a, b) => compareVersions(b, a),
  isVersion,
  isSame: (version, wanted) => isExact(wanted) && isSameVersion(version, wanted),
  isPrerelease,
  satisfies: (version, wanted) => isSpecifier(wanted) && satisfies(version, wanted),
};
