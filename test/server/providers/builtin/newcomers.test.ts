import { describe, expect, test } from "vitest";
import { joinAttachedText } from "../../../../server/protocol/attached-text.ts";
import { askBuiltin } from "../../../support/ask-builtin.ts";
import { fixture } from "../../../support/fixture.ts";

const shop = `
//- README.md
# Shop

[![Build](https://ci.example/badge.svg)](https://ci.example) [![npm](https://npm.example/b.svg)](https://npm.example)

Sells books over HTTP, and keeps each order in a ledger.

## Usage

Call \`startShop()\`.
//- docs/architecture.md
# Architecture

A request goes through the counter, which writes into the ledger.
//- package.json
{
  "name": "shop",
  "description": "Sells books",
  "main": "./dist/index.js",
  "dependencies": { "body-reader": "1.0.0" }
}
//- src/index.ts
import { Counter } from "./counter.ts";

/** Opens the shop. */
export function startShop(): Counter {
  return new Counter();
}
//- src/counter.ts
/** Where a project of parts starts: the words of the questions, in the wrong place. */
export class Counter {
  startProject(parts: string[]): string[] {
    return parts;
  }
}
//- src/shop.js
const reader = require('body-reader')
const other = require('./other')

exports.json = reader.json
//- src/cookie.ts
/** Reads the cookie header. */
export function parseCookie(cookie: string): string {
  return cookie.trim();
}
//- src/discount.ts
/** Prices with a discount. */
export function priceOf(total: number, member: boolean): number {
  const { rate } = settings;
  let price = total;
  if (member && total > rate) {
    price = discountFor(total);
  }
  return price;
}
export function discountFor(total: number): number {
  return total / 10;
}
//- docs/adding-a-supplier.md
# Adding a supplier

Write a row into the table of suppliers.
//- docs/refunds.md
# Refunds

A till gives them.

For example:

\`\`\`js
const till = openTill();
till.login("clerk");
till.scan("receipt");
till.check("receipt");
till.ask("reason");

till.note("reason");
till.open("drawer");
till.count("coins");
till.count("notes");
till.print("slip");

till.sign("slip");
till.refund(12);
till.shut("drawer");
till.logout();
\`\`\`

The drawer stays open for ten seconds.

Slips are kept for a year.

A clerk counts twice.

The manager has a key.

A refund is booked at once. Give a refund of more than 100 to the manager, and a refund without a receipt, too.
`;

/** What an answer has to contain, and what it must not. */
const rows: readonly { question: string; has: readonly string[]; lacks?: readonly string[] }[] = [
  ...[
    "What is this project, and where does it start?",
    "How is this project put together?",
    "What are the main parts, and where do they meet?",
    "what is this?",
    "Explain the architecture of this codebase",
    "What does shop do?",
  ].map((question) => ({
    question,
    has: [
      "Sells books over HTTP",
      "[[shop:docs/architecture.md#",
      '"main": "./dist/index.js"',
      "[[shop:src/index.ts#",
      "`src/` (5)",
    ],
    lacks: ["badge.svg", "startProject"],
  })),
  {
    question: "Which options does shop.json() take?",
    has: ["exports.json = reader.json", "the package `body-reader` [[shop:src/shop.js#L1]]", "npm:body-reader"],
    lacks: ["There is no"],
  },
  { question: "What does shop.json do?", has: ["exports.json = reader.json"], lacks: ["There is no"] },
  { question: "What does retry.ts do?", has: ["There is no `retry.ts`."] },
  { question: "Where are cookies parsed?", has: ["defines `parseCookie`"], lacks: ["No extract mentions"] },
  { question: "How do I add a new supplier?", has: ["Write a row into the table of suppliers."] },
  { question: "How do I give a refund?", has: ["const till = openTill();", "till.refund(12);"] },
  { question: "How is a discount decided for a member?", has: ["if (member && total > rate) {"], lacks: ["“decided”"] },
  { question: "priceOf vs discountFor", has: ["defines `priceOf`", "defines `discountFor`"], lacks: ["“vs”"] },
  { question: "What does this project depend on?", has: ['"body-reader": "1.0.0"'], lacks: ["Sells books", "src/"] },
  { question: "What are its dependencies?", has: ['"body-reader": "1.0.0"'], lacks: ["Sells books"] },
  { question: "Where does it start, and what does it export?", has: ["export function startShop"] },
  { question: "Who calls parseCookie?", has: ["export function parseCookie"] },
  { question: "Does it support bluetooth printers?", has: ["No match in shop for"] },
];

test.each(rows)("$question", async ({ question, has, lacks = [] }) => {
  const text = await ask([fixture(shop.trimStart(), { resource: "shop" })], question);
  expect(has.filter((part) => !text.includes(part))).toEqual([]);
  expect(lacks.filter((part) => text.includes(part))).toEqual([]);
});

describe("what has its usual place is shown first", () => {
  const tree = `//- LICENSE
Copyright 2026 The Shop

Permission is granted to read this.
//- CONTRIBUTING.md
# Contributing

Send a patch.

## Tests

\`\`\`sh
pip install -e .
$ pytest -x
\`\`\`
//- CHANGELOG.md
# Changelog

## 2.1.0

- Sells maps.

## 2.0.0

- Sells books.
//- SECURITY.md
# Security

## Supported versions

| version | fixed |
| --- | --- |
| 4.3 | yes |
| 4.2 | yes |
| 4.1 | yes |
| 4.0 | yes |
| 3.3 | yes |
| 3.2 | yes |
| 3.1 | yes |
| 3.0 | yes |
| 2.3 | no |
| 2.2 | no |
| 2.1 | no |
| 2.0 | no |
| 1.3 | no |
| 1.2 | no |
| 1.1 | no |
| 1.0 | no |

## Reporting a problem

Write to the owner.
//- docs/notes.md
# Licence, tests, contributing, changes of a release, and reports of a vulnerability

This project has a licence, tests, releases, contributing and \`--color\`.
//- complete.sh
opts="
  --color
  --quiet
"
//- completion/shop.fish
  --dry        # print what would be sold, and sell nothing
//- docs/use/the/shop.md
# Use

--dry prints what would be sold, and sells nothing at all.
//- help.txt
Options:
      --color <when>
          Whether the output has colours: always or never.

      --quiet
          Prints nothing but errors.
//- src/color.ts
/** Parses the option. */
export function parseColor(color: string): string {
  return process.env["SHOP_COLOR"] ?? color;
}
`;

  test.each([
    ["Which licence does this project use?", "the licence, in `LICENSE`: [[shop:LICENSE#L1-L3]]"],
    ["what license is this under", "the licence, in `LICENSE`: [[shop:LICENSE#L1-L3]]"],
    ["how can I contribute?", "how to contribute, in `CONTRIBUTING.md`: [[shop:CONTRIBUTING.md#L1-L10]]"],
    ["how do I run the tests?", "how to run the tests, in `CONTRIBUTING.md`: [[shop:CONTRIBUTING.md#L5-L9]]"],
    ["what changed in the last release?", "the last changes, in `CHANGELOG.md`: [[shop:CHANGELOG.md#L3-L5]]"],
    [
      "how do I report a vulnerability?",
      "how to report a vulnerability, in `SECURITY.md`: [[shop:SECURITY.md#L24-L26]]",
    ],
    [
      "where to report a security hole",
      "how to report a vulnerability, in `SECURITY.md`: [[shop:SECURITY.md#L24-L26]]",
    ],
    [
      "who do I tell about a vulnerability?",
      "how to report a vulnerability, in `SECURITY.md`: [[shop:SECURITY.md#L24-L26]]",
    ],
    ["which versions get security fixes?", "the security policy, in `SECURITY.md`: [[shop:SECURITY.md#L3-L18]]"],
    ["what does --color do?", "documents `--color`, in `help.txt`: [[shop:help.txt#L2-L3]]"],
    ["--dry?", "documents `--dry`, in `docs/use/the/shop.md`: [[shop:docs/use/the/shop.md#L3]]"],
    ["--quiet", "documents `--quiet`, in `help.txt`: [[shop:help.txt#L5-L6]]"],
  ])("%s", async (question, expected) => {
    const text = await ask([fixture(tree, { resource: "shop" })], question);
    expect(/^\*\*1\.\*\* (.*)$/m.exec(text)?.[1]).toBe(expected);
  });

  test("the command of the tests is in the workflow that runs them, if nothing else has it", async () => {
    const workflow = "jobs:\n  all:\n    steps:\n      - name: Test\n        run: cargo test --all\n";
    const own = `//- .github/workflows/CI.yml\n${workflow}//- src/lib.rs\n#[cfg(test)]\nmod tests {\n    fn runs() {}\n}\n`;
    const first = async (text: string) =>
      /^\*\*1\.\*\* (.*)$/m.exec(await ask([fixture(text, { resource: "shop" })], "how do I run the tests?"))?.[1];
    expect(await first(own)).toBe(
      "how to run the tests, in `.github/workflows/CI.yml`: [[shop:.github/workflows/CI.yml#L5]]",
    );
    const uv = own.replace("CI.yml", "tests.yaml").replace("cargo test --all", "uv run --locked --group dev tox run");
    expect(await first(uv)).toContain("in `.github/workflows/tests.yaml`");
    expect(await first(`${own}//- Makefile\ntest:\n\tcargo test --all\n`)).toContain("in `Makefile`");
  });

  test("where none is, the other lines", async () => {
    const text = await ask(
      [fixture("//- a.md\n# Terms\n\nThe licence is in the box.\n")],
      "what licence is this under?",
    );
    expect(text).toContain("The licence is in the box.");
  });
});

describe("an overview shows what a project is, not who pays for it", () => {
  test.each([
    ["Markdown", "## Gold sponsors"],
    ["HTML", "<h2>Gold sponsors</h2>"],
  ])("%s", async (_, heading) => {
    const readme = `# Shop\n\nSells books over HTTP to readers.\n\n${heading}\n\nHosting provided by Box and Partners.\n`;
    const text = await ask([fixture(`//- README.md\n${readme}`)], "what is this project?");
    expect(text).toContain("Sells books over HTTP");
    expect(text).not.toContain("Hosting provided");
  });
});

describe("a name beside its kind is looked for as a name", () => {
  const methods = Array.from(
    { length: 12 },
    (_, index) => `    def part_${index}(self, context: Context) -> Context:
        """Where the context class is defined matters for part ${index}."""
        return make_context(context)
`,
  ).join("\n");
  const tree = `//- src/shop/core.py
class Context:
    """Holds what a sale needs."""

    total: int


class command:
    """Not the class Command."""


class Command:
    """One step of a sale."""
//- src/shop/parts.py
from .core import Context


class Parts:
    def make_context(self, name: str) -> Context:
        """Make the context; the class is defined elsewhere."""
        return Context()

${methods}
`;
  test.each([
    ["Where is the Context class defined?", "defines `Context`: [[shop:src/shop/core.py#L1-L4]]"],
    ["where is class Context", "defines `Context`: [[shop:src/shop/core.py#L1-L4]]"],
    ["Where is the Command class?", "defines `Command`: [[shop:src/shop/core.py#L11-L12]]"],
    ["where is the command class defined", "defines `command`: [[shop:src/shop/core.py#L7-L8]]"],
  ])("%s", async (question, expected) => {
    const text = await ask([fixture(tree, { resource: "shop" })], question);
    expect(/^\*\*1\.\*\* (.*)$/m.exec(text)?.[1]).toBe(expected);
  });
});

test("a question for a default is answered by the line that sets it", async () => {
  const tree = `//- docs/guide.md
# Timeouts

The default timeout ends a sale that takes too long; the default is what most shops want.
//- src/sale.ts
import { defaultTimeout } from "./settings.ts";

/** Ends a sale after its timeout, or after the default timeout. */
export function endSale(timeout: number = defaultTimeout): number {
  return timeout;
}
//- src/settings.ts
export const currency = "EUR";

/** Seconds. */
export const defaultTimeout = 45;
//- test/sale.test.ts
const defaultTimeout = 1;
`;
  const text = await ask([fixture(tree, { resource: "shop" })], "what is the default timeout?");
  expect(text).toMatch(/\*\*1\.\*\* sets `defaultTimeout`: \[\[shop:src\/settings\.ts#L3-L4\]\]/);
  expect(text).toMatch(/\*\*2\.\*\* /);
});

test("of several standards of a language, the least one is what a build needs", async () => {
  const build = `if(NEW_FORMAT)
    set(CMAKE_CXX_STANDARD 20)
else()
    set(CMAKE_CXX_STANDARD 11)
endif()
`;
  const text = await ask([fixture(`//- CMakeLists.txt\n${build}`)], "which C++ standard do I need for it");
  expect(text).toMatch(/^`CMakeLists\.txt` requires `c\+\+` `11`/);
});

describe("a question for a version is answered from the manifests and lock files", () => {
  const tree = `//- package.json
{
  "name": "app",
  "version": "0.3.0",
  "engines": { "node": ">=20" },
  "dependencies": { "ms": "^2.1.0", "send": "^1.0.0" }
}
//- package-lock.json
{
  "packages": {
    "node_modules/send/node_modules/ms": {
      "version": "2.0.0"
    },
    "node_modules/ms": {
      "version": "2.1.3"
    }
  }
}
//- tools/go.mod
module tools

go 1.22

require github.com/spf13/cobra v1.8.1
//- docs/versions.md
# Which version of ms do we use

The version of ms that we use is in the docs.
//- src/protocol.ts
/** The version of the protocol that the client speaks. */
export const protocolVersion = 3;
`;

  test.each([
    [
      "which version of ms is installed?",
      /^`package-lock\.json` has `ms` `2\.1\.3`.*#L6-L7\]\]\n\n```json\n {4}"node_modules\/ms": \{\n {6}"version": "2\.1\.3"\n```\n\n.*requires `\^2\.1\.0`.*#L5\]\]\n\nAlso: `2\.0\.0`/,
    ],
    ["what ms version do we use", /`ms` `2\.1\.3`/],
    ["which version of send do we use?", /^`package\.json` requires `send` `\^1\.0\.0`[^]*\n\nNo lock file says/],
    [
      "what Node does this need?",
      /^`package\.json` requires `node` `>=20`: \[\[app:package\.json#L4\]\]\n\n```json\n {2}"engines": \{ "node": ">=20" \},\n```\n$/,
    ],
    ["Which Go version is required?", /^`tools\/go\.mod` requires `go` `1\.22`/],
    ["what version of cobra do we use?", /^`tools\/go\.mod` has `github\.com\/spf13\/cobra` `v1\.8\.1`/],
    ["what version is this?", /^`package\.json` has the project `0\.3\.0`/],
    ["are we on ms 2 or 3?", /`ms` `2\.1\.3`/],
    ["which version of react do we use?", /^No manifest and no lock file in app names `react`\.\n$/],
    [
      "which version of spf13 do we use?",
      /^No dependency has the name `spf13`.*\n\n- `github\.com\/spf13\/cobra` `v1\.8\.1`/,
    ],
    ["which version of the protocol does the client speak?", /src\/protocol\.ts/],
  ])("%s", async (question, expected) => {
    expect(await ask([fixture(tree, { resource: "app" })], question)).toMatch(expected);
  });
});

describe("the first extract is the place that says it", () => {
  const tree = `//- README.md
# Till

Counts coins, for shops.

## Switching the drawer off

Call \`till.set("drawer", false)\`: the drawer is then off.

## Settings

| setting | meaning |
| --- | --- |
| lock | Keeps one clerk at the till at a time. |
| slip | Prints each sum on paper. |

### \`trustClerk\`

- Default: \`false\`

A clerk who is trusted needs no key.

<dl>
  <dt>method_override</dt>
  <dd>Takes another method from the form.</dd>
</dl>
//- docs/README-de.md
# Till: trustClerk, lock, slip, drawer, off, queue

Die Kasse.
//- docs/how-to.md
# How to

## float_coins

Small coins are counted before the till opens.
//- docs/till.1
.TP
\\fB-A\\fP
Shows each coin of the drawer, also the small ones.
//- src/main.ts
import { openTill } from "./till.ts";

export const name = "till";
export const parts = ["drawer", "slip"];
export const box = "wood";
export const coin = "metal";
export const paper = "white";
export const wood = "oak";
export const metal = "copper";
export const white = "plain";

function main() {
  openTill({ trustClerk: false });
}

main();
//- src/till.ts
const defaultQueueSize = 8192;

/** Opens the till: the size of the queue, the trustClerk option and the lock are read. */
export function openTill({ queue = defaultQueueSize, trustClerk = false }) {
  if (queue > 9000) throw new Error("the drawer did not open in time");
  return { queue, size: queue, lock: trustClerk };
}

export { openTill as openDrawer };
//- src/errors.cpp
void check(const std::string &name) {
  if (has(name)) {
    throw till_ex("coin with name '" + name + "' already exists");
  }
}
//- src/options.py
parser = make_parser()
parser.add_argument(
    "--coins",
    default="few",
    help="""
    How many coins the machine keeps back overnight.
    """,
)
${Array.from({ length: 30 }, (_, index) => `parser.add_argument("--slot-${index}", help="Slot ${index}.")\n`).join("")}//- test/till.test.ts
import { openTill } from "../src/till.ts";
test("a till opens", () => openTill({ queue: 1 }));
`;

  test.each([
    ["what does the lock setting do", "documents `lock`, in `README.md`: [[till:README.md#L13]]"],
    ["trustClerk?", "documents `trustClerk`, in `README.md`: [[till:README.md#L16-L25]]"],
    ["method_override?", "documents `method_override`, in `README.md`: [[till:README.md#L23-L24]]"],
    ["float_coins?", "documents `float_coins`, in `docs/how-to.md`: [[till:docs/how-to.md#L3-L5]]"],
    ["whats -A for", "documents `-A`, in `docs/till.1`: [[till:docs/till.1#L2-L3]]"],
    ["who calls openTill?", "uses `openTill`, in `main`: [[till:src/main.ts#L12-L14]]"],
    ["where do we use openTill", "uses `openTill`, in `main`: [[till:src/main.ts#L12-L14]]"],
    ["turn the drawer off for good", "documents “Switching the drawer off”: [[till:README.md#L5-L7]]"],
    [
      "why does it say the drawer did not open in time",
      "throws “the drawer did not open in time”, in `openTill`: [[till:src/till.ts#L3-L7]]",
    ],
    [
      'getting 400 with {"code":1,"message":"the drawer did not open in time"} since we have two tills',
      "throws “the drawer did not open in time”, in `openTill`: [[till:src/till.ts#L3-L7]]",
    ],
    [
      "terminate called after throwing an instance of 'till_ex'\n  what():  coin with name 'a' already exists\nAborted",
      "throws “coin with name”, in `check`: [[till:src/errors.cpp#L1-L5]]",
    ],
    ["default size of the queue", "sets `defaultQueueSize`: [[till:src/till.ts#L1]]"],
    [
      "how many coins does the machine keep back overnight?",
      "matches “coins”, “machine”, “back”, “overnight”: [[till:src/options.py#L2-L8]]",
    ],
    ["where is the entry point of this programme", "where it starts, `src/main.ts`: [[till:src/main.ts#L1-L16]]"],
    [
      "What is till and why would I pick it over a drawer",
      "what it is, in `README.md`: [[till:README.md#L1-L9]], [[till:README.md#L16-L20]], [[till:README.md#L23-L24]]",
    ],
    [
      "Till, what is it exactly?",
      "what it is, in `README.md`: [[till:README.md#L1-L9]], [[till:README.md#L16-L20]], [[till:README.md#L23-L24]]",
    ],
    [
      "what exactly is till?",
      "what it is, in `README.md`: [[till:README.md#L1-L9]], [[till:README.md#L16-L20]], [[till:README.md#L23-L24]]",
    ],
    [
      "what does till do that a drawer doesn't",
      "what it is, in `README.md`: [[till:README.md#L1-L9]], [[till:README.md#L16-L20]], [[till:README.md#L23-L24]]",
    ],
  ])("%s", async (question, expected) => {
    const text = await ask([fixture(tree, { resource: "till" })], question);
    expect(/^\*\*1\.\*\* (.*)$/m.exec(text)?.[1]).toBe(expected);
  });

  test("further places follow in one line each, with the best line, and repeat none", async () => {
    const pages = Array.from(
      { length: 9 },
      (_, index) => `//- page${index}.md\n# Page ${index}\n\nThe drawer of till ${index} opens slowly.\n`,
    );
    const text = await ask([fixture(pages.join(""), { resource: "till" })], "why does the drawer open slowly?");
    const [shown = "", further = ""] = text.split("\nFurther places:\n\n");
    const rows = further.trimEnd().split("\n");
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      const [, page = ""] =
        /^- “Page \d”: `The drawer of till (\d) opens slowly\.` \[\[till:page\1\.md#L\d(?:-L\d)?\]\]$/.exec(row) ?? [];
      expect(page).not.toBe("");
      expect(shown).not.toContain(`page${page}.md`);
    }
  });
});

describe("where main is", () => {
  const lines = (count: number, text: string) => Array.from({ length: count }, (_, n) => `${text}${n};\n`).join("");
  const tree = [
    "//- README.md\n# Till\n\nCounts coins.\n",
    `//- src/server.c\n${lines(400, "int used")}\n/* Opens the till. */\nint main(int argc, char **argv) {\n  return openTill(argc, argv);\n}\n`,
    "//- src/crc.c\nint main(void) {\n  return selfTest();\n}\n",
    "//- deps/coin/server.c\nint main(void) {\n  return countCoins();\n}\n",
    "//- deps/coin/DESIGN.md\n# Design of coins\n\nA coin is round.\n",
  ].join("");

  test.each([
    "Where is main?",
    "where's main and what does it do at startup",
    "Where is the main function?",
    "what's the entry point",
  ])("%s", async (question) => {
    const text = await ask([fixture(tree, { resource: "till" })], question);
    expect(/^\*\*1\.\*\* (.*)$/m.exec(text)?.[1]).toBe(
      "where it starts, `src/server.c`: [[till:src/server.c#L402-L405]]",
    );
    expect(text).toContain("openTill(argc, argv)");
    expect(text).not.toMatch(/countCoins|A coin is round/);
  });

  test("C with the type on the line before", async () => {
    const main = "int\nmain(int argc, char **argv)\n{\n\treturn openTill(argc, argv);\n}\n";
    const source = `//- README.md\n# Till\n\nCounts coins.\n//- src/server.c\n${lines(400, "int used")}\n${main}`;
    const text = await ask([fixture(source, { resource: "till" })], "Where is main?");
    expect(text).toContain("openTill(argc, argv)");
  });

  test.each(["Where is the main loop of coins?", "where is main_window opened"])(
    "%s is another question",
    async (question) => {
      const text = await ask([fixture(tree, { resource: "till" })], question);
      expect(text).not.toContain("where it starts");
    },
  );
});

test("how the source is laid out: the section that says it, under an underlined heading, and functions before macros", async () => {
  const macros = Array.from({ length: 9 }, (_, index) => `#define COIN_${index} ${index}\n`).join("");
  const functions = Array.from({ length: 30 }, (_, index) => `int count${index}(void) {\n  return ${index};\n}\n`).join(
    "",
  );
  const source = `//- README.md
# Till

Counts coins, and knows nothing of how the source layout of others is.

Till internals
===

\`src/\` has a file for each coin.
//- src/server.c
${macros}${functions}
int main(void) {
  return openTill();
}
`;
  const text = await ask(
    [fixture(source, { resource: "till" })],
    "how is the source organised, which file is for what",
  );
  expect(/^\*\*1\.\*\* (.*)$/m.exec(text)?.[1]).toBe(
    "how it is put together, in `README.md`: [[till:README.md#L5-L8]]",
  );
  expect(text).toContain("has a file for each coin");
  expect(text).toContain("openTill()");
  expect(text).not.toContain("COIN_1");
});

describe("what the parts of a project are", () => {
  const suite = `//- README.md
# Suite

## Getting Started

See the site, and read what it says about tea.
//- packages/suite/README.md
# Suite

Brews tea in large pots.
//- packages/suite/package.json
{ "name": "suite" }
//- packages/kettle/package.json
{
  "name": "kettle",
  "description": "Heats the water"
}
//- packages/kettle/Readme.md
[![Build](https://ci.example/badge.svg)](https://ci.example)

Please see the [site](https://suite.example).

Kettle boils *water* for the [pot](../pot). It also whistles.
//- leaves/Cargo.toml
[package]
name = "leaves"
description = "Weighs the leaves"
//- timer/timer.go
// Package timer rings when the tea is ready.
package timer
//- cups/cups.gemspec
Gem::Specification.new do |s|
  s.description = "Holds one cup"
end
//- lid/pom.xml
<project>
  <description>Keeps the pot warm</description>
</project>
//- examples/picnic/package.json
{ "description": "Shows a picnic" }
//- vendor/spoon/README.md
Stirs things that were copied.
`;
  const shown = async (tree: string, question: string) =>
    (await ask([fixture(tree, { resource: "suite" })], question))
      .split("\n")
      .flatMap((line) => /^- (`[\w/]+`: “.*”)/.exec(line)?.[1] ?? []);

  test.each([
    "there are so many packages in here, what is each one for",
    "what are the other modules in this repo for?",
    "What does each crate do?",
    "which packages is it made of and what do they do",
    "list all the sub-projects in here",
  ])("%s: each by its README, else its manifest or package comment", async (question) => {
    expect(await shown(suite, question)).toEqual([
      "`cups`: “Holds one cup”",
      "`leaves`: “Weighs the leaves”",
      "`lid`: “Keeps the pot warm”",
      "`packages/kettle`: “Kettle boils *water* for the pot.”",
      "`packages/suite`: “Brews tea in large pots.”",
      "`timer`: “rings when the tea is ready.”",
    ]);
  });

  test("an overview has them", async () =>
    expect(await shown(suite, "What is this project?")).toContain("`packages/kettle`: “Heats the water”"));

  test("modules of Rust and packages of Python by their first comment", async () => {
    const modules = `//- src/brew/mod.rs
//! # Brews tea
use crate::pot;
//- src/pour/mod.rs
// Nothing about it.
//- tea/__init__.py
"""Tea, as a package."""
`;
    expect(await shown(modules, "what are the folders for?")).toEqual([
      "`src/brew`: “Brews tea”",
      "`tea`: “Tea, as a package.”",
    ]);
  });

  const designed = `//- CONTRIBUTING.md
## Project structure

| part | |
|---|---|
| kettle | heats |
| pot | brews |
| cups | are drunk from |
${["kettle", "pot", "cups"].map((name) => `//- ${name}/package.json\n{ "description": "Is the ${name}" }`).join("\n")}
`;
  test("a document that lists them comes first, and stands for them in an overview", async () => {
    const text = await ask([fixture(designed)], "what is each package for, which packages are there");
    expect(text.indexOf("| kettle | heats |")).toBeLessThan(text.indexOf("“Is the kettle”"));
    expect(await shown(designed, "How is this project put together?")).toEqual([]);
  });

  test("a question about how a package is used is none about the parts", async () => {
    const text = await ask([fixture(suite)], "which packages does the timer need for its tests?");
    expect(text).not.toContain("as they describe themselves");
  });
});

test("a licence and a version asked for together are both shown, and nobody who depends on the language", async () => {
  const goMod = "module example.com/till\n\ngo 1.25.0\n\nrequire github.com/json-iterator/go v1.1.12\n";
  const tree = `//- go.mod\n${goMod}//- LICENSE\nThe MIT License\n\nCopyright (c) A. Person\n`;
  const text = await ask([fixture(tree)], "what license is it and which go version do I need");
  expect(text).toContain("The MIT License");
  expect(text).toContain("go 1.25.0");
  expect(text).not.toContain("depends on");
});

test("a project does not start in its tests, also those of one platform", async () => {
  const tree = `//- core/src/jvmTest/kotlin/Main.kt
fun main() { println("test") }
//- core/src/main/kotlin/Server.kt
fun main() { println("server") }
`;
  const text = await ask([fixture(tree)], "where does this project start?");
  expect(text).toContain("where it starts, `core/src/main/kotlin/Server.kt`");
  expect(text).not.toContain("jvmTest");
});

test("a version that is missing is no version of a package", async () => {
  const tree = `//- package.json
{ "dependencies": { "missing": "1.0.0" } }
//- src/plugin.ts
/** Takes the newest one if the plugin version is missing. */
export function versionOf(plugin: Plugin) {}
`;
  expect(await ask([fixture(tree)], "what happens if a plugin version is missing")).toContain("src/plugin.ts");
});

test("a project of Java modules starts in the main class that has its name", async () => {
  const tree = `//- tools/graph/Boxes.java
public class Boxes { public static void main(String[] args) {} }
//- launcher/cli/src/main/java/org/till/cli/TillMain.java
public class TillMain {
  public static void main(String[] args) {}
}
`;
  const text = await ask([fixture(tree, { resource: "till" })], "where does it start");
  expect(/^\*\*1\.\*\* (.*):/m.exec(text)?.[1]).toContain("launcher/cli/src/main/java/org/till/cli/TillMain.java");
});

test("an overview lists what is in the only folder of the sources", async () => {
  const tree =
    "//- src/till/coins.py\ncoins = 1\n//- src/till/notes.py\nnotes = 2\n//- README.md\n# Till\n\nCounts money.\n";
  const text = await ask([fixture(tree)], "What is this project?");
  expect(text).toContain("In `src/till/`: `coins.py`, `notes.py`.");
});

describe("what a project depends on", () => {
  test.each([
    [
      '//- pyproject.toml\n[project]\nname = "till"\nrequires-python = ">=3.10"\n',
      ['requires-python = ">=3.10"', "where no list of dependencies was found"],
    ],
    [
      '//- package.json\n{\n  "name": "till",\n  "engines": {\n    "node": ">=20"\n  },\n  "dependencies": {\n    "coins": "1"\n  }\n}\n',
      ['"node": ">=20"', '"coins": "1"', "its dependencies, in"],
    ],
    [
      '//- Cargo.toml\n[package]\nname = "till"\nrust-version = "1.80"\n\n[dependencies]\ncoins = "1"\n',
      ['rust-version = "1.80"', 'coins = "1"'],
    ],
  ])("with the versions of the language: %s", async (manifest, shown) => {
    const tree = `${manifest}//- src/coins.py\n# Which pythons it supports depends on the coins.\nsupports = depend(pythons)\n`;
    const text = await ask([fixture(tree)], "what does it depend on, and which pythons does it support");
    for (const one of shown) expect(text).toContain(one);
    expect(text).not.toContain("depend(pythons)");
  });
});

test("of several resources each has a short overview, in their order", async () => {
  const one = fixture(shop.trimStart(), { resource: "shop" });
  const two = fixture("//- README.md\n# Till\n\nCounts coins.\n//- main.go\nfunc main() {}\n", { resource: "till" });
  const text = await ask([one, two], "How is this project put together?");
  expect(text.match(/^## (?:shop|till)$|Sells books over HTTP|Counts coins|func main/gm)).toEqual([
    "## shop",
    "Sells books over HTTP",
    "## till",
    "Counts coins",
    "func main",
  ]);
});

test("a manifest on one line names where it starts, and each file is shown once", async () => {
  const text = await ask(
    [
      fixture(`//- package.json
{"name":"p","description":"Does things","main":"index.js"}
//- index.js
module.exports = require("./lib/app");
//- lib/app.js
exports.start = function start() {};
`),
    ],
    "What is this project, and where does it start?",
  );
  const reasons = [...text.matchAll(/^\*\*\d+\.\*\* ([^:]*):/gm)].map(([, reason]) => reason);
  expect(reasons).toEqual([
    "its manifest, `package.json`",
    "where it starts, `index.js`",
    "where it starts, `lib/app.js`",
  ]);
});

test("of several resources the one that the question names answers it", async () => {
  const app = fixture(
    `//- scripts/start.ts
const own = process.argv.slice(2);
const demo = ["-q", "How does till check that a string is an email address?", "-r", "npm:till"];
export const question = own.length > 0 ? own : demo;
`,
    { resource: "app" },
  );
  const till = fixture(
    `//- src/api.ts
export type EmailParams = { format: "email" };
export function email(params: EmailParams) {
  return create({ type: "string", format: "email", check: "string_format", ...params });
}
`,
    { resource: "till" },
  );
  expect(await ask([app, till], "How does till check an email address?")).toMatch(/\*\*1\.\*\*.*till:src\/api\.ts/);
  expect(await ask([app, till], "What is an email address?")).toContain("app:scripts/start.ts");
});

test("a passage has no definition before or after those with the question's words", async () => {
  const code = fixture(`//- file.go
// toWire writes all fields.
func toWire(file File) Wire {
	wire := Wire{Name: file.Name}
	return wire
}

// differs compares two sides: a newer one is no conflict.
func differs(file File, previous File) bool {
	return file.Version.Concurrent(previous.Version)
}

// fromWire reads all fields.
func fromWire(wire Wire) File {
	return File{Name: wire.Name}
}
`);
  const text = await ask([code], "When is a newer side a conflict?");
  expect(text).toContain("\n// differs compares two sides: a newer one is no conflict.\nfunc differs(");
  expect(text).not.toMatch(/Wire/);
});

test("text that was piped in does not drown the question's own words", async () => {
  const page = fixture("//- parse.ts\nexport function parse(text: string) {}\n//- other.ts\nexport const hello = 1;\n");
  const text = await ask([page], joinAttachedText("Where is parse defined?", "hello\n"));
  expect(text).toContain("defines `parse`");
  expect(text).not.toMatch(/came|“hello”/);
});

test("an import alias is found in the line that imports it, and is no missing folder", async () => {
  const code = fixture('//- c.ts\nimport { cn } from "@/lib/utils";\nexport const c = cn("a");\n');
  const text = await ask([code], "Where is @/lib/utils imported?");
  expect(text).toContain('import { cn } from "@/lib/utils";\n');
  expect(text).not.toContain("There is no");
});

test("a marker in a quoted document is no citation of the answer", async () => {
  const page = "//- README.md\n# Demo\n\nA claim ends with `[[name:path#L1-L2]]`.\n";
  expect(await ask([fixture(page)], "what is this?")).toContain("`[ [name:path#L1-L2]]`");
});

async function ask(snapshots: Parameters<typeof askBuiltin>[0], question: string): Promise<string> {
  return (await askBuiltin(snapshots, question)).text;
}

test("which file to read first is the one where it starts, before the manifest", async () => {
  const text = await ask([fixture(shop, { resource: "shop" })], "which file should I read first?");
  expect(/^\*\*1\.\*\* (.*)$/m.exec(text)?.[1]).toMatch(/^where it starts, `src\/index\.ts`/);
});
