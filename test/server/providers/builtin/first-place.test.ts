import { describe, expect, test } from "vitest";
import { askBuiltin } from "../../../support/ask-builtin.ts";
import { fixture } from "../../../support/fixture.ts";

describe("the place that says it comes before those that have its words", () => {
  const firstOf = async (tree: string, question: string) => {
    const text = (await askBuiltin([fixture(tree, { resource: "shop" })], question)).text;
    return { text, first: /^\*\*1\.\*\* (.*)$/m.exec(text)?.[1] ?? "" };
  };

  test("the licence itself, not that of the documents, and no count of its callers", async () => {
    const tree =
      "//- LICENSE\nCopyright 2026\n//- LICENSE-docs\nThis licence is for documents.\n//- a.ts\nlicence();\n";
    const { text, first } = await firstOf(tree, "licence");
    expect(first).toBe("the licence, in `LICENSE`: [[shop:LICENSE#L1]]");
    expect(text).not.toContain("calls or uses");
  });

  test("how one test is run", async () => {
    const tree = `//- README.md
# Shop

## All tests

Run make.

## Run one test

Run make with its name.
//- docs/loop.md
# The loop

A single test run of the loop runs once.
`;
    expect((await firstOf(tree, "how do I run a single test")).first).toBe(
      "how to run one test, in `README.md`: [[shop:README.md#L7-L9]]",
    );
  });

  test("no default from an example in a comment", async () => {
    const tree = "//- till.rb\n#   open_till(:till_name, 3, MySale, 'one two')\ndef open_till\nend\n";
    expect((await firstOf(tree, "default till name")).text).not.toContain("sets `");
  });

  test("how a program calls it", async () => {
    const tree = `//- README.md
# Shop

Run the shop from your own terminal. Its code calls no other program.
//- docs/rules.md
# Rules

### API

The rule of the api of a program.
//- docs/extending.rst
Calling the shop from another program
*************************************

Import \`\`shop.api\`\`.
`;
    expect((await firstOf(tree, "how do I call shop from my own program?")).first).toBe(
      "how to call it from code, in `docs/extending.rst`: [[shop:docs/extending.rst#L1-L4]]",
    );
    const titled = "//- docs/js/index.md\n---\ntitle: JavaScript API\n---\n\nImport the shop.\n";
    expect((await firstOf(titled, "run shop from my own script")).first).toContain("docs/js/index.md#L2-L5");
  });

  test("which platforms are supported", async () => {
    const tree = `//- docs/files.md
# Files

## Windows

Supported flags of the oldest Linux and of Windows.
//- SUPPORTED_PLATFORMS.md
# Supported platforms

| system | since |
| --- | --- |
| Linux | 3.10 |
`;
    expect((await firstOf(tree, "What's the oldest Windows and linux it supports?")).first).toContain(
      "what it supports, in `SUPPORTED_PLATFORMS.md`",
    );
  });

  const options = `//- docs/options.md
# Options

### output.keepOrder

Writes the orders as they came, and joins none of them.
//- src/options.ts
export function keepOrder(): boolean {
  return output.keepOrder;
}
//- src/write.ts
export function write(): void {
  if (keepOrder()) sort();
}
//- src/read.ts
export function read(): void {
  if (!keepOrder()) join();
}
`;
  test.each(["keepOrder", "what does output.keepOrder: false change"])(
    "the section of an option: %s",
    async (asked) => {
      expect((await firstOf(options, asked)).first).toMatch(
        /^documents `.*keepOrder`, .*\[\[shop:docs\/options.md#L3-L5\]\]/,
      );
    },
  );

  test("a document that names both compared constants", async () => {
    const tree = `//- docs/modes.md
# Modes

RUN_ONCE waits for an order. RUN_NOW does not wait.
//- src/run.c
int run(int mode) {
  if (mode == RUN_ONCE || mode == RUN_NOW) wait(mode);
  return mode == RUN_NOW;
}
`;
    expect((await firstOf(tree, "RUN_NOW vs RUN_ONCE")).first).toContain("docs/modes.md");
  });

  test("the type that a concept is, not a function of its name", async () => {
    const tree = `//- lib/builder.rb
class Builder
  def adapter(name)
    use(name)
  end
end
//- lib/adapter.rb
# Base class of all adapters: an adapter sends the order.
class Adapter
  def call(order)
    order
  end
end
`;
    expect((await firstOf(tree, "What is an adapter?")).first).toContain("lib/adapter.rb");
  });

  test("what it depends on, however that is asked", async () => {
    const tree =
      '//- package.json\n{ "name": "shop", "dependencies": { "till": "1.0.0" } }\n//- CONTRIBUTING.md\nOther packages pull requests.\n';
    expect((await firstOf(tree, "What other packages does it pull in?")).text).toContain('"till": "1.0.0"');
  });

  test("a page about it, not a text that begins with the same words", async () => {
    const tree = `//- src/balance.go
func help() string {
	return "The default balancing policy of tills."
}
//- src/policy.go
// Balancing: the policy that a counter has by default, when there are several tills.
type Balancing struct {
	policy string
}
`;
    const { first } = await firstOf(tree, "default balancing policy when there are several tills");
    expect(first).not.toContain("has “");
  });

  test("the implementation of a function, not a stub of its overloads", async () => {
    const filler = Array.from({ length: 40 }, (_, n) => `    def other_${n}(self):\n        return ${n}\n`).join("\n");
    const tree = `//- shop.py
class Shop:
    @t.overload
    def get_order(self, silent: bool = ...) -> dict: ...

${filler}
    def get_order(self, silent=False):
        """Reads it."""
        if not self.is_open:
            return None
        return self.read()
`;
    const { first } = await firstOf(tree, "what does get_order do if the type is wrong");
    expect(first).toMatch(/^defines `get_order`: \[\[shop:shop.py#L12\d-L12\d\]\]$/);
  });

  const rust = (constants: number) => `//- src/role.rs
/// What a garbled order gets: the status of the answer.
fn on_error(order: Order) -> Status {
    Status::Bad
}
${Array.from({ length: constants }, (_, n) => `\nconst TILL_${n}: u8 = ${n};`).join("")}

#[cfg(test)]
mod tests {
    #[test]
    fn garbled_order_gets_answer() {
        let garbled = order("garbled order gets answer");
        assert_eq!(answer(garbled), "order gets answer");
    }
}
`;

  test("code of Rust, not the tests at its end", async () => {
    expect((await firstOf(rust(70), "which answer does a garbled order get")).first).toContain("`on_error`");
  });

  test("a test beside the code in Rust is not what defines it", async () => {
    const { first } = await firstOf(rust(0), "which answer does a garbled order get");
    expect(first).not.toContain("garbled_order_gets_answer");
  });

  test("a document that says where to report, not code that has the word", async () => {
    const tree = `//- docs/rules.md
# Rules

## Reporting a late order

Report a late order to the shop.
//- src/order.ts
export function reportedOrder(order: string): string {
  return order;
}
`;
    expect((await firstOf(tree, "where do I report a late order")).first).toContain("docs/rules.md");
  });

  test("what a name alone means where its parameter is documented, before its uses", async () => {
    const tree = `//- shop/order.py
def sell(strict_orders):
    if strict_orders:
        check(strict_orders)
    return close(strict_orders)


def close(strict_orders):
    return strict_orders
//- shop/till.py
class Till:
    """A till of the shop.

    :param strict_orders: Whether an order without a name is refused.
    """
`;
    expect((await firstOf(tree, "strict_orders")).first).toContain("shop/till.py");
  });

  test("a page of the manual, which is a document", async () => {
    const others = Array.from(
      { length: 9 },
      (_, n) =>
        `/** Excludes orders from ledger ${n}. */\nexport function excludeOrders${n}(orders) {\n  return orders;\n}\n`,
    );
    const tree = `${others.map((text, n) => `//- src/exclude${n}.js\n${text}`).join("")}//- man/shop.5
.SH ORDERS
.sp
Orders are excluded from the ledger by a line with their name in the file of the shop.
`;
    expect((await firstOf(tree, "how do I exclude orders from the ledger")).first).toContain("man/shop.5");
  });

  test("the template that says what a pull request needs", async () => {
    const tree = `//- .github/pull_request_template.md
- Add tests of the change.
//- src/request.ts
/** A request includes what to pull. */
export class Request {}
`;
    expect((await firstOf(tree, "what do i have to include in a pull request")).first).toContain(
      ".github/pull_request_template.md",
    );
  });

  test("the entry of an option whose question goes on", async () => {
    const tree = `//- docs/options.md
# Options

- **keep-orders:** Writes the orders as they came, one below the other.
//- src/keep.ts
/** Keeps orders: whether keep-orders is turned on. */
export class KeepOrders {}
`;
    expect((await firstOf(tree, "what does keep-orders do and is it turned on?")).first).toContain("docs/options.md");
  });
});

describe("a question about the project is answered where projects say it", () => {
  const tree = `//- README.md
# Shop

## Getting started

### Prerequisites

Node 20 or later.

## Installation

npm install shop

## Support

Ask in the forum.
//- packages/till/README.md
# Till

## Support

Ask the till.
//- examples/one/INSTALL.md
# Install

Copy it.
//- CONTRIBUTING.md
# Contributing

## Reporting a bug

Open an issue with the version.

## Releasing

Push a tag.
//- CHANGELOG-0.md
${Array.from({ length: 300 }, (_, n) => `## 0.${300 - n}.0\n\n- Change ${n}.\n`).join("\n")}
//- CHANGELOG.md
# Changelog

## 2.0.0

- A till has a name.
//- .github/workflows/check.yml
name: check
jobs:
  check:
    steps:
      - run: npm run lint
//- package.json
{
  "name": "shop",
  "author": "A Shop"
}
//- src/release.ts
/** Made for the last release: changed, installed, reported, asked for help. */
export function release(): void {
  install(report("a bug"), "from source on windows", requirements());
}
`;
  const answers: [string, string][] = [
    ["where can I get help", "where to ask, in `README.md`: [[shop:README.md#L13-L15]]"],
    ["where do I report a bug", "where to report a bug, in `CONTRIBUTING.md`: [[shop:CONTRIBUTING.md#L3-L5]]"],
    ["how do I install shop", "how to install it, in `README.md`: [[shop:README.md#L9-L11]]"],
    ["how is a release made", "how a release is made, in `CONTRIBUTING.md`: [[shop:CONTRIBUTING.md#L7-L9]]"],
    ["what changed in the last release", "the last changes, in `CHANGELOG.md`: [[shop:CHANGELOG.md#L3-L5]]"],
    ["what version of the language do I need to build it", "what it needs, in `README.md`: [[shop:README.md#L5-L7]]"],
    ["who maintains this", "who maintains it, in `package.json`: [[shop:package.json#L3-L4]]"],
    ["what does CI run", "what CI runs, in `.github/workflows/check.yml`: [[shop:.github/workflows/check.yml#L2-L5]]"],
  ];
  test.each(answers)("%s", async (question, expected) => {
    const { text } = await askBuiltin([fixture(tree, { resource: "shop" })], question);
    expect(/^\*\*1\.\*\* (.*)$/m.exec(text)?.[1]).toBe(expected);
  });
});

describe("what projects write about themselves in their own way", () => {
  const tree = `//- COPYING
Shop is under two licences.
//- LICENSE-MIT
The MIT License
//- vendor/coins/LICENSE
Copyright: coins may be used in commercial and closed source shops.
//- README.md
Shop
====

Quick Build
-----------

Run make shop.

Plugins
-------

\`rake lint:all\` checks them.
//- .github/contributing.md
# Contributing

* :pypi:\`pytest-shop\` has its own issues.

Start the till and run the checks:

\`\`\`
bundle exec rake
\`\`\`

Put each change in its own commit with its own changelog entry.

### Creating changelog entries

Add a file to changes/.

### Changelog entry format

A line.

### Commit messages

Say why.

### Use of AI tools

Read what they wrote.

### Linting

Run \`make tidy\`.
//- docs/threats.md
# Threats

A thief who runs one test of the till is seen.
//- docs/tests.md
# Tests

To run just one test file, name it.
`;
  const answers: [string, string][] = [
    ["what licence is it, MIT?", "the licence, in `COPYING`: [[shop:COPYING#L1]]"],
    ["can I use this in a closed source app?", "the licence, in `COPYING`: [[shop:COPYING#L1]]"],
    ["how do I build it from source", "how to build it, in `README.md`: [[shop:README.md#L4-L7]]"],
    [
      "How do I run the tests",
      "how to run the tests, in `.github/contributing.md`: [[shop:.github/contributing.md#L5-L8]]",
    ],
    [
      "how should a commit message look",
      "how a commit is described, in `.github/contributing.md`: [[shop:.github/contributing.md#L21-L23]]",
    ],
    [
      "can I use copilot for my patch",
      "what it says of AI, in `.github/contributing.md`: [[shop:.github/contributing.md#L25-L27]]",
    ],
    [
      "how do I run the linter",
      "the code style, in `.github/contributing.md`: [[shop:.github/contributing.md#L29-L31]]",
    ],
    ["how do I run only one test file", "how to run one test, in `docs/tests.md`: [[shop:docs/tests.md#L3]]"],
    [
      "do I have to edit the changelog in my pull request",
      "how a change is noted, in `.github/contributing.md`: [[shop:.github/contributing.md#L13-L15]]",
    ],
  ];
  test.each(answers)("%s", async (question, expected) => {
    const { text } = await askBuiltin([fixture(tree, { resource: "shop" })], question);
    expect(/^\*\*1\.\*\* (.*)$/m.exec(text)?.[1]).toBe(expected);
  });

  test("a section after a code block begins with its heading, and a mention with its sentence", async () => {
    const pages = `//- CONTRIBUTING.md
\`\`\`
make all
\`\`\`

## Run one test

Name it.

## Changes

- Say what it does in
the [changelog][].
`;
    const first = async (question: string) =>
      /^\*\*1\.\*\* (.*)$/m.exec((await askBuiltin([fixture(pages, { resource: "shop" })], question)).text)?.[1];
    expect(await first("how do I run only one test")).toContain("CONTRIBUTING.md#L5-L7");
    expect(await first("do I have to edit the changelog in my PR")).toContain("CONTRIBUTING.md#L11-L12");
  });

  test("a sentence of a document with any name does not say how one test is run", async () => {
    const { text } = await askBuiltin(
      [fixture(tree.replace(/\/\/- docs\/tests[^]*/, ""), { resource: "shop" })],
      "how do I run only one test file",
    );
    expect(text).not.toContain("how to run one test");
  });
});
