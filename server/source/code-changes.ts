import { findDefinitions } from "./definitions.ts";
import { languageOf } from "./languages.ts";
import { isAside } from "./test-path.ts";
import { escapeExpression } from "../lib/escape-expression.ts";

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

/**
 * A name is a whole word, and words of prose may be written together. Code that declares an option often has it without its
 * dashes, which is looked for if it has several words.
 */
export function searchFor(text: string): Sought {
  const [, option] = /^--?(\w+(?:-\w+)+)$/.exec(text) ?? [];
  const words = text.split(/\s+/);
  const isProse = words.length > 1 && words.every((word) => /^[a-z]+$/i.test(word));
  const pattern = isProse ? words.join("[ _-]?") : undefined;
  const literal = escapeExpression(option ?? text);
  const before = option !== undefined ? "(?<![\\w$]|\\w-)" : /^[\w$]/.test(text) ? "(?<![\\w$])" : "";
  const after = /[\w$]$/.test(text) ? (text.startsWith("-") ? "(?![\\w-])" : "(?![\\w$])") : "";
  const expression = new RegExp(pattern ?? `${before}${literal}${after}`, pattern === undefined ? "g" : "gi");
  return { text: option ?? text, pattern, count: (line) => line.match(expression)?.length ?? 0 };
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

/** A name that looks like code means the same everywhere; another word is what it names only where it is defined. */
function measuresOf({ text }: Sought) {
  const isTelling = /[_$.#:-]|\p{Ll}\p{Lu}|\d/u.test(text);
  return isTelling ? (["code", "defined", "all"] as const) : measures;
}

const takesOut = /\b(?:revert|remov|drop|delet|back(?:ed)? out|undo|roll(?:ed)? back)/i;

/**
 * The commits that brought it, of commits from the newest to the oldest: with the lines that define it, else with code.
 * What a revert or a removal took out counts from its return; what was gone for a while otherwise was rewritten.
 */
export function pickAdded<Commit extends Changed>(commits: readonly Commit[], sought: Sought): Commit[] {
  const balances = commits.map((commit) => balanceOf(commit, sought)).toReversed();
  const picked = measuresOf(sought).flatMap((measure) => {
    let [total, at] = [0, undefined as Commit | undefined];
    let isOut = true;
    let first: Commit | undefined;
    for (const balance of balances) {
      if (total <= 0 && balance[measure] > 0) {
        if (isOut) at = balance.commit;
        total = 0;
        first ??= balance.commit;
      }
      total += balance[measure];
      isOut = total <= 0 && balance[measure] < 0 && takesOut.test(balance.commit.message);
    }
    return [at, first].filter((one) => one !== undefined);
  });
  return [...new Set(picked)];
}

/** The commits that took it out last: lines that define it, code, and other lines; of commits from the newest to the oldest. */
export function pickRemoved<Commit extends Changed>(commits: readonly Commit[], sought: Sought): Commit[] {
  const balances = commits.map((commit) => balanceOf(commit, sought));
  const picked = measures.flatMap((measure) => balances.find((balance) => balance[measure] < 0)?.commit ?? []);
  return [...new Set(picked)];
}

/**
 * The commits that replaced it by another name in lines that are the same otherwise: those that define it and those with
 * the new name first, then those with most lines.
 */
export function pickRenamed<Commit extends Changed>(
  commits: readonly Commit[],
  sought: Sought,
  values: readonly string[] = [],
): Commit[] {
  const [newName] = values.slice(-1).map(searchFor);
  const renames = commits.flatMap((commit) => {
    const pairs = pairsOf(commit).filter(
      ({ before, after }) => sought.count(before) > sought.count(after) && likeness(before, after) > 0.5,
    );
    const isOfDefinition = pairs.some(({ path, before }) => defines(path, before, sought));
    const hasNewName = pairs.some(({ after }) => newName !== undefined && newName.count(after) > 0);
    const score = Number(isOfDefinition) + 2 * Number(hasNewName) + Math.min(0.5, pairs.length / 100);
    return pairs.length === 0 ? [] : [{ commit, score }];
  });
  const found = renames.toSorted((one, other) => other.score - one.score);
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
  path: string;
  before: string;
  after: string;
}

/** Removed lines with the added ones at the same place of their hunk. */
function pairsOf({ files }: Changed, isMeant: (file: { path: string }) => boolean = () => true): Pair[] {
  return files.filter(isMeant).flatMap(({ path, hunks }) =>
    hunks.flatMap(({ lines }) => {
      const [removed, added] = ["-", "+"].map((sign) =>
        lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1)),
      );
      return (removed ?? []).flatMap((before, index) => {
        const after = added?.[index];
        return after === undefined ? [] : [{ path, before, after }];
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
