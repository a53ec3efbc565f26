import { describe, expect, test } from "vitest";
import { readQuestion } from "../../../../server/providers/builtin/question.ts";
import { historyAsked } from "../../../../server/providers/builtin/history-question.ts";

function read(question: string, names: string[] = []): string | undefined {
  const found = historyAsked(question, { names, own: ["shop"] });
  if (found === undefined) return undefined;
  const { event, place, text, words, values, since, until } = found;
  const parts = { place, text, words: words.join(" "), values: values.join(">"), since, until };
  const told = Object.entries(parts).flatMap(([key, value]) => (value ? [`${key}=${value}`] : []));
  return [event, ...told].join(" ");
}

describe("questions about history", () => {
  test.each([
    ["when was parseUrl added?", "added text=parseUrl"],
    ["When was the `--foo-bar` option introduced?", "added text=--foo-bar"],
    ["when was --foo added?", "added text=--foo"],
    ["Since when does shop have `retry after`?", "added text=retry after"],
    ["since when is there a retry function", "added text=retry"],
    ["why was `retry` removed?", "removed text=retry"],
    ["why does parseUrl do it this way?", "reason text=parseUrl"],
    ["why is src/a.ts:10-20 written like this?", "reason place=src/a.ts:10-20"],
    ["why src/a.ts:10-20?", "reason place=src/a.ts:10-20"],
    ["who changed src/a.ts last?", "last place=src/a.ts"],
    ["who last touched parse_url?", "last text=parse_url"],
    ["who added parseUrl to src/a.ts?", "added place=src/a.ts text=parseUrl"],
    ["which commit removed lib/old.js?", "removed place=lib/old.js"],
    ["which release has parseUrl first?", "added text=parseUrl"],
    ["what is the first release with parseUrl?", "added text=parseUrl"],
    ["since which version does parseUrl exist?", "added text=parseUrl"],
    ["in which version was `app.del` removed?", "removed text=app.del"],
    ["which version removed app.del?", "removed text=app.del"],
    ["when was safeParse renamed to tryParse?", "renamed text=safeParse values=tryParse"],
    ["what changed in src/router since v2?", "changed place=src/router since=v2"],
    ["what changed in parseUrl between v1.0 and v2.1?", "changed text=parseUrl since=v1.0 until=v2.1"],
    ["what changed in the release workflow since v2?", "changed words=release workflow since=v2"],
    ["what has changed since 1.2.0?", "changed place=. since=1.2.0"],
    ["when did the default of `timeout` change from 5 to 10?", "changed text=timeout values=5>10"],
    ["who reverted the async router?", "reverted words=async router"],
    ["when was support for brotli compression added?", "added words=brotli compression"],
    ["who last changed the way releases are sorted?", "last words=releases sorted"],
    ["when was the connection pool dropped?", "removed words=connection pool"],
  ])("%s", (question, expected) => {
    expect(read(question)).toBe(expected);
  });

  test("a follow-up is about the names of the turns before", () => {
    expect(read("and when was it added?", ["parseUrl"])).toBe("added text=parseUrl");
    expect(read("when was it added?")).toBeUndefined();
  });

  test.each([
    "when is the listener removed?",
    "when does the cache get cleared?",
    "why is the retry delayed?",
    "why does it fail when a file was removed?",
    "who calls parseUrl?",
    "who creates a UrlParser?",
    "who removes the listener?",
    "which version of ms is installed?",
    "what changes the state?",
    "how does the router work?",
    "where is parseUrl defined?",
    "what happens when a file is changed?",
    "which release notes are there?",
    "what version is this?",
    "what changed in the last release",
    "what is new in the latest version?",
  ])("%s is about the code", (question) => {
    expect(read(question)).toBeUndefined();
  });
});

test("what changed in a part is a question about history, though a changelog says what is new", () => {
  const question = "what changed in the router since v2?";
  expect(readQuestion({ question, earlier: [], resources: ["shop"], results: [] }).history?.since).toBe("v2");
});
