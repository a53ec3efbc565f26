import type { FollowFilters, FollowPlan, LeftOut } from "../../protocol/followed-accounts.ts";
import { GitResource } from "../../protocol/kinds/git-fields.ts";
import { normalizeGitUrl } from "../../protocol/kinds/git-url.ts";
import { limits, ResourceName } from "../../protocol/resource-fields.ts";
import type { ListedRepository } from "../git-hosts/git-host.ts";

/** A resource that came from the account. */
export interface FollowedResource {
  name: string;
  hostId: string;
  url: string;
  branch: string;
}

/** What a plan is made of. */
export interface PlanInput {
  host: string;
  account: string;
  filters: FollowFilters;
  /** The complete list of the host. */
  listed: readonly ListedRepository[];
  /** The resources that came from the account before. */
  followed: readonly FollowedResource[];
  /** The other resources of the project; of a package without a URL. They are never touched. */
  others: readonly { name: string; url: string | null; branch: string | null }[];
  /** How many resources the project may have; null: any number. */
  limit: number | null;
}

/** What a run does, and the repository behind each new resource. */
export interface Plan extends FollowPlan {
  specs: ReadonlyMap<string, { spec: GitResource; hostId: string }>;
  moves: ReadonlyMap<string, { url: string; branch: string }>;
}

/**
 * More missing resources than both at once are not removed without a person: a token that lost a right, or a host that
 * lists too little without an error, looks the same as a deletion. Nor is the last one.
 */
const removedAtOnce = 5;
const removedShare = 0.2;

/** What follows from a complete list. Names are given once: a resource keeps its own, whatever its repository is called. */
export function planFollowing(input: PlanInput): Plan {
  const { host, account, filters, listed, followed, others, limit } = input;
  const repositories = new Map(listed.map((repository) => [repository.id, repository]));
  const reasonAgainst = reasonsOf({ host, account, filters });

  const missing = followed.filter(({ hostId }) => !repositories.has(hostId));
  const isTooMany =
    missing.length === followed.length || missing.length > Math.max(removedAtOnce, followed.length * removedShare);
  const gone = missing.map(({ name }) => ({ name, reason: "the host does not list it any more" }));
  const held = isTooMany ? gone : [];
  const removed = isTooMany ? [] : gone;

  const leftOut: LeftOut[] = [];
  const moves = new Map<string, { url: string; branch: string }>();
  const moved: FollowPlan["moved"] = [];
  for (const { name, hostId, url, branch } of followed) {
    const repository = repositories.get(hostId);
    if (repository === undefined) continue;
    const reason = reasonAgainst(repository);
    const spec = reason === undefined ? specOf(repository, name) : undefined;
    if (spec === undefined) removed.push({ name, reason: reason ?? unreadable });
    else if (spec.url !== url || spec.branch !== branch) {
      moves.set(name, { url: spec.url, branch: spec.branch });
      moved.push({ name, from: describe({ url, branch }), to: describe(spec) });
    }
  }

  const known = new Set(followed.map(({ hostId }) => hostId));
  const goneNames = new Set(removed.map(({ name }) => name));
  const taken = new Set([...followed, ...others].map(({ name }) => name).filter((name) => !goneNames.has(name)));
  const specs = new Map<string, { spec: GitResource; hostId: string }>();
  const byName = listed.toSorted((a, b) => (a.fullName < b.fullName ? -1 : 1));
  for (const repository of byName.filter(({ id }) => !known.has(id))) {
    const leave = (reason: string) => leftOut.push({ repository: repository.fullName, reason });
    const reason = reasonAgainst(repository);
    if (reason !== undefined) leave(reason);
    else if (limit !== null && taken.size >= limit) leave(`the project's limit of ${limit} resources is reached`);
    else {
      const name = freeName(repository, { account, taken });
      const spec = specOf(repository, name);
      const same = others.find(({ url, branch }) => isSame(url, spec?.url) && branch === spec?.branch);
      if (spec === undefined) leave(unreadable);
      else if (same !== undefined) leave(`it was added by hand, as ${same.name}`);
      else {
        taken.add(name);
        specs.set(name, { spec, hostId: repository.id });
      }
    }
  }
  const added = [...specs.values()].map(({ spec: { name, url, branch } }) => ({ name, url, branch }));
  return { listed: listed.length, added, removed, moved, leftOut, held, specs, moves };
}

const unreadable = "its address or its branch is none that this service reads";

/** Why a repository is not followed; undefined if it is. */
function reasonsOf({
  host,
  account,
  filters,
}: Pick<PlanInput, "host" | "account" | "filters">): (repository: ListedRepository) => string | undefined {
  const { include, exclude, includesArchived, includesForks, maxMb } = filters;
  const included = include.map(compile);
  const excluded = exclude.map(compile);
  return (repository) => {
    const path = pathBelow(account, repository.fullName);
    if (!URL.canParse(repository.cloneUrl) || new URL(repository.cloneUrl).host !== host) {
      return `its address is at another host: ${repository.cloneUrl.slice(0, 200)}`;
    }
    if (included.length > 0 && !included.some((matches) => matches(path))) return "no pattern includes it";
    const pattern = exclude.find((_, index) => excluded[index]?.(path));
    if (pattern !== undefined) return `the pattern ${pattern} excludes it`;
    if (repository.isArchived && !includesArchived) return "it is archived";
    if (repository.isFork && !includesForks) return "it is a fork";
    if (repository.isEmpty) return "it is empty";
    const { sizeBytes } = repository;
    if (maxMb !== null && sizeBytes !== null && sizeBytes > maxMb * 1e6) {
      return `it has ${Math.ceil(sizeBytes / 1e6)} MB, more than ${maxMb}`;
    }
    return undefined;
  };
}

/** Upper and lower case are the same, as on the hosts. */
function compile(pattern: string): (path: string) => boolean {
  const source = pattern
    .replaceAll(/[.~-]/g, "\\$&")
    .replaceAll(/\*\*\/?|\*/g, (stars) => (stars === "*" ? "[^/]*" : stars === "**" ? ".*" : "(?:.*/)?"));
  const expression = new RegExp(`^${source}$`, "i");
  return (path) => expression.test(pattern.includes("/") ? path : (path.split("/").at(-1) ?? ""));
}

/** `team/lib` of `acme/team/lib`. */
function pathBelow(account: string, fullName: string): string {
  const start = `${account}/`;
  return fullName.toLowerCase().startsWith(start.toLowerCase()) ? fullName.slice(start.length) : fullName;
}

/** The path below the account; where that is taken, with the account, then with a number. */
function freeName(
  { fullName, id }: ListedRepository,
  { account, taken }: { account: string; taken: ReadonlySet<string> },
): string {
  const short = toName(pathBelow(account, fullName));
  const whole = toName(fullName);
  const candidates = [short, whole].filter((name) => name !== "" && !taken.has(name));
  if (candidates[0] !== undefined) return candidates[0];
  const base = (whole === "" ? `repository-${toName(id)}` : whole).slice(0, limits.nameLength - 6);
  for (let number = 2; ; number++) {
    const name = `${base}-${number}`;
    if (!taken.has(name)) return name;
  }
}

/** The characters of a path that a name can have. Of a long path the end is kept: it is more specific. */
function toName(path: string): string {
  const segments = path.split("/").map((segment) =>
    segment
      .replaceAll(/[^\w.-]+/g, "-")
      .replaceAll(/\.{2,}/g, ".")
      .replace(/^[^a-zA-Z0-9]+/, ""),
  );
  const kept = segments.filter((segment) => segment !== "");
  while (kept.length > 1 && kept.join("/").length > limits.nameLength) kept.shift();
  const name = kept.join("/").slice(0, limits.nameLength);
  return ResourceName.safeParse(name).success ? name : "";
}

function specOf({ cloneUrl, defaultBranch }: ListedRepository, name: string): GitResource | undefined {
  const { success, data } = GitResource.safeParse({
    type: "git",
    name,
    url: cloneUrl,
    ...(defaultBranch === null ? {} : { branch: defaultBranch }),
  });
  return success ? { ...data, url: normalizeGitUrl(data.url).url } : undefined;
}

/** People add a repository with and without `.git`. */
function isSame(url: string | null, other: string | undefined): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/\.git$/, "");
  return url !== null && other !== undefined && plain(url) === plain(other);
}

function describe({ url, branch }: { url: string; branch: string }): string {
  return `${url}#${branch}`;
}
