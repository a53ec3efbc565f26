import { expect, test } from "vitest";
import { formatPlace } from "../../../../server/protocol/citation.ts";
import type { FileKind } from "../../../../server/protocol/search.ts";
import { formatRepeats, type Repeats } from "../../../../server/retrieval/repeats.ts";
import { createRetrieval } from "../../../../server/retrieval/retrieval.ts";
import { fixture } from "../../../support/fixture.ts";

const source = `//- src/retry.ts
import { wait } from "./wait.ts";

export class Retry {
  /** The next delay: next doubles it. */
  next(times: number): number {
    const base = 100;

    return wait(base * times);
  }
}
//- src/wait.ts
export function wait(ms: number): number {
  return ms;
}

export const pause = wait;
//- src/page.ts
export class Page {
  next(): void {
    turn();
  }
}
//- docs/guide.md
# Guide

Call wait() before the next page.
//- test/wait.test.ts
wait(3);
`;

const retrieval = createRetrieval();
const snapshots = [fixture(source)];
const options = { limit: 10, signal: undefined };
const definitions = async (name: string) => {
  const { passages } = await retrieval.definitions(snapshots, { ...options, name });
  return passages.map(({ path, startLine, endLine, scope }) => {
    return `${path}:${startLine}-${endLine} ${scope.map((one) => one.name).join(".")}`.trim();
  });
};
const references = async (name: string, limit = 10) => {
  const { references, cut, total } = await retrieval.references(snapshots, { ...options, name, limit });
  const places = references.map(({ path, matchLines, use, scope }) => {
    return `${path}:${matchLines.join(",")} ${use} ${scope.map((one) => one.name).join(".")}`.trim();
  });
  return { places, cut, total };
};

test("a definition is shown whole, with its comment; of several the longest comes first", async () => {
  expect(await definitions("next")).toEqual(["src/retry.ts:4-9 Retry", "src/page.ts:2-4 Page"]);
});

test.each(["Page.next", "Page#next", "Page::next()"])("of %s only the member of that owner", async (name) => {
  expect(await definitions(name)).toEqual(["src/page.ts:2-4 Page"]);
});

test.each([
  ["a.ts", 'import { later } from "./b";', "/*\nfunction later() {\n}\n*/", "function later() {\n}"],
  ["a.js", 'const { later } = require("./b");', "/*\nfunction later() {\n}\n*/", "function later() {\n}"],
  ["a.py", "from b import later", '"""\ndef later():\n    pass\n"""', "def later():\n    pass"],
  ["a.go", 'import later "b/later"', "/*\nfunc later() {\n}\n*/", "func later() {\n}"],
  ["a.rs", "use b::later;", "/*\nfn later() {\n}\n*/", "fn later() {\n}"],
  ["a.kt", "import b.later", 'val s = """\nfun later() {\n}\n"""', "fun later() {\n}"],
  ["a.c", '#include "later.h"', "/*\nvoid later(void) {\n}\n*/", "void later(void) {\n}"],
  ["a.cpp", "using b::later;", "/*\nvoid later() {\n}\n*/", "void later() {\n}"],
  ["a.rb", 'require "later"', "=begin\ndef later\nend\n=end", "def later\nend"],
  ["a.php", "<?php use function b\\later;", "/*\nfunction later() {\n}\n*/", "function later() {\n}"],
  ["a.swift", "import later", 'let s = """\nfunc later() {\n}\n"""', "func later() {\n}"],
  ["a.scala", "import b.later", 'val s = """\ndef later = {\n}\n"""', "def later = {\n}"],
  ["a.lua", 'local b = require("later")', "--[[\nfunction later()\nend\n]]", "function later()\nend"],
  ["a.ex", "import later", '@doc """\ndef later do\nend\n"""', "def later do\nend"],
])("%s: neither an import, a comment, a string nor a call is a definition", async (path, imported, quoted, defined) => {
  const before = `${imported}\n\n${quoted}\nx = "later()";\n\n`;
  const all = [fixture(`//- ${path}\n${before}${defined}\n\nlater();\n`)];
  const { passages } = await retrieval.definitions(all, { ...options, name: "later" });
  expect(passages.map(({ lines }) => lines.join("\n"))).toEqual([defined]);
});

test("where no name has that case, another case is found", async () => {
  expect(await definitions("RETRY")).toEqual(["src/retry.ts:3-10"]);
  expect(await definitions("absent")).toEqual([]);
});

test("a definition of more than 200 lines says where it ends", async () => {
  const body = Array.from({ length: 300 }, (_, index) => `  step(${index});\n`).join("");
  const long = [fixture(`//- a.ts\nfunction run() {\n${body}}\n`)];
  const { passages } = await retrieval.definitions(long, { ...options, name: "run" });
  expect(passages).toMatchObject([{ startLine: 1, endLine: 200, reason: "defines `run`, to line 302" }]);
});

function also(repeats: Repeats | undefined): string {
  return repeats === undefined ? "" : formatRepeats(repeats, ({ path, ...lines }) => formatPlace(path, lines));
}

test("overloads and copies are named with the definition that they repeat", async () => {
  const body = "export function parse(text: string): number {\n  const value = Number(text);\n\n  return value;\n}\n";
  const overloads = "export function parse(text: string): number;\nexport function parse(): undefined;\n";
  const many = [
    fixture(
      `//- src/a.ts\n${overloads}${body}//- vendor/b.ts\n\n${body}//- src/c.ts\n${body.replace("Number", "float")}`,
    ),
  ];
  const { passages } = await retrieval.definitions(many, { ...options, name: "parse" });
  expect(passages.map(({ path, startLine, repeats }) => [`${path}:${startLine}`, also(repeats)])).toEqual([
    ["src/a.ts:3", "overloads at 1, 2; the same in vendor/b.ts:2-6"],
    ["src/c.ts:1", ""],
  ]);
  const declared = [fixture(`//- a.d.ts\n${overloads}`)];
  const { passages: stubs } = await retrieval.definitions(declared, { ...options, name: "parse" });
  expect(stubs.map(({ startLine }) => startLine)).toEqual([1, 2]);
});

test("definitions in tests are named with the first in source, unless tests are wanted", async () => {
  const files = (source: string) => [fixture(`${source}//- test/a.test.ts\nfunction wait() {\n  return 1;\n}\n`)];
  const shown = async (source: string, kinds?: FileKind[]) => {
    const { passages } = await retrieval.definitions(files(source), { ...options, kinds, name: "wait" });
    return passages.map(({ path, repeats }) => `${path} ${also(repeats)}`.trim());
  };
  const source = "//- src/a.ts\nexport function wait() {}\n";
  expect(await shown(source)).toEqual(["src/a.ts others in tests: test/a.test.ts:1-3"]);
  expect(await shown(source, ["code", "test"])).toEqual(["src/a.ts", "test/a.test.ts"]);
  expect(await shown("")).toEqual(["test/a.test.ts"]);
});

test("calls come before other uses and imports, code before documents and tests; definitions are no uses", async () => {
  expect((await references("wait")).places).toEqual([
    "src/retry.ts:8 calls Retry.next",
    "src/wait.ts:5 uses",
    "src/retry.ts:1 imports",
    "docs/guide.md:3 calls Guide",
    "test/wait.test.ts:1 calls",
  ]);
  expect((await references("next")).places).toEqual(["docs/guide.md:3 uses Guide"]);
});

test("uses next to each other are apart if their definitions are, and so are imports", async () => {
  const near = [
    fixture(`//- a.ts
import { wait } from "./wait.ts";

class Retry {
  next() {
    wait(1);
    wait(2);
  }
  again() {
    return wait;
  }
}
//- c.ts
function later(delay: number) {
  return now + delay;
}
//- b.ts
import { wait } from "./wait.ts";

wait(3);
`),
  ];
  const { references, total } = await retrieval.references(near, { ...options, name: "wait" });
  const shown = references.map(({ path, startLine, endLine, lines, use, scope }) => {
    return [`${path}:${startLine}-${endLine}`, use, scope.map((one) => one.name).join("."), lines.length];
  });
  expect(shown).toEqual([
    ["a.ts:5-6", "calls", "Retry.next", 2],
    ["b.ts:3-3", "calls", "", 1],
    ["a.ts:9-9", "uses", "Retry.again", 1],
    ["a.ts:1-1", "imports", "", 1],
    ["b.ts:1-1", "imports", "", 1],
  ]);
  expect(total).toBe(6);
  const { references: used } = await retrieval.references(near, { ...options, name: "delay" });
  expect(used).toMatchObject([{ path: "c.ts", startLine: 1, endLine: 3, matchLines: [1, 2] }]);
});

test("uses near the definition come first, those in a type's own file and in tests of a Rust file last", async () => {
  const tree = [
    fixture(`//- contrib/deep/far.rs
fn far() { Purse::open(); }
//- src/shop/purse.rs
struct Purse { coins: u32 }
impl Purse {
    fn open() -> Purse { Purse { coins: 1 } }
}
mod tests {
    fn opens() { Purse::open(); }
}
//- src/shop/till.rs
fn till() { Purse::open(); }
//- src/shop/match.js
class Match {
    test(coin) {
        return Purse.open(coin);
    }
}
`),
  ];
  const { references } = await retrieval.references(tree, { ...options, name: "Purse", limit: 20 });
  const places = references.map(({ path, kind }) => `${path} ${kind}`);
  expect(places.slice(0, 2).toSorted()).toEqual(["src/shop/match.js code", "src/shop/till.rs code"]);
  expect(places.at(2)).toBe("contrib/deep/far.rs code");
  expect(places.at(-1)).toBe("src/shop/purse.rs test");
});

test("a declaration in a header, a comment and a string are no calls, and a method's definition is no use", async () => {
  const tree = [
    fixture(`//- queue.h
class EXPORTED queue {
    void flush(int level);
};
//- queue.cpp
void queue::flush(int level) { level_ = level; }
void run(queue &one) {
    // then flush(1)
    log("flush(1)");
    one.flush(1);
}
`),
  ];
  const { references } = await retrieval.references(tree, { ...options, name: "flush" });
  const shown = references.map(({ path, matchLines, use, scope }) => {
    return `${path}:${matchLines.join()} ${use} ${scope.map(({ name }) => name).join(".")}`;
  });
  expect(shown).toEqual(["queue.cpp:3,4,5 calls run", "queue.h:2 uses queue"]);
});

test("says how many places are not shown", async () => {
  expect(await references("wait", 2)).toMatchObject({ cut: ["2 of 5 places are shown"], total: 5 });
});

test("pages count matching lines, so that each place is shown once", async () => {
  const lines = Array.from({ length: 6 }, (_, index) => (index % 3 === 2 ? "\n\n\n" : "  step();\n")).join("");
  const pages = [fixture(`//- a.ts\nfunction run() {\n${lines}}\n`)];
  const seen: number[] = [];
  for (let offset = 0; offset < 4;) {
    const { references } = await retrieval.references(pages, { ...options, name: "step", limit: 1, offset });
    const found = references.flatMap(({ matchLines }) => matchLines);
    expect(found.length).toBeGreaterThan(0);
    seen.push(...found);
    offset += found.length;
  }
  expect(seen).toEqual([2, 3, 7, 8]);
});

test("with its owner, those written with the owner come first, and sweep? is another name", async () => {
  const tree = [
    fixture(`//- lib/broom.rb
class Broom
  def self.sweep
  end
end
//- lib/house.rb
class House
  def clean
    floor.sweep
    return if clean.sweep?
  end

  def tidy
    Broom.sweep
  end
end
`),
  ];
  const { references } = await retrieval.references(tree, { ...options, name: "Broom.sweep" });
  expect(references.map(({ path, matchLines }) => `${path}:${matchLines.join()}`)).toEqual([
    "lib/house.rb:8",
    "lib/house.rb:3",
  ]);
});
