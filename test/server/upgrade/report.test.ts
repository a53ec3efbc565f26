import { expect, test } from "vitest";
import type { Snapshot } from "../../../server/resources/snapshot.ts";
import { findUses } from "../../../server/upgrade/find-uses.ts";
import { readVersion } from "../../../server/upgrade/read-version.ts";
import { constructorName, createReport, type ReportFinding } from "../../../server/upgrade/report.ts";
import { fixture } from "../../support/fixture.ts";

const signal = new AbortController().signal;

/** `name change certainty` for each finding about one file of a project, for two versions of the package `pkg`. */
async function findingsOf(path: string, text: string, before: string, after: string): Promise<string[]> {
  const findings = await reportOn(path, text, before, after);
  return findings.map(({ name, change, certainty }) => `${name} ${change} ${certainty}`);
}

async function reportOn(
  path: string,
  text: string,
  before: string,
  after: string,
  changelog = "",
): Promise<ReportFinding[]> {
  const snapshot = fixture(`//- ${path}\n${text}`);
  const found = await findUses(path, text.split("\n"), async ({ module }) => /^(?:example\.com\/)?pkg\b/.test(module));
  const uses = found.map((use) => ({ ...use, snapshot, path, isTest: false }));
  const names = new Set([...uses.map(({ name }) => name), constructorName]);
  const { findings } = await createReport(uses, {
    before: await readVersion(packageOf(path, before), { names, version: "1.0.0", signal }),
    after: await readVersion(packageOf(path, after), { names, version: "2.0.0", signal }),
    changelogs: [fixture(changelog)],
    versions: { from: "1.0.0", to: "2.0.0" },
    repository: undefined,
    signal,
  });
  return findings;
}

function packageOf(path: string, text: string): Snapshot {
  const snapshot = fixture(text);
  return path.endsWith(".java") ? { ...snapshot, info: { ...snapshot.info, type: "maven" } } : snapshot;
}

test("a name that its module exports no longer is removed, also if other files have it", async () => {
  const python = "from pkg import Mark, Other, Third\n";
  const init = "//- pkg/__init__.py\n";
  const util = "//- pkg/util.py\nclass Mark:\n    pass\n\n\nclass Other:\n    pass\n\n\nclass Third:\n    pass\n";
  const all = `${init}from .util import Mark, Other, Third\n${util}`;
  const some = `${init}from .util import Other\nfrom .util import Third as _third\n${util}`;
  expect(await findingsOf("a.py", python, all, some)).toEqual(["Mark removed certain", "Third removed certain"]);
  // What is exported without a name may be there.
  expect(await findingsOf("a.py", python, all, `${init}from .util import *\n${util}`)).toEqual([]);

  const rust = "use pkg::Body;\nfn run() {\n    pkg::body::read();\n}\n";
  const lib =
    "//- src/lib.rs\npub use crate::body::Body;\npub mod body;\n//- src/body/mod.rs\npub struct Body {}\npub fn read() {}\n";
  const inner =
    "//- src/lib.rs\npub mod body;\n//- src/body.rs\nmod inner;\n//- src/body/inner.rs\npub struct Body {}\nfn read() {}\n";
  expect(await findingsOf("a.rs", rust, lib, inner)).toEqual(["Body removed certain", "body.read removed certain"]);

  const go = 'package main\n\nimport "example.com/pkg/web"\n\nfunc run() {\n\tweb.Handler()\n}\n';
  const old = "//- web/a.go\npackage web\n\nfunc Handler() http.Handler {\n}\n";
  const now =
    "//- web/a.go\npackage web\n\nvar x = other.Handler()\n//- other/a.go\npackage other\n\nfunc Handler() {\n}\n";
  expect(await findingsOf("a.go", go, old, now)).toEqual(["web.Handler removed certain"]);
});

test("the type of what a function returns has the members, with those of what it is based on", async () => {
  const project = "import pkg\n\ntable = pkg.read()\ntable.add(1)\ntable.keep()\ntable.moved()\n";
  const read = "//- pkg/__init__.py\ndef read() -> Table:\n    pass\n";
  const other = "class Index:\n    def add(self, one):\n        pass\n";
  const before = `${read}//- pkg/table.py\nclass Table(Base[Index]):\n    def add(self, one):\n        pass\n    def keep(self):\n        pass\n    def moved(self):\n        pass\n\n\n${other}`;
  const after = `${read}//- pkg/table.py\nclass Table(Base[Index]):\n    def keep(self):\n        pass\n\n\nclass Base:\n    def moved(self):\n        pass\n\n\n${other}`;
  expect(await findingsOf("a.py", project, before, after)).toEqual(["table.add removed likely"]);
});

test("arguments by name are those of the constructor of a class, or of one that it is based on", async () => {
  const project = "from pkg import Field\n\nfield = Field(size=1, label=2)\n";
  const base = (parameters: string) =>
    `//- pkg/__init__.py\nclass Field(Base):\n    pass\n\n\nclass Base:\n    def __init__(self, ${parameters}):\n        pass\n\n\ndef other(\n    size=1,\n):\n    pass\n`;
  expect(await findingsOf("a.py", project, base("size=None, label=None"), base("label=None"))).toEqual([
    "Field.size removed likely",
  ]);
});

test("what goes with a class or a function is not listed beside it", async () => {
  const project = "from pkg import Old\n\nOld.make()\nOld.only(size=1)\n";
  const before =
    "//- pkg/__init__.py\nclass Old:\n    def make(self):\n        pass\n    def only(self, size=1):\n        pass\n";
  const after = "//- pkg/__init__.py\nclass New:\n    def make(self):\n        pass\n";
  expect(await findingsOf("a.py", project, before, after)).toEqual(["Old removed certain", "Old.only removed certain"]);
});

test("a package that was a function, and exports names alone, cannot be called", async () => {
  const old = "//- package.json\n{}\n//- index.js\nmodule.exports = clean;\n";
  const named = '//- package.json\n{ "main": "main.js" }\n//- main.js\nexports.clean = clean;\n';
  const called = 'const pkg = require("pkg");\npkg("a");\n';
  expect(await findingsOf("a.js", called, old, named)).toEqual(["pkg removed likely"]);
  expect(await findingsOf("a.js", 'const pkg = require("pkg");\npkg.clean("a");\n', old, named)).toEqual([]);
  const whole = '//- package.json\n{ "main": "main.js" }\n//- main.js\nmodule.exports = clean;\n';
  expect(await findingsOf("a.js", called, old, whole)).toEqual([]);
  // Only `import` gets it.
  const compiled = '//- package.json\n{ "main": "main.js" }\n//- main.js\nexports.default = clean;\n';
  expect(await findingsOf("a.js", called, old, compiled)).toEqual(["pkg removed likely"]);
  expect(await findingsOf("a.mjs", 'import pkg from "pkg";\npkg("a");\n', old, compiled)).toEqual([]);
});

test("a runtime that two manifests name in different ways is the same", async () => {
  const project = "import pkg\n";
  const page = "//- PKG-INFO\nRequires-Python: >=3.8\n";
  expect(await findingsOf("a.py", project, page, '//- pyproject.toml\nrequires-python = ">=3.8"\n')).toEqual([]);
  expect(await findingsOf("a.py", project, page, '//- pyproject.toml\nrequires-python = ">=3.9"\n')).toEqual([
    "python requires possible",
  ]);
});

test("a runtime that a package states twice is listed once", async () => {
  const manifests = (version: string) =>
    `//- PKG-INFO\nRequires-Python: ${version}\n//- src/pkg.egg-info/PKG-INFO\nRequires-Python: ${version}\n`;
  expect(await findingsOf("a.py", "import pkg\n", manifests(">=3.8"), manifests(">=3.9"))).toEqual([
    "python requires possible",
  ]);
});

test("a module that is imported by its name exports what is taken from it", async () => {
  const project = "from pkg import image, Shape\n\nimage.OLD\nimage.KEPT\nShape.OLD\n";
  const init = "//- pkg/__init__.py\nfrom .shape import Shape\n//- pkg/shape.py\nclass Shape:\n    OLD = 1\n";
  const before = `${init}//- pkg/image.py\nOLD = 1\nKEPT = 2\n`;
  expect(await findingsOf("a.py", project, before, `${init}//- pkg/image.py\nKEPT = 2\n`)).toEqual([
    "image.OLD removed certain",
  ]);
});

test("names that a module makes when they are asked for go with what makes them", async () => {
  const project = "from pkg import image\n\nimage.OLD_ONE\nimage.open()\n";
  const own = "//- pkg/image.py\ndef open():\n    pass\n";
  const served = `${own}\n\ndef __getattr__(name):\n    return old[name.removeprefix("OLD_")]\n`;
  // Other languages in the package do not export it.
  const native = "//- image.c\nint OLD_ONE = 1;\n";
  expect(await findingsOf("a.py", project, served + native, own + native)).toEqual(["image.OLD_ONE removed certain"]);
  expect(await findingsOf("a.py", project, served, served)).toEqual([]);
});

test("a chain of calls is of the type that it begins with", async () => {
  const project = 'use pkg::Arg;\nfn run() {\n    Arg::new("x")\n        .keep(true)\n        .choices([a(1)]);\n}\n';
  const arg = "//- src/lib.rs\npub struct Arg {}\nimpl Arg {\n    pub fn keep(self) -> Self {}\n";
  const other = "}\npub struct Other {}\nimpl Other {\n    pub fn choices(self) {}\n}\n";
  expect(
    await findingsOf("a.rs", project, `${arg}    pub fn choices(self) -> Self {}\n${other}`, `${arg}${other}`),
  ).toEqual(["choices removed likely"]);
});

test("a class in another package is removed where it was, shown where it is, and its members are compared there", async () => {
  const project =
    "import static pkg.Check.isTrue;\nimport pkg.Mark;\nimport pkg.Mark.Kind;\nimport pkg.Test;\n\n@Test(gone = 1, kept = 2)\nclass A {\n    Mark mark = new Mark();\n    void run() {\n        mark.old();\n        mark.stay();\n        isTrue();\n    }\n}\n";
  const test = (members: string) => `public @interface Test {\n${members}    int kept() default 0;\n}\n`;
  const mark = (members: string) =>
    `public class Mark {\n    public enum Kind {}\n${members}    public void stay() {}\n}\n`;
  const before = `//- pkg/Test.java\npackage pkg;\n\n${test("    int gone() default 0;\n")}//- pkg/Mark.java\npackage pkg;\n\n${mark("    public void old() {}\n")}//- pkg/Check.java\npackage pkg;\n\nclass Check {\n    static void isTrue() {}\n}\n`;
  const after = `//- other/Test.java\npackage other;\n\n${test("")}//- other/Mark.java\npackage other;\n\n${mark("")}//- other/Checks.java\npackage other;\n\nclass Checks {\n    static void isTrue(int gone) {}\n}\n`;
  const findings = await reportOn("a.java", project, before, after);
  const places = findings.map(({ name, before: old, after: now }) => [name, old?.path, old?.line, now?.path]);
  expect(places).toEqual([
    ["pkg.Check.isTrue", "pkg/Check.java", 4, undefined],
    ["pkg.Mark", "pkg/Mark.java", 3, "other/Mark.java"],
    ["pkg.Test", "pkg/Test.java", 3, "other/Test.java"],
    ["pkg.Mark.Kind", "pkg/Mark.java", 4, undefined],
    ["mark.old", "pkg/Mark.java", 5, undefined],
    ["Test.gone", "pkg/Test.java", 4, undefined],
  ]);
});

test("an entry of the changelog says what a name is of, by its type, and in Go by its package", async () => {
  const project =
    'package main\n\nimport "pkg"\n\nfunc run(c *pkg.Context) {\n\tc.Jump()\n\tengine := pkg.New()\n\tengine.Start()\n}\n';
  const code =
    "//- a.go\npackage pkg\n\ntype Context struct{}\n\nfunc New() *Engine {\n}\n\nfunc (c *Context) Jump() {}\n\nfunc (e *Engine) Start() {}\n";
  const changelog =
    "//- CHANGELOG.md\n## 2.0.0\n\n- `Context.Jump()` now returns\n- `Engine.Start()` now returns\n- Use errors.New instead of fmt.Errorf\n- `Other.Start()` is removed\n";
  const findings = await reportOn("a.go", project, code, code, changelog);
  expect(findings.map(({ name, notes }) => [name, notes.length])).toEqual([
    ["c.Jump", 1],
    ["engine.Start", 1],
  ]);
});

test("a name that a package of npm does not list any more is removed, also if its files have it", async () => {
  const project = 'import { Mark, Kept } from "pkg";\nimport { Part } from "pkg/part";\nMark.size;\n';
  const files =
    '//- package.json\n{ "module": "index.js" }\n//- part.js\nexport class Part {}\n//- core.js\nexport class Mark {}\n';
  const before = `${files}//- index.js\nexport { Mark, Kept } from "./core";\n`;
  const listed = `${files}//- index.js\nimport { Mark } from "./core";\nexport { Kept } from "./core";\n`;
  const [found, ...others] = await reportOn("a.js", project, before, listed);
  expect([found?.name, found?.change, found?.after?.path, others]).toEqual(["Mark", "removed", "core.js", []]);
  const open = `${files}//- index.js\nexport { Kept } from "./core";\nexport * from "./core";\n`;
  expect(await findingsOf("a.js", project, before, open)).toEqual([]);
});
