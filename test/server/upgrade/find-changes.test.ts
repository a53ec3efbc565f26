import { expect, test } from "vitest";
import type { Snapshot } from "../../../server/resources/snapshot.ts";
import { addFacts, emptyFacts, type NameFacts } from "../../../server/upgrade/declarations.ts";
import { argumentGone, changeOf, type UsedName } from "../../../server/upgrade/find-changes.ts";

const snapshot: Snapshot = Object.create(null);

function factsOf(name: string, path: string, text: string): NameFacts {
  const facts = new Map<string, NameFacts>([[name, emptyFacts()]]);
  addFacts(facts, { snapshot, path, lines: text.split("\n") });
  return facts.get(name) ?? emptyFacts();
}

/** `removed, certain`; undefined if nothing changes. */
function change(used: Partial<UsedName> & { name: string }, path: string, before: string, after: string) {
  const { name } = used;
  const facts = { before: factsOf(name, path, before), after: factsOf(name, path, after) };
  const found = changeOf({ form: "import", owners: [], ...used }, facts);
  return found && `${found.change}, ${found.certainty}`;
}

test("a name that is gone is removed, as surely as it is the package's", () => {
  const before = "class Thing:\n    def run(self):\n        pass\n\n\ndef run():\n    pass\n";
  expect(change({ name: "run" }, "a.py", before, "x = 1\n")).toBe("removed, certain");
  expect(change({ name: "run" }, "a.py", before, "x = [run for run in ()]\n")).toBe("removed, likely");
  expect(change({ name: "run", form: "derived" }, "a.py", before, "x = 1\n")).toBe("removed, likely");
  expect(change({ name: "run", form: "other" }, "a.py", before, "x = 1\n")).toBeUndefined();
  expect(change({ name: "run", form: "other", owners: ["thing"] }, "a.py", before, "x = 1\n")).toBe(
    "removed, possible",
  );
});

test("before is what the package exports, where a part of it has the same name", () => {
  const rust = "pub(crate) fn run(x: u8) {}\n\npub fn run() {}\n";
  const used = { form: "import", name: "run", owners: [] } as const;
  const found = changeOf(used, { before: factsOf("run", "a.rs", rust), after: factsOf("run", "a.rs", "") });
  expect(found?.before?.line).toBe(3);
});

test("a name in a comment, a string of several lines or a file of old code declares nothing", () => {
  const before = "export function run() {}\n";
  expect(change({ name: "run" }, "a.ts", before, "/*\nexport function run() {}\n*/\n")).toBe("removed, certain");
  expect(change({ name: "run" }, "a.ts", before, "const text = `\nexport function run() {}\n`;\n")).toBe(
    "removed, certain",
  );
});

test("a member is compared with that of its own type", () => {
  const before = "req.param = function param(name) {};\napp.param = function param(name) {};\n";
  const after = "app.param = function param(name) {};\n";
  expect(change({ name: "param", form: "derived", owners: ["req"] }, "a.js", before, after)).toBe("removed, possible");
  expect(change({ name: "param", form: "derived", owners: ["app"] }, "a.js", before, after)).toBeUndefined();
});

test("a name is deprecated if its declaration says so, also by a mark over several lines and for overloads", () => {
  const before = "def run(a):\n    pass\n";
  const after = '@deprecated(\n    "use walk",\n    category=None,\n)\ndef run(a):\n    pass\n';
  expect(change({ name: "run" }, "a.py", before, after)).toBe("deprecated, certain");
  expect(change({ name: "run" }, "a.py", after, after)).toBeUndefined();
  expect(change({ name: "run" }, "a.py", before, `@overload\ndef run(a: int): ...\n\n\n${after}`)).toBe(
    "deprecated, certain",
  );
  const go = "// Run runs.\n//\n// Deprecated: use Walk.\nfunc Run() {}\n";
  expect(change({ name: "Run" }, "a.go", "func Run() {}\n", go)).toBe("deprecated, certain");
});

test("parameters change if more are required or one has gone, not with their types", () => {
  const before = "export declare function run(text: string, options?: Options): void;\n";
  const changed = (now: string) =>
    change({ name: "run" }, "a.d.ts", before, `export declare function run(${now}): void;\n`);
  expect(changed("text: Text, options?: Other<A, B>")).toBeUndefined();
  expect(changed("text: string, options?: Options, more?: number")).toBeUndefined();
  expect(changed("text: string, locale: string, zone: string")).toBe("changed, likely");
  expect(changed("")).toBe("changed, likely");
  // Bases of a class are no parameters.
  expect(change({ name: "Run" }, "a.py", "class Run(One, Two):\n    pass\n", "class Run:\n    pass\n")).toBeUndefined();
});

test("what takes any number of arguments takes none, and a built-in type of Go is no other one", () => {
  const go = (before: string, after: string) =>
    change({ name: "Run", form: "member" }, "a.go", `func Run(${before}) {}\n`, `func Run(${after}) {}\n`);
  expect(go("a string", "a string, more ...Option")).toBeUndefined();
  expect(go("a string", "a []byte")).toBe("changed, likely");
  expect(go("a, b string", "a string, b []byte")).toBe("changed, likely");
  expect(go("a, b string", "a string, b string")).toBeUndefined();
  expect(go("a string", "a Text")).toBeUndefined();
  const java = (parameters: string) => `class A {\n    void run(${parameters}) {\n    }\n}\n`;
  expect(change({ name: "run" }, "a.java", java("int a"), java("int a, Object... rest"))).toBeUndefined();
});

test("a function of Go that returns something else is another one, and not what the next lines return", () => {
  const go = (before: string, after: string) => {
    const text = (results: string) => `type A interface {\n\tRun(a string) ${results}\n\tOther() (int, error)\n}\n`;
    return change({ name: "Run", form: "derived", owners: ["A"] }, "a.go", text(before), text(after));
  };
  expect(go("(string, error)", "([]byte, error)")).toBe("changed, possible");
  expect(go("(ip net.IP, ok bool)", "net.IP // the address")).toBe("changed, possible");
  expect(go("(n, size int)", "(int, int)")).toBeUndefined();
  expect(go("", "error")).toBeUndefined();
  expect(factsOf("Run", "a.go", "type A interface {\n\tRun() int\n\tMake() Other\n}\n").declared[0]?.returns).toEqual(
    [],
  );
});

test("what a package of Go has is no method", () => {
  const method = "func (p *Parser) Run(a string) {}\n";
  const used = { name: "Run", form: "member" } as const;
  expect(change(used, "a.go", "func Run(a string) {}\n", method)).toBe("removed, possible");
  expect(change(used, "a.go", `func Run(a string) {}\n${method}`, method.replace("string", "int"))).toBe(
    "removed, possible",
  );
});

test("the parameters are those of the line that declares the name, and a compiled class has none", () => {
  const now = "export declare function Run(options: Options): Element;\n";
  const before =
    "var Run = /*#__PURE__*/function (_Base) {\n  function Run() {\n    return _Base.apply(this, arguments);\n  }\n}(Base);\n";
  const facts = { before: factsOf("Run", "a.js", before), after: factsOf("Run", "a.d.ts", now) };
  expect(changeOf({ name: "Run", form: "import", owners: [] }, facts)).toBeUndefined();
});

test("an option counts if the package has it as an optional one, and what a function assigns is none", () => {
  const option: Partial<UsedName> = { form: "option", owners: ["make"] };
  expect(change({ name: "size", ...option }, "a.ts", "interface A {\n  size?: number;\n}\n", "")).toBe(
    "removed, possible",
  );
  expect(change({ name: "size", ...option }, "a.ts", "const a = {\n  size: 1,\n};\n", "")).toBeUndefined();
  const before = "def make(\n    size=None,\n):\n    pass\n";
  const after = "def make(\n    **more,\n):\n    size = more.pop('size')\n";
  expect(change({ name: "size", ...option }, "a.py", before, after)).toBe("removed, possible");
});

test("a member of a known type is compared with that of the type, and of what it is based on", () => {
  const before =
    "class Table(Base):\n    def add(self):\n        pass\n\n\nclass Index:\n    def add(self):\n        pass\n";
  const after =
    "class Table(Base):\n    def fill(\n        self,\n        add=1,\n    ):\n        pass\n\n\nclass Index:\n    def add(self):\n        pass\n";
  const typed = (...names: string[]): Partial<UsedName> => {
    const types = new Set(names);
    return { form: "derived", owners: ["t"], types: { before: types, after: types } };
  };
  expect(change({ name: "add", ...typed("Table") }, "a.py", before, after)).toBe("removed, likely");
  expect(change({ name: "add", ...typed("Index") }, "a.py", before, after)).toBeUndefined();
  const moved = "class Base:\n    def add(self):\n        pass\n";
  expect(change({ name: "add", ...typed("Table", "Base") }, "a.py", before, moved)).toBeUndefined();
  const types = "interface Table {\n  add(one: string): void;\n}\n";
  const parameter = "interface Table {\n  fill(\n    add: string\n  ): void;\n}\n";
  expect(change({ name: "add", ...typed("Table") }, "a.d.ts", types, parameter)).toBe("removed, likely");
});

test("an argument by name has gone if no declaration of the function takes it", () => {
  const gone = (before: string, after: string, elsewhere = "") => {
    const found = argumentGone("size", {
      before: factsOf("make", "a.py", before).declared,
      after: factsOf("make", "a.py", after).declared,
      named: factsOf("size", "a.py", elsewhere),
    });
    return found && `${found.change}, ${found.certainty}`;
  };
  const old = "def make(a, size=None):\n    pass\n";
  const other = "def other(\n    size=None,\n):\n    pass\n";
  expect(gone(old, "def make(a):\n    pass\n")).toBe("removed, likely");
  expect(gone(old, "def make(a, *, size=1):\n    pass\n")).toBeUndefined();
  expect(gone("def make(a):\n    pass\n", "def make(a):\n    pass\n")).toBeUndefined();
  // What takes further ones may pass it on.
  expect(gone(old, "def make(a, **more):\n    pass\n")).toBe("removed, possible");
  expect(gone(old, "def make(a, **more):\n    pass\n", other)).toBeUndefined();
  expect(gone("def make(size):\n    pass\n", "def make(length, **more):\n    pass\n", other)).toBe("removed, possible");
});

test("an argument by name that is only mentioned has gone if nothing mentions it", () => {
  const used: Partial<UsedName> & { name: string } = { name: "size", form: "option", owners: ["make"] };
  const before = '@renamed("size", "length")\ndef make(length):\n    pass\n';
  expect(change(used, "a.py", before, "x = 1\n")).toBe("removed, possible");
  expect(change(used, "a.py", before, 'x = ["size"]\n')).toBeUndefined();
});

test("a function of Python takes what it took if what is required only has another name", () => {
  const before = "def run(text, size=1, zone=2):\n    pass\n";
  const changed = (now: string) => change({ name: "run" }, "a.py", before, `def run(${now}):\n    pass\n`);
  expect(changed("body, length=1")).toBeUndefined();
  expect(changed("text, locale, size=1")).toBe("changed, likely");
  expect(changed("")).toBe("changed, likely");
});

test("a name that a module of Python gives with a warning is deprecated", () => {
  const after =
    'def __getattr__(name):\n    if name == "run":\n        warnings.warn("x", DeprecationWarning)\n        return 1\n';
  expect(change({ name: "run" }, "a.py", "from b import run\n", after)).toBe("deprecated, certain");
});

test("of overloads of TypeScript, a third at least must be deprecated, and all for certain", () => {
  const one = "interface A {\n  run(a: string): void;\n";
  const marked = "  /** @deprecated */\n  run(b: number): void;\n";
  expect(change({ name: "run" }, "a.d.ts", `${one}}\n`, `${one}${marked}}\n`)).toBe("deprecated, possible");
  const many = `${one}  run(c: A): void;\n  run(d: B): void;\n`;
  expect(change({ name: "run" }, "a.d.ts", `${one}}\n`, `${many}${marked}}\n`)).toBeUndefined();
});

test("the types that a function returns, and the owner before a prototype, are read", () => {
  const declared = (name: string, path: string, text: string) => factsOf(name, path, text).declared[0];
  const many = Array.from({ length: 60 }, (_, index) => `    p${index}=None,\n`).join("");
  expect(declared("read", "a.py", `def read(\n${many}) -> Table | None:\n    pass\n`)?.returns).toEqual([
    "Table",
    "None",
  ]);
  expect(declared("read", "a.py", "def read(path):\n    '''The table: all of it.'''\n")?.returns).toEqual([]);
  expect(declared("model", "a.d.ts", "export function model<T>(name: string): Model<T>;\n")?.returns).toEqual([
    "Model",
    "T",
  ]);
  expect(declared("open", "a.go", "func open(path string) (*File, error) {\n}\n")?.returns).toEqual(["File"]);
  expect(declared("save", "a.js", "Model.prototype.save = function save() {};\n")?.owners).toEqual(["Model"]);
  // What the type belongs to is another package.
  expect(declared("Handler", "a.go", "func Handler() http.Handler {\n}\n")?.owners).toEqual([]);
});

test("the files with a name are known, not those that give it another one", () => {
  expect(factsOf("run", "a.py", "from b import run\n").files).toEqual(new Map([["a.py", 1]]));
  expect(factsOf("run", "a.py", "from b import run as walk\n").files.size).toBe(0);
});
