import { expect, test } from "vitest";
import { forwardsIn, renamesIn } from "../../../server/upgrade/forwards.ts";
import { joinFacts, readVersion, withBases } from "../../../server/upgrade/read-version.ts";
import { fixture } from "../../support/fixture.ts";

const signal = new AbortController().signal;

/** `module: original as exported`, or `module: *`. */
function forwards(path: string, text: string): string[] {
  return forwardsIn(path, text).map(({ module, name }) =>
    name === undefined
      ? `${module}: *`
      : `${module}: ${name.original}${name.original === name.exported ? "" : ` as ${name.exported}`}`,
  );
}

test("a crate exports names of another one by their paths, in lists, under other names, or all of them", () => {
  expect(forwards("src/lib.rs", "pub use other::*;\npub use ::other::inner::*;\npub use http;\n")).toEqual([
    "other: *",
    "other::inner: *",
    "http: *",
  ]);
  const lists =
    "    pub use a::b::{\n        c, // the first\n        d as e,\n        f::{g, h as i},\n    };\npub use one::Two as Three;\n";
  expect(forwards("src/lib.rs", lists)).toEqual([
    "a::b: c",
    "a::b: d as e",
    "a::b::f: g",
    "a::b::f: h as i",
    "one: Two as Three",
  ]);
  expect(forwards("src/lib.rs", "pub use a::{b::*, c};\n")).toEqual(["a: c", "a: *"]);
  const own =
    "mod client;\npub mod inner {}\npub use client::Builder;\npub use inner::*;\npub use crate::a::B;\npub use self::c::D;\npub(crate) use e::F;\nuse g::H;\n";
  expect(forwards("src/lib.rs", own)).toEqual([]);
});

test("a script exports names of another package, not of a file beside it", () => {
  const text =
    'export * from "other";\nexport * from "./own";\nexport { a as b, default as c, type D } from "@scope/other";\nexport {\n  e,\n  f as g\n} from "third";\nexport { h } from "../own";\nexport { i };\n';
  expect(forwards("index.d.ts", text)).toEqual([
    "other: *",
    "@scope/other: a as b",
    "@scope/other: D",
    "third: e",
    "third: f as g",
  ]);
  expect(forwards("a.py", 'export * from "other";\n')).toEqual([]);
});

test("a name is declared where it comes from, under its name there, with its members and no other names", async () => {
  const names = new Set(["Cmd", "run", "Other", "make"]);
  const own = await readVersion(fixture("//- src/lib.rs\npub use inner::a::{Command as Cmd, make, unused};\n"), {
    names,
    version: "1.0.0",
    signal,
  });
  const inner = await readVersion(
    fixture(
      "//- src/a.rs\npub struct Command {}\nimpl Command {\n    pub fn run(self, x: u8) {}\n}\npub struct Other {}\npub fn make(y: u8) {}\n",
    ),
    { names: new Set([...names, "Command"]), version: "1.0.0", signal },
  );
  const { names: facts } = joinFacts(own, inner, own.forwards);
  const declared = [...names].map((name) => facts.get(name)?.declared.map(({ path, line }) => `${path}:${line}`));
  expect(declared).toEqual([
    ["src/lib.rs:1", "src/a.rs:1", "src/a.rs:2"],
    ["src/a.rs:3"],
    [],
    ["src/lib.rs:1", "src/a.rs:6"],
  ]);
});

test("a name is also declared where it has another name in the package", async () => {
  const declared = async (text: string) => {
    const version = await readVersion(fixture(text), { names: new Set(["run"]), version: "1.0.0", signal });
    return version.names.get("run")?.declared.map(({ path, parameters }) => `${path}: ${parameters?.join()}`);
  };
  expect(
    await declared(
      "//- pkg/__init__.py\nfrom .core import (\n    _run as run,\n)\n//- pkg/core.py\ndef _run(a):\n    pass\n",
    ),
  ).toEqual(["pkg/__init__.py: undefined", "pkg/core.py: a"]);
  expect(
    await declared('//- index.js\nexport { walk as run } from "./core";\n//- core.js\nexport function walk(a) {}\n'),
  ).toEqual(["index.js: undefined", "core.js: a"]);
  expect(
    await declared("//- src/lib.rs\npub use crate::core::{walk as run};\n//- src/core.rs\npub fn walk(a: u8) {}\n"),
  ).toEqual(["src/lib.rs: undefined", "src/core.rs: a"]);
  // What a module imports for itself is not what the package exports.
  expect(renamesIn("pkg/a.py", "from .core import _run as run\n")).toEqual([]);
  expect(renamesIn("a.js", 'import { walk as run } from "./core";\n')).toEqual([]);
});

test("an alias of a type, and what embeds it, has its members", async () => {
  const files =
    '//- a.go\npackage a\n\ntype Client = inner.Base\n\ntype Server struct {\n\t*inner.Common `json:"a"`\n\tName string\n\tOther\n}\n//- src/lib.rs\npub type Handle = core::Inner<u8>;\n//- a.ts\nexport type Options = Base;\nexport type Either = One | Two;\n';
  const version = await readVersion(fixture(files), { names: new Set(["x"]), version: "1.0.0", signal });
  const basesOf = (name: string) => [...withBases([name], version)].slice(1);
  expect(["Client", "Server", "Handle", "Options", "Either"].map(basesOf)).toEqual([
    ["Base"],
    ["Common", "Other"],
    ["Inner"],
    ["Base"],
    [],
  ]);
});
