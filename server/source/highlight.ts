import type { Family, Language } from "./languages.ts";

/** What a part of source code is. */
export type CodeMark = "comment" | "string" | "number" | "keyword";

/** A part of a line, with its mark if it has one. */
export interface CodeSpan {
  text: string;
  marks: readonly CodeMark[];
}

/**
 * The lines of a source text with its comments, strings, numbers and keywords set off. Approximate: one expression for
 * each family of languages, no parser. The text should begin where no comment or string is open.
 */
export function highlightCode({ tag, family }: Language, text: string): CodeSpan[][] {
  const syntax = syntaxOf[byTag[tag] ?? family];
  const lines: CodeSpan[][] = [[]];
  const add = (part: string, marks: readonly CodeMark[]) => {
    for (const [index, line] of part.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (line !== "") lines.at(-1)?.push({ text: line, marks });
    }
  };
  let end = 0;
  for (const { 0: token, groups = {}, index } of syntax === undefined ? [] : text.matchAll(syntax.tokens)) {
    const mark = markOf(groups, syntax?.keywords);
    if (mark === undefined) continue;
    add(text.slice(end, index), []);
    add(token, [mark]);
    end = index + token.length;
  }
  add(text.slice(end), []);
  return lines;
}

const blockLimit = 50_000;

/** `highlightCode` for a block of an answer. A long one stays plain: it is highlighted again with each token that arrives. */
export function highlightBlock(language: Language, text: string): CodeSpan[][] {
  return text.length > blockLimit
    ? text.split("\n").map((line) => (line === "" ? [] : [{ text: line, marks: [] }]))
    : highlightCode(language, text);
}

function markOf(
  groups: Readonly<Record<string, string | undefined>>,
  keywords: ReadonlySet<string> | undefined,
): CodeMark | undefined {
  if (groups["comment"] !== undefined) return "comment";
  if (groups["string"] !== undefined) return "string";
  if (groups["number"] !== undefined) return "number";
  return keywords?.has(groups["word"] ?? "") === true ? "keyword" : undefined;
}

interface Syntax {
  tokens: RegExp;
  keywords: ReadonlySet<string>;
}

// Each alternative consumes what it begins, so that matching takes linear time. `$` is the end of the text. A word has
// the dot before it: a member is no keyword.
const slashComment = String.raw`\/\/.*|\/\*[^]*?(?:\*\/|$)`;
const hashComment = String.raw`(?<![^\s;])#.*`;
const dashComment = String.raw`--\[\[[^]*?(?:\]\]|$)|--.*`;
const doubleQuoted = String.raw`"(?:[^"\\\n]|\\[^])*"?`;
const singleQuoted = String.raw`'(?:[^'\\\n]|\\[^])*'?`;
/** In Rust a quote also begins a lifetime, in C++ it separates digits. */
const character = String.raw`'(?:[^'\\\n]|\\[^'\n]+|\\')'`;
const backquoted = "`(?:[^`\\\\]|\\\\[^])*`?";
const tripleQuoted = String.raw`"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)`;
/** A slash after an operator; a division follows a value. Bounded, because each of many brackets may begin one. */
const regularExpression = String.raw`(?<=[=(,:[!&|?{;]\s?)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.){0,80}\]){1,200}\/[a-z]*`;

function syntax(comments: readonly string[], strings: readonly string[], keywords: string): Syntax {
  return {
    tokens: new RegExp(
      String.raw`(?<comment>${comments.join("|")})|(?<string>${strings.join("|")})|` +
        String.raw`(?<word>\.?[A-Za-z_$][\w$]*)|(?<number>\d(?:[\w.]*\w)?)`,
      "g",
    ),
    keywords: new Set(keywords.split(" ")),
  };
}

const shared =
  "break case catch class const continue default do else enum false finally for if import in new null return static super switch this throw true try void while";
const classWords = `${shared} abstract async await as base bool boolean byte char companion data def double extends extension extern final fn foreach fun func function get guard implements import int interface internal is lateinit let lock long match message module mutating namespace native object open operator out override package private protected protocol public readonly record ref required sealed self set short string struct suspend throws trait typealias type typeof union use using val var virtual when where with yield`;

const syntaxOf: Partial<Record<Family | "hash" | "style", Syntax>> = {
  script: syntax(
    [slashComment],
    [doubleQuoted, singleQuoted, backquoted, regularExpression],
    `${shared} abstract as async await debugger declare delete export extends from function get implements instanceof interface keyof let namespace of package private protected public readonly satisfies set type typeof undefined var yield`,
  ),
  python: syntax(
    [hashComment],
    [tripleQuoted, doubleQuoted, singleQuoted],
    "False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield",
  ),
  go: syntax(
    [slashComment],
    [doubleQuoted, character, backquoted],
    "any bool break byte case chan const continue default defer else error fallthrough false for func go goto if import int interface iota map nil package range return rune select string struct switch true type var",
  ),
  rust: syntax(
    [slashComment],
    [doubleQuoted, character],
    "as async await break comptime const continue crate defer dyn else enum errdefer error extern false fn for if impl in let loop match mod move mut null orelse pub ref return self Self static struct super switch test trait true try type undefined union unsafe use usize var where while",
  ),
  c: syntax(
    [slashComment],
    [doubleQuoted, character],
    `${shared} NULL auto bool char concept constexpr decltype define delete double elif endif explicit extern final float friend goto ifdef ifndef include inline int long namespace nil noexcept nullptr operator override pragma private protected public register self short signed sizeof struct template typedef typename union unsigned using virtual volatile`,
  ),
  class: syntax([slashComment], [tripleQuoted, doubleQuoted, singleQuoted], classWords),
  ruby: syntax(
    [hashComment],
    [tripleQuoted, doubleQuoted, singleQuoted],
    "BEGIN END alias and begin break case class def defmodule defp do else elsif end ensure false fn for if import in module next nil not or raise redo require rescue retry return self super then true undef unless until use when while yield",
  ),
  shell: syntax(
    [hashComment],
    [doubleQuoted, singleQuoted],
    "break case continue do done elif else esac exit export false fi for function if in local return set shift then true unset until while",
  ),
  lua: syntax(
    [dashComment, hashComment],
    [doubleQuoted, singleQuoted],
    "and begin break const do else elseif end export false for function goto if import in local macro module mutable nil not or repeat return struct then true until using while",
  ),
  sql: syntax(
    [dashComment, String.raw`\/\*[^]*?(?:\*\/|$)`],
    [singleQuoted],
    inBothCases(
      "alter and as asc begin between by case check commit constraint create cross default delete desc distinct drop else end exists foreign from full function group having if in index inner insert into is join key left like limit not null offset on or order outer primary references replace returning right rollback select set table then trigger union unique update values view when where with",
    ),
  ),
  sections: syntax([hashComment, String.raw`(?<![^\n])[ \t]*;.*`], [tripleQuoted, doubleQuoted], "true false"),
  hash: syntax([hashComment], [doubleQuoted, singleQuoted], "true false null"),
  style: syntax([slashComment], [doubleQuoted, singleQuoted], ""),
};

/** Languages whose family is not their syntax. */
const byTag: Readonly<Record<string, "hash" | "style">> = {
  dockerfile: "hash",
  makefile: "hash",
  cmake: "hash",
  yaml: "hash",
  r: "hash",
  json: "style",
  scss: "style",
  less: "style",
  css: "style",
};

function inBothCases(words: string): string {
  return `${words} ${words.toUpperCase()}`;
}
