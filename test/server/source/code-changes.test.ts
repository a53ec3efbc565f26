import { describe, expect, test } from "vitest";
import {
  type Changed,
  pickAdded,
  pickChanged,
  pickRemoved,
  pickRenamed,
  searchFor,
} from "../../../server/source/code-changes.ts";

/** A commit from `path: line` rows, each line with its sign. */
function commit(message: string, ...rows: string[]): Changed {
  return {
    message,
    files: rows.map((row) => {
      const [path = "", lines = ""] = row.split(/: (?=[-+])/);
      return { path, hunks: [{ lines: lines.split("\n") }] };
    }),
  };
}

function subjects(picked: readonly Changed[]): string[] {
  return picked.map(({ message }) => message);
}

describe("occurrences", () => {
  test.each([
    ["parse", "parse(parser, parse)", 2],
    ["--fast-lane", 'flag("fast-lane") || "--fast-lane" || "x-fast-lane" || "fast-lanes"', 2],
    ["--fast", '"--fast" || "fast"', 1],
    ["connection pool", "ConnectionPool connection_pool connection-pool", 3],
    ["$strip", "$strip $strips", 1],
  ])("of %s in %s", (text, line, count) => {
    expect(searchFor(text).count(line)).toBe(count);
  });
});

describe("the commit that added a name", () => {
  const add = commit("Add", "a.ts: +function parseUrl() {");
  const use = commit("Use", "b.ts: +parseUrl();");

  test("is the oldest, not the one that uses, moves or documents it", () => {
    const move = commit("Move", "a.ts: -function parseUrl() {", "c.ts: +function parseUrl() {");
    const plan = commit("Plan", "README.md: +`parseUrl` will come");
    expect(subjects(pickAdded([move, use, add, plan], searchFor("parseUrl")))).toEqual(["Add", "Plan"]);
  });

  test("is the last one after a revert", () => {
    const revert = commit('Revert "Add"', "a.ts: -function parseUrl() {");
    const again = commit("Add again", "a.ts: +function parseUrl() {");
    expect(subjects(pickAdded([again, revert, add], searchFor("parseUrl")))).toEqual(["Add again", "Add"]);
  });

  test("is the first one if it was only gone between two steps of a rewrite", () => {
    const out = commit("Replace the parser", "a.ts: -function parseUrl() {");
    const back = commit("Rewrite it", "b.ts: +function parseUrl() {");
    expect(subjects(pickAdded([back, out, add], searchFor("parseUrl")))[0]).toBe("Add");
  });

  test("a plain word is added where it is defined; a name that looks like code where code has it first", () => {
    const say = (name: string) => commit("Say", `b.ts: +log(${name});`);
    const define = (name: string) => commit("Define", `a.ts: +function ${name}() {`);
    expect(subjects(pickAdded([define("retry"), say("retry")], searchFor("retry")))[0]).toBe("Define");
    expect(subjects(pickAdded([define("retryAll"), say("retryAll")], searchFor("retryAll")))[0]).toBe("Say");
  });

  test("tests and other projects' code do not count", () => {
    const tried = commit("Try", "test/a.ts: +parseUrl();");
    expect(subjects(pickAdded([use, tried], searchFor("parseUrl")))[0]).toBe("Use");
  });
});

describe("the commit that removed a name", () => {
  const add = commit("Add", "a.ts: +function parseUrl() {\n+  parseUrl();");

  test("is the last that took out its definition, though words on it are left", () => {
    const note = commit("Note", "b.ts: +// as parseUrl did");
    const out = commit("Out", "a.ts: -function parseUrl() {\n-  parseUrl();");
    const clean = commit("Clean", "b.ts: -// as parseUrl did");
    expect(subjects(pickRemoved([clean, out, note, add], searchFor("parseUrl")))).toEqual(["Out", "Clean"]);
  });

  test("is the newest that took out some if it is still there", () => {
    const less = commit("Less", "a.ts: -  parseUrl();");
    expect(subjects(pickRemoved([less, add], searchFor("parseUrl")))).toEqual(["Less"]);
  });
});

describe("the commit that renamed something", () => {
  const uses = commit("Uses", "b.ts: -parseUrl(a, b);\n+readUrl(a, b);", "c.ts: -parseUrl(a, b);\n+readUrl(a, b);");
  const definition = commit("Definition", "a.ts: -function parseUrl(a, b) {\n+function readUrl(a, b) {");
  const other = commit("Other", "a.ts: -function parseUrl(a, b) {\n+function viewUrl(a, b) {");
  const gone = commit("Gone", "a.ts: -function parseUrl(a, b) {\n+export const x = 1;");

  test("changes lines with it to lines that are the same otherwise, its definition first", () => {
    expect(subjects(pickRenamed([gone, uses, definition], searchFor("parseUrl"))).slice(0, 2)).toEqual([
      "Definition",
      "Uses",
    ]);
  });

  test("has the new name", () => {
    expect(subjects(pickRenamed([other, definition], searchFor("parseUrl"), ["readUrl"]))[0]).toBe("Definition");
  });
});

describe("the commit that changed a value", () => {
  const change = (message: string, before: string, after: string, path = "a.ts") =>
    commit(message, `${path}: -const waitMs = ${before};\n+const waitMs = ${after};`);

  test("has both values, else the newest", () => {
    const commits = [change("Newer", "10", "20"), change("Older", "5", "10")];
    expect(subjects(pickChanged(commits, searchFor("waitMs")))).toEqual(["Newer", "Older"]);
    expect(subjects(pickChanged(commits, searchFor("waitMs"), ["5", "10"]))[0]).toBe("Older");
    expect(subjects(pickChanged(commits, searchFor("waitMs"), ["10"]))[0]).toBe("Older");
  });

  test("has the value before, too", () => {
    const commits = [change("Other", "7", "10"), change("Asked", "5", "10")];
    expect(subjects(pickChanged(commits, searchFor("waitMs"), ["5", "10"]))[0]).toBe("Asked");
  });

  test("not in tests, and not where it is only added", () => {
    const tried = change("Try", "1", "2", "test/a.ts");
    const added = commit("Add", "a.ts: -const other = 1;\n+const waitMs = 1;");
    expect(subjects(pickChanged([tried, added], searchFor("waitMs")))).toEqual([]);
  });
});
