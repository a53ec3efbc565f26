import type { AskedChange, FindChanges } from "../agent/tools/changes.ts";
import { CitewellError } from "../errors.ts";
import { HistoryRequest } from "../protocol/git-history.ts";
import { pickAdded, pickChanged, pickRemoved, pickRenamed, searchFor, type Sought } from "../source/code-changes.ts";
import { isAside } from "../source/test-path.ts";
import { stem } from "../source/words.ts";
import { readBlame, readIgnored } from "../resources/git/history/read-blame.ts";
import { type LoggedCommit, readLog, undated } from "../resources/git/history/read-log.ts";
import { releaseNamed } from "../resources/git/history/read-releases.ts";
import { sinceDate } from "../resources/git/history/since-date.ts";
import { resolveRevision } from "../resources/git/history/resolve-revision.ts";
import { type Find, type HistoryContext, historyIn, openerOf, searchMs } from "./git-history.ts";
import type { Look, Subject } from "./history-subject.ts";
import { escapeExpression } from "../lib/escape-expression.ts";

/** The likeliest commit, and others that it may be. */
const shown = 3;
const shownInRange = 8;
const diffLines = 24;
/** The changes of so many of the oldest and of the newest commits with a text are compared. */
const compared = 25;
const mentionsRead = 2000;
const filesCompared = 12;
/** How long git may look for a text, in milliseconds: the tool has 20 seconds for all. */
const pickaxeMs = 12_000;

/** Finds the commits that a question about a change means, for the built-in provider. */
export function changesFor({ retrieval, ...context }: HistoryContext): FindChanges {
  const never = new AbortController().signal;
  return (snapshot, asked, { signal = never }) => {
    const { place, text = place === undefined ? asked.words.join(" ") : undefined } = asked;
    // Only a name's definition has lines: other events are found by its text.
    const isRanged = hasRange(asked);
    const byLines = text !== undefined && place === undefined && (isRanged || /^(?:last|reason)$/.test(asked.event));
    const limit = isRanged ? shownInRange : shown;
    const request = HistoryRequest.parse({
      ...(byLines ? { place: text } : { place, text: text === undefined ? undefined : searchFor(text).text }),
      // The lines of a commit are shown around the text; words may be spelled otherwise.
      ...(text !== undefined && /\s/.test(text) && !byLines ? { regex: true } : {}),
      limit,
      diffLines,
    });
    const open = openerOf(snapshot, context, signal);
    const find: Find = (subject, look) => findChanges({ ...asked, text }, subject, look);
    return historyIn(snapshot, request, { open, retrieval, places: context.places, signal, find });
  };
}

async function findChanges(asked: AskedChange, subject: Subject, look: Look & { revision: string }) {
  const isAllowed = await rangeOf(asked, look);
  const ignored = new Set(await readIgnored(look.repository, { ...look, timeMs: searchMs }));
  const cut = await cutCommits(look);
  const isMeant = (id: string) => isAllowed(id) && !ignored.has(id) && !cut.has(id);
  const { text } = asked;
  const byPlace = text === undefined || subject.range !== undefined;
  const found = byPlace
    ? await changesOfPlace(asked, subject, { ...look, isMeant })
    : await changesOfText(asked, subject, { ...look, isMeant });
  const unique = [...new Map(found.map((commit) => [commit.id, commit])).values()];
  const limit = hasRange(asked) ? shownInRange : shown;
  return { commits: unique.slice(0, limit), total: unique.length, isWhole: false };
}

function hasRange({ since, until }: AskedChange): boolean {
  return since !== undefined || until !== undefined;
}

interface Looking extends Look {
  revision: string;
  /** Whether a commit is in the range that is asked about, and no mere reformatting. */
  isMeant: (id: string) => boolean;
}

/** @throws BranchNotFound */
async function rangeOf({ since, until }: AskedChange, look: Look & { revision: string }) {
  if (since === undefined && until === undefined) return () => true;
  const { repository, signal, revision } = look;
  const from = since === undefined ? [] : (sinceDate(since) ?? [`^${await resolveNamed(since, look)}`]);
  const to = until === undefined ? revision : await resolveNamed(until, look);
  const { stdout } = await repository.run(["rev-list", ...from, to], { signal, timeMs: searchMs });
  const ids = new Set(stdout.split("\n"));
  return (id: string) => ids.has(id);
}

/** The oldest commits of a shallow clone, which seem to add all that was there before. */
async function cutCommits({ repository, signal, revision }: Look & { revision: string }): Promise<ReadonlySet<string>> {
  const run = (args: readonly string[]) => repository.run(args, { signal, timeMs: searchMs });
  const { stdout: isShallow } = await run(["rev-parse", "--is-shallow-repository"]);
  if (isShallow.trim() !== "true") return new Set();
  const { stdout } = await run(["rev-list", "--max-parents=0", revision]);
  return new Set(stdout.split("\n"));
}

/** `v2` may be the first release of version 2. @throws BranchNotFound */
async function resolveNamed(written: string, { repository, signal }: Look): Promise<string> {
  const tag = await releaseNamed(repository, written, { timeMs: searchMs, signal });
  return resolveRevision(repository, tag ?? written, { signal });
}

/** Of a file, a folder, or lines. */
async function changesOfPlace({ event, text }: AskedChange, subject: Subject, look: Looking): Promise<LoggedCommit[]> {
  const { repository, revision, signal, isMeant } = look;
  const { range, isFolder } = subject;
  const [path = ""] = subject.paths;
  if (range !== undefined) {
    if (event === "reason" || (event === "last" && text === undefined)) {
      const lines = new Map<string, number>();
      const blame = await readBlame(repository, { revision, path, range, timeMs: searchMs, signal });
      for (const { commit, startLine, endLine } of blame)
        lines.set(commit, (lines.get(commit) ?? 0) + endLine - startLine + 1);
      const ids = [...lines].toSorted(([, one], [, other]) => other - one).map(([id]) => id);
      const commits = await detail(ids.filter(isMeant).slice(0, shownInRange), [path], look);
      const day = ({ date }: LoggedCommit) => (date === undated ? "" : date);
      return event === "last" ? commits.toSorted((one, other) => day(other).localeCompare(day(one))) : commits;
    }
    const args = ["-n", "100", `-L${range.startLine},${range.endLine}:${path}`, revision];
    const { commits } = await readLog(repository, args, { signal, timeMs: searchMs, paths: [path] });
    const meant = commits.filter(({ id }) => isMeant(id));
    return event === "added" ? meant.toReversed() : meant;
  }
  const follow = isFolder ? [] : ["--follow"];
  const steps = await stepsOf([...follow, "-M", "--name-status", revision, "--", ...subject.paths], look);
  const gone = steps.length > 0 || path === "" ? [] : await stepsOf(await lastPathOf(path, look), look);
  const meant = (steps.length > 0 ? steps : gone).filter(({ id }) => isMeant(id));
  const [first, last] = [meant.at(-1), meant[0]];
  const wanted = {
    added: [first],
    removed: meant.filter(({ status }) => status === "D"),
    renamed: meant.filter(({ status }) => status.startsWith("R")),
    changed: meant,
    last: [last],
    reason: [first, last],
    reverted: meant,
  }[event];
  const chosen = wanted.length > 0 ? wanted : [last, first];
  const commits: LoggedCommit[] = [];
  for (const step of chosen.slice(0, shownInRange)) {
    if (step === undefined) continue;
    const [commit] = await detail([step.id], step.paths.length === 0 ? subject.paths : step.paths, look);
    if (commit !== undefined) commits.push(commit);
  }
  return commits;
}

/** A commit of a file's way, with its names then; `R100`, `A`, `D`, `M`. */
interface Step {
  id: string;
  status: string;
  paths: string[];
}

async function stepsOf(args: readonly string[], { repository, signal }: Look): Promise<Step[]> {
  if (args.length === 0) return [];
  const { stdout } = await repository.run(["log", "--format=%x00%H", ...args], { signal, timeMs: searchMs });
  return stdout.split("\0").flatMap((part) => {
    const [id = "", , changed = ""] = part.split("\n");
    const [status = "", ...paths] = changed.split("\t");
    return id === "" ? [] : [{ id, status, paths }];
  });
}

/** Arguments for the history of a path that is gone, of which only the end may be written. */
async function lastPathOf(path: string, { repository, revision, signal }: Looking): Promise<string[]> {
  const args = ["log", "--diff-filter=D", "--no-renames", "--name-only", "--format=", revision];
  const { stdout } = await repository.run(args, { signal, timeMs: searchMs });
  const gone = stdout
    .split("\n")
    .find((line) => line === path || line.endsWith(`/${path}`) || line.includes(`/${path}/`));
  if (gone === undefined) return [];
  return ["-M", "--name-status", revision, "--", gone];
}

/** Commits with what they change in the paths. */
async function detail(
  ids: readonly string[],
  paths: readonly string[],
  { repository, signal }: Look,
  pickaxe: readonly string[] = [],
): Promise<LoggedCommit[]> {
  if (ids.length === 0) return [];
  const args = ["-p", "--unified=0", "--no-walk=unsorted", ...pickaxe, ...ids, "--", ...paths];
  const { commits } = await readLog(repository, args, {
    signal,
    timeMs: searchMs,
    paths: paths.length === 0 ? undefined : paths,
  });
  return commits;
}

/** Of a name, an option, a text, or words. */
async function changesOfText(asked: AskedChange, subject: Subject, look: Looking): Promise<LoggedCommit[]> {
  const { event, text = "", values } = asked;
  const sought = searchFor(text);
  const mentions = mentionsOf(asked, look);
  const touching = await commitsTouching(asked, sought, subject, look);
  const pick = {
    added: pickAdded,
    reason: pickAdded,
    removed: pickRemoved,
    renamed: pickRenamed,
    changed: pickChanged,
    last: pickChanged,
    reverted: pickRemoved,
  }[event];
  const picked = pick(touching, sought, values);
  const mentioned = await mentions;
  // A message that says all of it comes first, if the changes say so, too; of values and names the message says more.
  const isSaid = event === "changed" || event === "renamed";
  const isPicked = ({ id }: LoggedCommit) => isSaid || picked.some((one) => one.id === id);
  const isFirst = ({ commit, score }: Mention) => event === "reverted" || (score >= sayingAll && isPicked(commit));
  const [first, others] = [mentioned.filter(isFirst), mentioned.filter((one) => !isFirst(one))].map((some) =>
    some.map(({ commit }) => commit),
  );
  const found = [...(first ?? []), ...picked.slice(0, 2), ...(others ?? []), ...picked.slice(2)];
  const chosen = [...new Set(found.map(({ id }) => id))].slice(0, shownInRange);
  // Messages were read without changes.
  const bare = found.filter(({ id, files }) => files.length === 0 && !picked.some((one) => one.id === id));
  const filled = await detail(
    bare.map(({ id }) => id).filter((id) => chosen.slice(0, shown).includes(id)),
    subject.paths,
    look,
  );
  return chosen.flatMap((id) => [...picked, ...filled, ...found].find((one) => one.id === id) ?? []);
}

/** The commits that change how often the text occurs, or lines with it, the newest first. */
async function commitsTouching(
  { event }: AskedChange,
  { text, pattern }: Sought,
  { paths }: Subject,
  look: Looking,
): Promise<LoggedCommit[]> {
  const { repository, revision, signal, isMeant } = look;
  const isOfLines = event === "changed" || event === "last";
  const pickaxe =
    pattern === undefined
      ? [isOfLines ? `-G${escapeExpression(text)}` : `-S${text}`]
      : [isOfLines ? `-G${pattern}` : `-S${pattern}`, "--pickaxe-regex", "-i"];
  const now = isOfLines && pattern === undefined ? await filesWith(text, paths, look) : [];
  const within = now.length > 0 && now.length <= filesCompared ? now : paths;
  const chunks: Uint8Array[] = [];
  const onOutput = (chunk: Uint8Array) => void chunks.push(chunk);
  await repository
    .run(["log", "--format=%H", ...pickaxe, revision, "--", ...within], { signal, timeMs: pickaxeMs, onOutput })
    .catch((error: unknown) => {
      signal.throwIfAborted();
      // The newest commits are known by then, and messages answer as well.
      if (!(error instanceof CitewellError) || error.tag !== "RepositoryTimeout") throw error;
    });
  const ids = Buffer.concat(chunks).toString().split("\n");
  const meant = ids.filter((id) => /^[0-9a-f]{40,64}$/.test(id) && isMeant(id));
  const some = meant.length <= 2 * compared ? meant : [...meant.slice(0, compared), ...meant.slice(-compared)];
  return detail(some, within, look, pickaxe);
}

/** The files of the code that have the text now: comparing lines of all files takes long. */
async function filesWith(
  text: string,
  paths: readonly string[],
  { repository, revision, signal }: Looking,
): Promise<string[]> {
  const args = ["grep", "-l", "-I", "-z", "-F", "-e", text, revision, "--", ...paths];
  const { stdout } = await repository.run(args, { signal, timeMs: searchMs });
  return stdout
    .split("\0")
    .map((file) => file.slice(revision.length + 1))
    .filter((file) => file !== "" && !isAside(file));
}

const eventWords: Readonly<Record<AskedChange["event"], RegExp>> = {
  added: /\b(?:add|introduc|implement|support|new|allow|creat|feat)/i,
  reason: /\b(?:add|introduc|implement|support|fix)/i,
  removed: /\b(?:remov|drop|delet|strip|purge|get rid|clean)/i,
  renamed: /\b(?:renam|mov)/i,
  changed: /\b(?:chang|default|updat|switch|bump|increas|decreas|lower|rais|enabl|disabl|mak|fix)/i,
  last: /\b(?:chang|fix|updat)/i,
  reverted: /\b(?:revert|back(?:ed)? out|roll(?:ed)? back|undo)/i,
};

/** The commits whose message has the words of the question, the likeliest first. */
async function mentionsOf(
  { event, text = "", words, values }: AskedChange,
  { repository, revision, signal, isMeant }: Looking,
): Promise<Mention[]> {
  const terms = [
    ...new Set(
      [text, ...words]
        .flatMap((word) => word.split(/[\s.#:()]+/))
        .map(withoutEnding)
        .filter((word) => word.length > 1),
    ),
  ];
  const wanted = event === "changed" || event === "renamed" ? [...terms, ...values.slice(-1)] : terms;
  if (terms.length === 0) return [];
  const greps = [...terms, ...(event === "reverted" ? ["revert"] : [])].map((term) => `--grep=${term}`);
  const read = async (...how: string[]) => {
    const args = ["-s", "-i", "-F", ...how, "-n", String(mentionsRead), ...greps, revision];
    const { commits } = await readLog(repository, args, { signal, timeMs: searchMs, paths: [] });
    return commits.filter(({ id }) => isMeant(id));
  };
  const has = (subject: string, term: string) => new RegExp(`(?<![a-z])${escapeExpression(term)}`, "i").test(subject);
  const all = await read("--all-match");
  const commits = all.length > 0 || terms.length < 3 ? all : await read();
  const subjects = commits.map(({ message }) => message.split("\n")[0] ?? "");
  // A word that few of them have says more.
  const weights = wanted.map((term) => 1 / Math.log(2 + subjects.filter((subject) => has(subject, term)).length));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const scored = commits.map((commit, index) => {
    const subject = subjects[index] ?? "";
    const found = weights.filter((_, at) => has(subject, wanted[at] ?? "")).reduce((sum, weight) => sum + weight, 0);
    const score = found / whole + (eventWords[event].test(subject) ? 0.8 : 0) - (/^Merge\b/.test(subject) ? 0.5 : 0);
    return { commit, score };
  });
  const ordered = event === "added" || event === "reason" ? scored.toReversed() : scored;
  return ordered.toSorted((one, other) => other.score - one.score).slice(0, shown);
}

/** All words of the question, and what happened. */
const sayingAll = 1.79;

interface Mention {
  commit: LoggedCommit;
  score: number;
}

function withoutEnding(word: string): string {
  const bare = word.replace(/^-+/, "");
  const root = stem(bare.toLowerCase());
  return bare.toLowerCase().startsWith(root) && /^[a-z]+$/.test(bare) ? root : bare;
}
