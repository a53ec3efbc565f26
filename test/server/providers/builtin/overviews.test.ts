import { describe, expect, test } from "vitest";
import { askBuiltin } from "../../../support/ask-builtin.ts";
import { fixture } from "../../../support/fixture.ts";

async function firstOf(tree: string, question: string) {
  const { text } = await askBuiltin([fixture(tree, { resource: "shop" })], question);
  return { text, first: /^\*\*1\.\*\* (.*)$/m.exec(text)?.[1] ?? "" };
}

describe("what a command starts comes before what a library exports", () => {
  const lines = (count: number, text: string) => Array.from({ length: count }, (_, n) => `${text}${n}();\n`).join("");

  test("the executable of a gem, which has no extension", async () => {
    const tree = `//- shop.gemspec
Gem::Specification.new do |spec|
  spec.name = "shop"
  spec.bindir = "exe"
  spec.executables = ["shop"]
end
//- exe/shop
#!/usr/bin/env ruby
require "shop"
Shop::CLI.new.run
//- lib/shop.rb
module Shop
  def self.open
  end

  def self.close
  end

${lines(40, "  look")}end
`;
    const executable = "where it starts, `exe/shop`: [[shop:exe/shop#L2-L3]]";
    expect((await firstOf(tree, "where does execution begin when I type shop in a terminal")).first).toBe(executable);
    const { text } = await firstOf(tree, "what are the main classes");
    expect(text).toContain("It starts in `lib/shop.rb`, which defines:\n\n- `def self.open`");
    expect(text).not.toContain("exe/shop");
  });

  const script = `//- package.json
{
  "name": "shop",
  "main": "lib/index.js",
  "bin": {
    "shop": "./bin/shop.cjs"
  }
}
//- lib/index.js
exports.open = open;
//- bin/shop.js
import "./shop.cjs";
`;

  test("the function that a script calls at its end", async () => {
    const tree = `${script}//- bin/shop.cjs
function read() {
${lines(50, "  look")}}

function run() {
  return read().then(open);
}

module.exports.done = run();
`;
    const { first } = await firstOf(tree, "which file is executed first when I run shop");
    expect(first).toBe("where it starts, `bin/shop.cjs`: [[shop:bin/shop.cjs#L54-L56]]");
  });

  test("a main that is called where it is defined", async () => {
    const tree = `${script}//- bin/shop.cjs
function read() {
${lines(160, "  look")}}

(async function main() {
  await open(read());
})();
`;
    const { text, first } = await firstOf(tree, "where does it start when I call shop from the command line");
    expect(first).toMatch(/^where it starts, `bin\/shop\.cjs`/);
    expect(text).toContain("await open(read())");
  });
});

test("a project of Java starts in the class with its name, and one of Go not in an example of a comment", async () => {
  const java = `//- pom.xml
<project>
  <artifactId>shop</artifactId>
</project>
//- core/src/main/java/org/books/Shop.java
public final class Shop {
  public void open() {}
}
`;
  expect((await firstOf(java, "what are the main types")).first).toContain("where it starts, `core/src/main/java/");
  const go = `//- go.mod
module example.org/shop
//- doc.go
/*
Package shop sells.

	func main() {
		shop.Open()
	}
*/
package shop
//- shop.go
package shop

func Open() {}
`;
  expect((await firstOf(go, "where does it start")).first).toContain("where it starts, `shop.go`");
});

describe("what it is, and how it works", () => {
  test("neither the contents of the page, nor its fields, nor who pays for it", async () => {
    const markdown = "//- README.md\n# Contents\n- [Shop](#shop)\n- [Use](#use)\n\n# Shop\n\nSells books to readers.\n";
    expect((await firstOf(markdown, "what is the shop, in one sentence?")).first).toBe(
      "what it is, in `README.md`: [[shop:README.md#L5-L7]]",
    );
    const fields = ":Version: 5 (recovery)\n:Keywords: books, readers,\n  orders, sales\n";
    const paid = "Donations\n=========\n\nCollective\n----------\n\nOur work is paid for by readers.\n";
    const rst = `//- README.rst\n${fields}\n${paid}\nWhat is a shop?\n===============\n\nA shop sells books to readers.\n`;
    expect((await firstOf(rst, "what exactly is shop? do I still need a bank")).first).toBe(
      "what it is, in `README.rst`: [[shop:README.rst#L13-L16]]",
    );
  });

  test.each([
    ["docs/architecture/index.md", "how does shop work under the hood"],
    ["docs/technical-details.md", "in general terms how does shop actually sell books"],
    ["docs/how-it-works.md", "how does it work internally?"],
  ])("%s: %s", async (path, question) => {
    const tree = `//- README.md\n# Shop\n\nSells books.\n//- ${path}\n# Inside\n\nAn order goes through the till.\n`;
    expect((await firstOf(tree, question)).first).toContain(`how it is put together, in \`${path}\``);
  });

  test("an index that only lists other pages is not how it is put together", async () => {
    const tree = `//- README.md\n# Shop\n\nSells books.\n//- docs/internals/index.rst\nInternals\n=========\n\n.. toctree::\n\n   till\n`;
    expect((await firstOf(tree, "how does it work?")).text).not.toContain("put together");
  });
});

test("a project with many folders of long names has a start", async () => {
  const folders = Array.from({ length: 40 }, (_, n) => `//- ${"long-folder-name".repeat(6)}-${n}/a.txt\na\n`).join("");
  const tree = `//- server/app/index.js\nsell();\n${folders}`;
  const { first } = await firstOf(tree, "where does it start");
  expect(first).toContain("where it starts, `server/app/index.js`");
});

test("a folder is what its README says, then its files", async () => {
  const files = Array.from({ length: 14 }, (_, n) => `//- src/a${n}.ts\nexport const a${n} = ${n};\n`).join("");
  const tree = `//- docs/shop.md\n# Organised source\n\nHow the source is organised: the till is in \`src/till\`.\n${files}//- src/readme.md\n# Sources\n\n- till: takes the money\n`;
  const { text, first } = await firstOf(tree, "how is the source organised, whats in src/ ?");
  expect(first).toBe("what `src` is, in its README: [[shop:src/readme.md#L1-L3]]");
  expect(text).toMatch(/\n- `a0\.ts`: `a0` \[\[shop:src\/a0/);
  expect(text).toContain("\n**2.** ");
});

describe("examples", () => {
  const tree = `//- README.md
# Shop

Copy an example of the shop.
//- samples/build.gradle
copy("example")
//- samples/src/main/java/org/till/OpenTill.java
/** Opens a till. */
public final class OpenTill {}
//- src/copy.ts
/** Copies an example that I can use. */
export function copyExample() {}
//- src/till.ts
/** A till. */
export class Till {}
`;

  test.each(["is there an example I can copy", "where are the examples?", "show me a working example of shop"])(
    "%s: the folder",
    async (question) => {
      const { text } = await firstOf(tree, question);
      expect(text).toMatch(
        /- `src\/main\/java\/org\/till\/OpenTill\.java`: `OpenTill`: “Opens a till.”.*\n- and `build\.gradle`/,
      );
    },
  );

  test("an example of something: what it is wanted for says nothing about it", async () => {
    const { text } = await firstOf(tree, "is there an example of a till that I can copy");
    expect(text).not.toContain("“copy”");
    expect(text).not.toContain("what is in `samples`");
  });
});

test("the way of an order through the code is told by the document on the design", async () => {
  const tree = `//- docs/guide.md
# Orders

An order has steps, as a till has, and which go first is up to the shop.
//- docs/lifecycle.md
# Lifecycle

An order goes through two steps: it is counted, and then paid at the till.
//- src/order.ts
/** An order that goes through the steps of a till. */
export function orderSteps() {
  return counter;
}
`;
  expect((await firstOf(tree, "which steps does an order go through until it is at the till")).first).toContain(
    "docs/lifecycle.md",
  );
  expect((await firstOf(tree, "where are the steps of an order")).first).not.toContain("docs/lifecycle.md");
});

describe("the stages of something", () => {
  const question = "what are the passes that a source file goes through, and which modules do them";

  test("the comment at the head of the module that directs them", async () => {
    const tree = `//- shop/other.py
def files_of_source(modules):
    """In two steps: the file, then other modules of the source."""
    return modules
//- shop/build.py
"""Reads the source files of a shop.

This module only directs it, in multiple passes per file. The passes are in separate modules.
"""

def build():
    return None
`;
    const { first } = await firstOf(tree, question);
    expect(first).toContain("its stages, in `shop/build.py`: [[shop:shop/build.py#L1-");
  });

  test("an enumeration of them", async () => {
    const tree = `//- src/request.c
int request_of_http(int request) { return request; }
//- src/http.h
typedef enum {
    /* of an http request */
    SHOP_HTTP_READ_PHASE = 0,
    SHOP_HTTP_WRITE_PHASE
} request_phases;
`;
    const { first } = await firstOf(tree, "what are the stages an http request goes through");
    expect(first).toContain("its stages, in `src/http.h`");
  });

  test("lines about something else are none", async () => {
    const tree = `//- README.md\n# Shop\n\nInstall it in two steps.\n//- src/sale.ts\n/** A sale has steps. */\nexport function sale() {}\n`;
    expect((await firstOf(tree, "which steps does a sale go through")).text).not.toContain("its stages");
  });

  test("of the whole project: the section of the document on its design that has them", async () => {
    const tree = `//- docs/architecture.md
# Architecture

## Principles

Keep it in as few passes as possible: there are three passes.

## Overview

It has two main phases: count and pay.
`;
    const { first } = await firstOf(tree, "the big picture of how a sale is made, what are the main stages?");
    expect(first).toBe("how it is put together, in `docs/architecture.md`: [[shop:docs/architecture.md#L7-L9]]");
  });
});

test("the list of the parts in a document is shown first, whatever its heading", async () => {
  const parts = ["counter", "ledger", "till", "window"];
  const tree = `//- README.md
# Shop

Sells books.
//- .github/contributing.md
# Contributing

Be kind.

## What is where

This repository has several packages:

${parts.map((name) => `- \`${name}\`: is for the ${name}s\n`).join("\n")}
${parts.map((name) => `//- packages/${name}/index.js\nexports.open = ${name};\n`).join("")}`;
  for (const question of ["how is this repo organised, what are all the packages for?", "how is the code organised"]) {
    const { text, first } = await firstOf(tree, question);
    expect(first).toContain("its parts, in `.github/contributing.md`");
    expect(text).toContain("This repository has several packages:");
    expect(text).toContain("- `window`: is for the windows");
  }
});

describe("where it starts", () => {
  const rust = `//- Cargo.toml
[package]
name = "shop"

[lib]
path = "src/lib.rs"
//- src/lib.rs
pub fn open() {}
//- src/bin/shop-open.rs
fn main() {
    run();
}

fn other() {}

fn run() {
    run_inner();
}

fn run_inner() {
    match shop::name() {
        _ => shop::open(),
    }
}
`;
  test("a command's main, with what it calls below, before the library that the manifest names", async () => {
    const { text, first } = await firstOf(rust, "which file is the entry point? how does the same binary act as two");
    expect(first).toContain("where it starts, `src/bin/shop-open.rs`");
    expect(text).toContain("match shop::name()");
    expect(text.indexOf("src/bin/shop-open.rs")).toBeLessThan(text.indexOf("src/lib.rs"));
  });
});

test("where to ask is not what it is", async () => {
  const tree =
    "//- README.md\n# Shop\n\n## Got a question?\n\nWe are happy to answer on the forum.\n\n## What is it?\n\nIt sells books.\n";
  expect((await firstOf(tree, "What does shop actually do, in a sentence or two?")).first).toBe(
    "what it is, in `README.md`: [[shop:README.md#L1]], [[shop:README.md#L7-L9]]",
  );
});
