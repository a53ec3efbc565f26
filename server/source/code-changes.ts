import { findDefinitions } from "./definitions.ts";
import { languageOf } from "./languages.ts";
import { isAside } from "./test-path.ts";

/** A commit with its changed lines, each with `-` or `+` before it. */
export interface Changed {
  message: string;
  files: readonly { path: string; hunks: readonly { lines: readonly string[] }[] }[];
}

/** What is looked for in changed lines. */
export interface Sought {
  text: string;
  /** An extended regular expression for all spellings of several words. */
  pattern: string | undefined;
  /** How often a line has it. */
  count(line: string): number;
}

/** A name or an option is a whole word; words of prose may be written together. */
export function searchFor(text: string): Sought {
  const words = text.split(/\s+/);
  const isProse = words.length > 1 && words.every((word) => /^[a-z]+$/i.test(word));
  const pattern = isProse ? words.join("[ _-]?") : undefined;
  const literal = text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const before = /^[\w$]/.test(text) ? "(?<![\\w$])" : "";
  const after = /[\w$]$/.test(text) ? (text.startsWith("-") ? "(?![\\w-])" : "(?![\\w$])") : "";
  const expression = new RegExp(pattern ?? `${before}${literal}${after}`, pattern === undefined ? "g" : "gi");
  return { text, pattern, count: (line) => line.match(expression)?.length ?? 0 };
}

/** How a commit changes the number of occurrences. */
interface Balance<Commit> {
  commit: Commit;
  /** Of lines that define it, of lines of code, and of all lines. */
  defined: number;
  code: number;
  all: number;
}

function balanceOf<Commit extends Changed>(commit: Commit, sought: Sought): Balance<Commit> {
  let [defined, code, all] = [0, 0, 0];
  for (const { path, hunks } of commit.files) {
    const isCode = !isAside(path) && !/^(?:markdown|rst|asciidoc|text|json|yaml)$/.test(languageOf(path).tag);
    for (const line of hunks.flatMap(({ lines }) => lines)) {
      const count = sought.count(line.slice(1)) * (line.startsWith("-") ? -1 : 1);
      if (count === 0) continue;
      all += count;
      if (!isCode) continue;
      code += count;
      if (defines(path, line.slice(1), sought)) defined += Math.sign(count);
    }
  }
  return { commit, defined, code, all };
}

function defines(path: string, line: string, sought: Sought): boolean {
  const definitions = findDefinitions(path, [line]);
  return definitions.some(({ name }) => sought.count(name) > 0);
}

const measures = ["defined", "code", "all"] as const;

/**
 * The commits that brought it, of commits from the newest to the oldest: with the lines that define it, else with code.
 * What was taken out before, as by a revert, counts from its return.
 */
export function pickAdded<Commit extends Changed>(commits: readonly Commit[], sought: Sought): Commit[] {
  const balances = commits.map((commit) => balanceOf(commit, sought)).toReversed();
  const picked = measures.flatMap((measure) => {
    let [total, at] = [0, undefined as Commit | undefined];
    let first: Commit | undefined;
    for (const balance of balances) {
      if (total <= 0 && balance[measure] > 0) {
        at = balance.commit;
        total = 0;
        first ??= at;
      }
      total += balance[measure];
    }
    return [at, first].filter((one) => one !== undefined);
  });
  return [...new Set(picked)];
}

/** The commits that took it out: the last one after which none was left, else those that took out most. */
export function pickRemoved<Commit extends Changed>(commits: readonly Commit[], sought: Sought): Commit[] {
  const balances = commits.map((commit) => balanceOf(commit, sought)).toReversed();
  const picked = measures.flatMap((measure) => {
    let [total, at] = [0, undefined as Commit | undefined];
    for (const balance of balances) {
      total += balance[measure];
      if (balance[measure] < 0 && total <= 0) at = balance.commit;
      total = Math.max(0, total);
    }
    const newest = balances.findLast((balance) => balance[measure] < 0)?.commit;
    return [at, newest].filter((one) => one !== undefined);
  });
  return [...new Set(picked)];
}

/** The commits that replaced it by another name in lines that are the same otherwise. */
export function pickRenamed<Commit extends Changed>(commits: readonly Commit[], sought: Sought): Commit[] {
  const renames = commits.map((commit) => {
    const pairs = pairsOf(commit).filter(
      ({ before, after }) => sought.count(before) > sought.count(after) && likeness(before, after) > 0.5,
    );
    return { commit, pairs: pairs.length };
  });
  const found = renames.filter(({ pairs }) => pairs > 0).toSorted((one, other) => other.pairs - one.pairs);
  return [...new Set([...found.map(({ commit }) => commit), ...pickRemoved(commits, sought)])];
}

/** The commits that changed a line with it, those with the values first, then the newest. */
export function pickChanged<Commit extends Changed>(
  commits: readonly Commit[],
  sought: Sought,
  values: readonly string[] = [],
): Commit[] {
  const [from, to] = values.length === 2 ? values : [undefined, values[0]];
  const has = (line: string, value: string | undefined) => value !== undefined && searchFor(value).count(line) > 0;
  const scored = commits.map((commit) => {
    const pairs = pairsOf(commit, ({ path }) => !isAside(path)).filter(
      ({ before, after }) => sought.count(before) > 0 && sought.count(after) > 0,
    );
    const best = Math.max(
      0,
      ...pairs.map(
        ({ before, after }) =>
          1 + 2 * Number(has(after, to)) + 2 * Number(has(before, from)) + Number(/default/i.test(after)),
      ),
    );
    return { commit, best };
  });
  return scored
    .filter(({ best }) => best > 0)
    .toSorted((one, other) => other.best - one.best)
    .map(({ commit }) => commit);
}

interface Pair {
  before: string;
  after: string;
}

/** Removed lines with the added ones at the same place of their hunk. */
function pairsOf({ files }: Changed, isMeant: (file: { path: string }) => boolean = () => true): Pair[] {
  return files.filter(isMeant).flatMap(({ hunks }) =>
    hunks.flatMap(({ lines }) => {
      const [removed, added] = ["-", "+"].map((sign) =>
        lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1)),
      );
      return (removed ?? []).flatMap((before, index) => {
        const after = added?.[index];
        return after === undefined ? [] : [{ before, after }];
      });
    }),
  );
}

/** The share of words that two lines have in common. */
function likeness(one: string, other: string): number {
  const [words, others] = [new Set(one.match(/\w+|[^\w\s]/g)), new Set(other.match(/\w+|[^\w\s]/g))];
  const common = [...words].filter((word) => others.has(word)).length;
  return common / Math.max(1, words.size, others.size);
}
