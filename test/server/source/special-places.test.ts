import { describe, expect, test } from "vitest";
import { specialPlace } from "../../../server/source/special-places.ts";
import { rangeIn } from "../../../server/source/special-ranges.ts";

describe("an option that a question asks for", () => {
  const placeOf = (question: string) => specialPlace(question, new Set(["shop"]));

  test.each([
    ["what does --login do", "--login"],
    ["-z / --zip-code : which forms does it know?", "--zip-code"],
    ["--zip-code, -z", "--zip-code"],
    ["what does -a do compared to -A", "-a"],
    ["shop open --till ?", "--till"],
    ["shop open -t 60", "-t"],
    ["shop open -t 4, what is it", "-t"],
    ["shop open till --at-once what does it do", "--at-once"],
    ["shop -T vs -t", "-T"],
    ["what does -vvv do", "-v"],
  ])("%s", (question, option) => {
    expect(placeOf(question)?.reason).toBe(`documents \`${option}\``);
  });

  test.each([
    "unknown option --till, try --tills or --help",
    "use --a, --b and --c",
    "it is closed with --till since today",
  ])("no option: %s", (question) => {
    expect(placeOf(question)).toBeUndefined();
  });

  test.each([
    ["cobra", "--login", ["f.Other()", 'f.BoolVar(&x, "login", false, "log in before it opens")', "f.Next()"], [2, 2]],
    [
      "nushell",
      "--login",
      ["    CliFlag::switch(", '      "login",', '      "start as a login shell",', "    ),"],
      [1, 4],
    ],
    [
      "click",
      "-O",
      ["@click.option('-O',", "  '--optimize',", "  help='Choose a profile of it.')", "def f(): pass"],
      [1, 3],
    ],
    ["optparse", "-t", ['o.on "-t", "--time NUM", "Shutdown time" do |arg|', "end"], [1, 1]],
    [
      "a chain",
      "--fail-late",
      ['.longOpt("fail-late")', '.desc("Only fail the build afterwards")', ".build()"],
      [1, 2],
    ],
    ["pflag", "-f", ['f.StringVarP(&file, "file", "f", "", "the file to read")'], [1, 1]],
    [
      "an object",
      "--most",
      ['option: "most",', 'type: "Int",', 'description: "Number of tills that are open",'],
      [1, 3],
    ],
  ])("its declaration as in %s", (_, option, lines, [startLine, endLine]) => {
    const place = placeOf(`what does ${option} do`);
    expect(place && rangeIn(place, { lines, startLine: 1 })?.range).toEqual({ startLine, endLine });
  });

  test.each([
    [
      "a page of a manual",
      "-T",
      [".It Fl t", "Opens it.", ".It Fl T", "Opens the shop", "and its till.", ".It Fl V"],
      [3, 5],
    ],
    [
      "Sphinx",
      "--till-first",
      [".. option:: --till-first", "", "    Opens the till before the shop.", "", "Other text."],
      [1, 3],
    ],
    [
      "a text of help",
      "--till",
      ["  --till=...        Open this till before the shop", "  --shop=...   Open it"],
      [1, 1],
    ],
    [
      "clap",
      "--till-first",
      ["/// Opens the till before the shop", "#[arg(long)]", "till_first: bool,", "shop: bool,"],
      [1, 3],
    ],
  ])("its entry in %s", (_, option, lines, [startLine, endLine]) => {
    const place = placeOf(`what does ${option} do`);
    expect(place && rangeIn(place, { lines, startLine: 1 })?.range).toEqual({ startLine, endLine });
  });

  test("no comment that is only its name", () => {
    const lines = ["/// --till-first", "till_first: bool,", "/// Whether the shop is open", "shop: bool,"];
    const place = placeOf("what does --till-first do");
    expect(place && rangeIn(place, { lines, startLine: 1 })).toBeUndefined();
  });

  test("no declaration without a text that describes it", () => {
    const place = placeOf("what does --login do");
    const other = ['zap.String("login", name),', 'zap.Error("it did not work at all"),'];
    expect(place && rangeIn(place, { lines: other, startLine: 1 })).toBeUndefined();
    expect(
      place && rangeIn(place, { lines: ['if (has("login")) {', "  login();", "}"], startLine: 1 }),
    ).toBeUndefined();
  });

  test("its line in a list before a declaration, and that before a sentence", () => {
    const place = placeOf("what does --login do");
    const rankOf = (...lines: string[]) => (place && rangeIn(place, { lines, startLine: 1 })?.rank) ?? Infinity;
    const line = rankOf("  --login=...      log in before the shop opens");
    const declaration = rankOf('f.BoolVar(&x, "login", false, "log in before it opens")');
    const sentence = rankOf("--login has to be given before the shop opens.");
    expect(line).toBeLessThan(declaration);
    expect(declaration).toBeLessThan(sentence);
  });
});

describe("a command or a rule that a question asks for", () => {
  const beginOf = (question: string, lines: string[]) => {
    const place = specialPlace(question, new Set(["shop"]));
    return place && rangeIn(place, { lines, startLine: 1 })?.range.startLine;
  };

  test.each([
    ["what does the each command do", ["| each {|x| x } |", "", "fn name() -> &str {", '  "each"', "}"], 2],
    ["what does the open command do", ["// or open it", 'use: "open [NAME]",', 'short: "opens the shop"'], 1],
    ["what does the no-tills rule do", ["---", "title: no-tills", "---", "Forbids tills in a shop."], 2],
    ["what does the For cop do", ["# Counts.", "", "# Looks for loops.", "class For < Base", "end"], 3],
  ])("%s: its own file", (question, lines, first) => {
    expect(beginOf(question, lines)).toBe(first);
  });

  test("its file may be called otherwise", () => {
    const globs = specialPlace("the par-each command?", new Set())?.ownFile?.globs ?? [];
    expect(globs).toEqual(expect.arrayContaining(["par-each.*", "par_each.*", "ParEach.*", "par_each_.*"]));
    expect(globs).toContain("*[_-]par-each.md");
  });

  test("other names may not be words of every text", () => {
    expect(specialPlace("what does each do", new Set())).toBeUndefined();
  });
});

describe("a setting that a question asks for", () => {
  const rangeOf = (question: string, lines: string[]) => {
    const place = specialPlace(question, new Set(["shop"]));
    return place && rangeIn(place, { lines, startLine: 1 })?.range;
  };

  test.each<[string, string, string[], [number, number]]>([
    [
      "its entry in Sphinx",
      "what does open_at_night do?",
      [
        ".. confval:: open_at_night",
        "",
        "    :default: False",
        "",
        "    Keeps the till open at night.",
        "",
        ".. confval:: x",
      ],
      [1, 5],
    ],
    [
      "its item with items below",
      "what does __SHOP_OPEN__ do and is it on",
      ["- `__SHOP_OPEN__`", "  - Default: `false`", "  - Keeps the shop open at night", "", "- `__OTHER__`"],
      [1, 3],
    ],
    [
      "its item in a comment on a crate",
      "what does the open-always cargo feature do compared with open",
      ["//! * `open-always`: Keeps the till open,", "//!   even at night.", "//! * `open`: Opens it."],
      [1, 2],
    ],
    [
      "the heading of the option with its name",
      "what does open_at_night do",
      ["#### `-n, --open-at-night`", "", "Keeps the till open at night.", "", "#### `-o`"],
      [1, 3],
    ],
    [
      "the call that declares and describes it",
      "what's open_at_night for in activate :till",
      ["option :other, nil, 'What else there is'", "option :open_at_night, nil, 'Keep the till open'"],
      [2, 2],
    ],
    [
      "the member with a comment above it",
      "what is openAtNight for",
      ["  /**", "   * Whether to keep the till open.", "   */", "  openAtNight: boolean;", "}"],
      [1, 4],
    ],
    [
      "the field with its name in a tag",
      "what does the open_at_night directive do",
      ["// Whether to keep the till open.", 'OpenAtNight bool `json:"open_at_night,omitempty"`', "}"],
      [1, 2],
    ],
  ])("%s", (_, question, lines, [startLine, endLine]) => {
    expect(rangeOf(question, lines)).toEqual({ startLine, endLine });
  });

  test.each([
    ["a value without a comment", ["  entry: true,", "  openAtNight: true,", '  log: "all that it says",']],
    ["an address as the comment", ["/** See: https://shop.example/api/#open-at-night */", "openAtNight?: boolean"]],
    ["a function", ["/** Opens the till at night. */", "export function openAtNight(till: Till): void {"]],
    ["a function of Python", ["# Opens the till of the shop at night.", "def openAtNight(till):"]],
    ["a function as a value", ["// Opens the till of the shop at night.", "const openAtNight = (till) => {"]],
    ["a method as a member", ["/** Opens the till of the shop at night. */", "openAtNight: async (till) => {"]],
  ])("not %s", (_, lines) => {
    expect(rangeOf("what does openAtNight do", lines)).toBeUndefined();
  });
});
