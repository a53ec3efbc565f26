import { describe, expect, test } from "vitest";
import { detectStyle, type StreamFacts } from "../../../cli/render/capabilities.ts";

function check(facts: Partial<StreamFacts>) {
  return detectStyle({
    isTTY: true,
    columns: 100,
    env: { LANG: "en_US.UTF-8", TERM: "xterm" },
    platform: "linux",
    ...facts,
  });
}

test("a terminal gets layout, colour and its width; a file gets none of them", () => {
  expect(check({})).toEqual({
    layout: true,
    color: true,
    linear: false,
    links: false,
    inVscode: false,
    unicode: true,
    width: 100,
  });
  expect(check({ isTTY: false })).toEqual({
    layout: false,
    color: false,
    linear: false,
    links: false,
    inVscode: false,
    unicode: true,
    width: 80,
  });
});

describe("colour", () => {
  test.each<[string, Partial<StreamFacts>, boolean]>([
    ["--no-color", { flags: { color: false }, env: { FORCE_COLOR: "1" } }, false],
    ["NO_COLOR", { env: { NO_COLOR: "1" } }, false],
    ["NO_COLOR before what forces it", { env: { NO_COLOR: "1", FORCE_COLOR: "1", CLICOLOR_FORCE: "1" } }, false],
    ["an empty NO_COLOR says nothing", { env: { NO_COLOR: "" } }, true],
    ["a terminal that knows no colours", { env: { TERM: "dumb" } }, false],
    ["CLICOLOR=0", { env: { CLICOLOR: "0" } }, false],
    ["FORCE_COLOR in a file", { isTTY: false, env: { FORCE_COLOR: "1" } }, true],
    ["CLICOLOR_FORCE in a file", { isTTY: false, env: { CLICOLOR_FORCE: "1" } }, true],
    ["CLICOLOR_FORCE=0 in a file", { isTTY: false, env: { CLICOLOR_FORCE: "0" } }, false],
    ["FORCE_COLOR=0", { env: { FORCE_COLOR: "0" } }, false],
    ["a terminal on Windows, which sets no TERM", { platform: "win32", env: {} }, true],
  ])("%s", (_, facts, expected) => {
    expect(check(facts).color).toBe(expected);
  });
});

test("VS Code's terminal is known by its name", () => {
  expect(check({ env: { TERM_PROGRAM: "vscode" } }).inVscode).toBe(true);
});

describe("hyperlinks", () => {
  test.each<[string, Partial<StreamFacts>, boolean]>([
    ["an unknown terminal", { env: { TERM: "xterm-256color" } }, false],
    ["VS Code", { env: { TERM_PROGRAM: "vscode" } }, true],
    ["Windows Terminal", { platform: "win32", env: { WT_SESSION: "1" } }, true],
    ["GNOME Terminal", { env: { VTE_VERSION: "6800" } }, true],
    ["the VTE that crashed", { env: { VTE_VERSION: "5000" } }, false],
    ["kitty", { env: { TERM: "xterm-kitty" } }, true],
    ["a multiplexer", { env: { TERM_PROGRAM: "vscode", TMUX: "/tmp/tmux" } }, false],
    ["no terminal", { isTTY: false, env: { TERM_PROGRAM: "vscode" } }, false],
    ["CI", { env: { TERM_PROGRAM: "vscode", CI: "true" } }, false],
    ["forced", { isTTY: false, env: { FORCE_HYPERLINK: "1" } }, true],
    ["forbidden", { env: { TERM_PROGRAM: "vscode", FORCE_HYPERLINK: "0" } }, false],
  ])("%s", (_, facts, expected) => {
    expect(check(facts).links).toBe(expected);
  });
});

describe("characters beyond ASCII", () => {
  test.each<[string, Partial<StreamFacts>, boolean]>([
    ["a UTF-8 locale", { env: { LANG: "de_DE.utf8" } }, true],
    ["LC_ALL before the others", { env: { LC_ALL: "C", LANG: "en_US.UTF-8" } }, false],
    ["LC_CTYPE before LANG", { env: { LC_CTYPE: "C.UTF-8", LANG: "C" } }, true],
    ["no locale", { env: {} }, false],
    ["no locale on macOS", { platform: "darwin", env: {} }, true],
    ["the Linux console", { env: { TERM: "linux", LANG: "en_US.UTF-8" } }, false],
    ["a Windows console with a code page", { platform: "win32", env: {} }, false],
    ["Windows Terminal", { platform: "win32", env: { WT_SESSION: "1" } }, true],
  ])("%s", (_, facts, expected) => {
    expect(check(facts).unicode).toBe(expected);
  });
});

test.each([
  [undefined, 80],
  [0, 80],
  [5, 20],
  [200, 200],
])("a terminal of %s columns is laid out in %s", (columns, expected) => {
  expect(check({ columns }).width).toBe(expected);
});
