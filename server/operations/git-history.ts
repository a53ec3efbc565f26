import type { FindHistory } from "../agent/tools/history.ts";
import { CitewellError } from "../errors.ts";
import { createDisposalStack } from "../lib/disposal-stack.ts";
import type { HistoryCommit, HistoryReply, HistoryRequest } from "../protocol/git-history.ts";
import { isInRepository } from "../resources/ignore-rules.ts";
import type { HistoryRepository } from "../resources/git/history/history-repository.ts";
import { readBlame } from "../resources/git/history/read-blame.ts";
import { type Log, type LoggedCommit, readLog } from "../resources/git/history/read-log.ts";
import { firstRelease } from "../resources/git/history/read-releases.ts";
import { sinceDate } from "../resources/git/history/since-date.ts";
import { resolveRevision } from "../resources/git/history/resolve-revision.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { Retrieval } from "../retrieval/retrieval.ts";
import type { Call, Context } from "./context.ts";
import { impliedResource, type OnDiskContext, openOnDisk, readContext, targetOf } from "./on-disk.ts";
import { findPlace, type Look, refuseUnknown, requireSubject, type Subject, subjectOf } from "./history-subject.ts";
import { hasReleases, packageReleases } from "./package-releases.ts";
import { formatsOnly, showCommit } from "./shown-commit.ts";
import { nameOf, type Places, type Target } from "./targets.ts";

/** How long git may look for commits, and for the releases of a commit, in milliseconds. */
export const searchMs = 30_000;
const releaseMs = 5000;
/** The number of commits that are read, so that a reply can also name the first one. */
const scanned = 200;
/** The number of commits whose first release is looked up. */
const releasesLooked = 10;

/**
 * The commits before the snapshot of a resource, or the releases of a package: commits that touched a place, added or removed a text, or one commit; or which
 * commit last changed each line. Asks no model. Fetches the history of a repository when it is first asked for.
 * @throws InvalidRequest (nothing or too much is asked for, lines that are none, a resource without commits),
 * FileNotFound (the place is no path and no definition, or is not committed), BranchNotFound (no such commit),
 * RepositoryNotFound (the folder is in no repository), and what opening and fetching throw
 */
export async function history(
  request: HistoryRequest,
  { node: { retrieval }, tenant }: Context,
  { signal }: Call,
): Promise<HistoryReply> {
  const context = await readContext(tenant);
  const { resource = impliedResource(context.known) } = request;
  await using snapshot = await openOnDisk({ resource }, context, { signal });
  if (hasReleases(snapshot)) {
    await using opened = createDisposalStack();
    const target = targetOf(resource, context);
    const open = async (version: Target) => opened.use(await tenant.resources.open(version, { signal }));
    return await packageReleases(snapshot, request, { resources: tenant.resources, target, open, signal });
  }
  const { revision } = snapshot;
  const waitMs = context.patience.namedMs;
  const open: OpenHistory = async (below) =>
    tenant.resources.openHistory(targetOf(resource, context), { revision, below, signal, waitMs });
  return await historyIn(snapshot, request, { open, retrieval, places: context.places, signal });
}

/**
 * For the tool of the model: undefined where no snapshot can have commits, and the question is not for releases. What it
 * opens is asked as well, so that it can be cited.
 */
export function historyFor(
  snapshots: Snapshot[],
  { retrieval, ...context }: HistoryContext,
  { isOfReleases, own }: { isOfReleases: boolean; own: (snapshot: Snapshot) => void },
): FindHistory | undefined {
  const hasHistory = ({ info: { type, directory } }: Snapshot) =>
    type === "git" || (type === "local" && directory !== undefined && isInRepository(directory));
  if (!isOfReleases && !snapshots.some(hasHistory)) return undefined;
  const never = new AbortController().signal;
  return (snapshot, request, { signal = never }) => {
    if (hasReleases(snapshot)) {
      const open = async (version: Target) => {
        const known = snapshots.find((one) => one.resource === nameOf(version));
        if (known !== undefined) return known;
        const opened = await context.resources.open(version, { signal });
        own(opened);
        snapshots.push(opened);
        return opened;
      };
      const target = targetOf(snapshot.resource, context);
      return packageReleases(snapshot, request, { resources: context.resources, target, open, signal });
    }
    const open = openerOf(snapshot, context, signal);
    return historyIn(snapshot, request, { open, retrieval, places: context.places, signal });
  };
}

/** What finding the history of snapshots of a question needs. */
export type HistoryContext = OnDiskContext & Pick<HistoryServices, "retrieval">;

export function openerOf({ resource, revision }: Snapshot, context: OnDiskContext, signal: AbortSignal): OpenHistory {
  const { resources, patience } = context;
  const options = { revision, signal, waitMs: patience.namedMs };
  return async (below) => resources.openHistory(targetOf(resource, context), { ...options, below });
}

type OpenHistory = (below: string | undefined) => Promise<HistoryRepository | undefined>;

/** What finding the history of an open snapshot needs. */
export interface HistoryServices {
  open: OpenHistory;
  retrieval: Pick<Retrieval, "definitions">;
  places: Places;
  signal: AbortSignal;
  /** Finds the commits in another way; there may be none. */
  find?: Find;
}

/** Finds commits of a subject, in the order in which they are shown. */
export type Find = (subject: Subject, look: Look & { revision: string }) => Promise<Found>;

/** The same in a snapshot that is open. */
export async function historyIn(
  snapshot: Snapshot,
  request: HistoryRequest,
  services: HistoryServices,
): Promise<HistoryReply> {
  requireSubject(request);
  const { signal } = services;
  const place = await findPlace(snapshot, request, services);
  await using repository = await services.open(place?.path);
  if (repository === undefined) throw withoutHistory(snapshot);
  const look: Look = { repository, signal };
  const revision =
    request.revision === undefined
      ? repository.revision
      : await resolveRevision(repository, request.revision, { signal });
  const notes = [...repository.notes];
  const subject = await subjectOf(place, { snapshot, request, revision, notes, ...look });
  const found =
    services.find !== undefined
      ? await services.find(subject, { revision, ...look })
      : request.blame === true
        ? await findBlame(subject, { request, revision, ...look })
        : await findCommits(subject, { request, revision, ...look });
  if (found.commits.length === 0 && place !== undefined && services.find === undefined)
    refuseUnknown(place, request, snapshot);
  const isOfLines = subject.range !== undefined;
  const commits = found.commits.map((commit) => ({
    ...showCommit(commit, request, repository),
    ...(formatsOnly(commit, { isOfLines }) ? { onlyFormats: true as const } : {}),
  }));
  const isCut = found.cut !== undefined || repository.notes.length > 0 || request.since !== undefined;
  const first = found.isWhole && !isCut && request.commit === undefined ? found.oldest : undefined;
  const shown = commits.map((commit) => (commit.id === first ? { ...commit, isFirst: true as const } : commit));
  const released = await withReleases(shown, look);
  if (released.isCut) notes.push("the first release was not found in time for each commit");
  if (found.cut !== undefined) notes.push(found.cut);
  if (commits.length === 0 && services.find === undefined) notes.push(nothingFound(subject, request));
  notes.push(...futureDates(commits));
  return {
    resource: snapshot.resource,
    revision,
    of: subject.of,
    ...(subject.path === undefined ? {} : { path: subject.path }),
    ...(subject.range === undefined ? {} : subject.range),
    commits: released.commits,
    ...(found.blame === undefined ? {} : { blame: found.blame }),
    total: found.total,
    ...(found.isWhole ? {} : { hasMore: true as const }),
    notes,
  };
}

function withoutHistory({ resource, info }: Snapshot): CitewellError {
  if (info.type === "git") {
    return new CitewellError(
      "InvalidRequest",
      `${resource} is a part of its repository, and commits are of the whole`,
      {
        hint: "ask about the repository without a search path, if it is a resource too",
      },
    );
  }
  return new CitewellError("InvalidRequest", `${resource} is no repository: packages have no commits`, {
    hint: "name its repository by its https git URL, or a folder",
  });
}

export interface Found {
  commits: LoggedCommit[];
  total: number;
  /** Whether the search came to its end. */
  isWhole: boolean;
  /** The id of the oldest commit. */
  oldest?: string | undefined;
  cut?: string | undefined;
  blame?: HistoryReply["blame"];
}

async function findCommits(
  subject: Subject,
  { request, revision, repository, signal }: Look & { request: HistoryRequest; revision: string },
): Promise<Found> {
  const { text, regex, commit, since, limit } = request;
  const { paths, range, isFolder } = subject;
  const changes = ["-p", "--unified=0"];
  const read = (args: readonly string[]): Promise<Log> =>
    readLog(repository, args, {
      signal,
      timeMs: searchMs,
      paths: paths.length === 0 && text !== undefined ? undefined : paths,
    });
  if (commit !== undefined) {
    const id = await resolveRevision(repository, commit, { signal });
    const { commits, cut } = await read([...changes, "-m", "--first-parent", "--no-walk", id]);
    if (commits.length === 0) {
      throw new CitewellError("BranchNotFound", `commit ${commit} changes nothing in this part of its repository`);
    }
    return { commits, total: commits.length, isWhole: true, cut };
  }
  const from = await fromSince(since, revision, { repository, signal });
  const pickaxe = text === undefined ? [] : [regex === true ? `-G${text}` : `-S${text}`];
  const isBroad = isFolder && text === undefined;
  const most = isBroad ? limit : scanned;
  const counted = ["-n", String(most + 1)];
  const [path = ""] = paths;
  const args =
    range !== undefined
      ? [...counted, `-L${range.startLine},${range.endLine}:${path}`, ...from]
      : [
          ...counted,
          ...changes,
          ...pickaxe,
          ...(isFolder || text !== undefined ? [] : ["--follow"]),
          ...from,
          "--",
          ...paths,
        ];
  const { commits, cut } = await read(args);
  const isWhole = commits.length <= most && cut === undefined;
  const kept = commits.slice(0, most);
  const oldest = kept.at(-1);
  // The first commit says since when; it is always shown.
  const shown =
    kept.length <= limit || oldest === undefined || !isWhole || limit === 1
      ? kept.slice(0, limit)
      : [...kept.slice(0, limit - 1), oldest];
  return { commits: shown, total: kept.length, isWhole, oldest: oldest?.id, cut };
}

/** `2024-01-31`, or a commit or tag, as arguments of `git log`. */
async function fromSince(since: string | undefined, revision: string, { repository, signal }: Look): Promise<string[]> {
  if (since === undefined) return [revision];
  const date = sinceDate(since);
  if (date !== undefined) return [...date, revision];
  return [`${await resolveRevision(repository, since, { signal })}..${revision}`];
}

async function findBlame(
  { paths: [path], range, of }: Subject,
  { request, revision, repository, signal }: Look & { request: HistoryRequest; revision: string },
): Promise<Found> {
  if (path === undefined) throw new CitewellError("InvalidRequest", "blame is of a file", { hint: "give its path" });
  const groups = await readBlame(repository, { revision, path, range, timeMs: searchMs, signal });
  const lineCounts = new Map<string, number>();
  for (const { commit, startLine, endLine } of groups) {
    lineCounts.set(commit, (lineCounts.get(commit) ?? 0) + endLine - startLine + 1);
  }
  const ids = [...lineCounts].toSorted(([, one], [, other]) => other - one).map(([id]) => id);
  const asked = ids.slice(0, request.limit);
  if (asked.length === 0) return { commits: [], total: 0, isWhole: true, cut: `${of} is empty` };
  const { commits, cut } = await readLog(repository, ["-s", "--no-walk", ...asked], {
    signal,
    timeMs: searchMs,
    paths: [path],
  });
  const shortIds = new Map(commits.map(({ id, shortId }) => [id, shortId]));
  const blame = groups.flatMap(({ commit, ...lines }) => {
    const shortId = shortIds.get(commit);
    return shortId === undefined ? [] : [{ ...lines, shortId }];
  });
  return { commits, total: ids.length, isWhole: true, cut, blame };
}

/** The first releases, for as many as there is time. */
async function withReleases(
  commits: readonly HistoryCommit[],
  { repository, signal }: Look,
): Promise<{ commits: HistoryCommit[]; isCut: boolean }> {
  let isCut = false;
  const completed: HistoryCommit[] = [];
  for (const [index, commit] of commits.entries()) {
    const isLooked = !isCut && (index < releasesLooked || commit.isFirst === true);
    const release = isLooked
      ? await firstRelease(repository, commit.id, { timeMs: releaseMs, signal }).catch((error: unknown) => {
          signal.throwIfAborted();
          if (!(error instanceof CitewellError)) throw error;
          isCut = true;
          return undefined;
        })
      : undefined;
    completed.push(release === undefined ? commit : { ...commit, release });
  }
  return { commits: completed, isCut };
}

function nothingFound({ of }: Subject, { text, since }: HistoryRequest): string {
  const after = since === undefined ? "" : ` since ${since}`;
  return text === undefined ? `no commit touches ${of}${after}` : `no commit adds or removes ${of}${after}`;
}

function futureDates(commits: readonly HistoryCommit[]): string[] {
  const tomorrow = Date.now() + dayMs;
  // Years may have more than four digits, which `Date` does not read.
  const isFuture = (date: string) => /^\d{5}/.test(date) || Date.parse(date) > tomorrow;
  return commits
    .filter(({ date }) => isFuture(date))
    .map(({ shortId, date }) => `${shortId} is dated ${date}, in the future: the clock of its author was wrong`);
}

const dayMs = 24 * 3600 * 1000;
