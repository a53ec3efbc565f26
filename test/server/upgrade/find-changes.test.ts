import { expect, test } from "vitest";
import type { Snapshot } from "../../../server/resources/snapshot.ts";
import { addFacts, type NameFacts } from "../../../server/upgrade/declarations.ts";
import { changeOf, type UsedName } from "../../../server/upgrade/find-changes.ts";

const snapshot: Snapshot = Object.create(null);

function factsOf(name: string, path: string, text: string): NameFacts {
  const facts = new Map<string, NameFacts>([[name, { declared: [], mentions: 0 }]]);
  addFacts(facts, { snapshot, path, lines: text.split("\n") });
  return facts.get(name) ?? { declared: [], mentions: 0 };
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
