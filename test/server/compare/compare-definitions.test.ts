import { expect, test } from "vitest";
import { compareVersions } from "../../../server/compare/compare-versions.ts";
import { fixture } from "../../support/fixture.ts";

/** The definitions that differ: `+` for public ones, and where they are before and after. */
async function check(before: string, after: string, to = "2.0.0"): Promise<string[]> {
  const versions = { before: fixture(before), after: fixture(after), names: { from: "1.0.0", to } };
  const { definitions } = await compareVersions(versions, { signal: new AbortController().signal });
  return definitions.map(({ name, change, isPublic, before: old, after: now }) => {
    const places = [old, now].map((place) => (place === undefined ? "none" : `${place.path}:${place.line}`));
    return `${isPublic ? "+" : "-"} ${change} ${name} ${places.join(" ")}`;
  });
}

test("what was removed and added, and what has another signature or body", async () => {
  const before = `//- a.ts
export function gone() {}
export function first(a: string) { return a; }
export function second(a: string) { return a; }
function inner() { return 1; }
`;
  const after = `//- a.ts
export function first(a: string, b = 1) { return a; }
export function second(a: string) { return a + "."; }
export function fresh() {}
function inner() { return 2; }
`;
  expect(await check(before, after)).toEqual([
    "+ signature first a.ts:2 a.ts:1",
    "+ removed gone a.ts:1 none",
    "+ body second a.ts:3 a.ts:2",
    "+ added fresh none a.ts:3",
    "- body inner a.ts:4 a.ts:4",
  ]);
});

test("comments and white space are no change", async () => {
  const before = "//- a.ts\nexport function f(a: string, b: string) {\n  return a;\n}\n";
  const after =
    "//- a.ts\n// Says a.\nexport function f (\n  a: string,\n  b: string,\n) {\n    return a; // a\n    // b is not used\n}\n";
  expect(await check(before, after)).toEqual([]);
});

test("a member is changed, not the class around it; of a class that is gone, members are not listed", async () => {
  const before = "//- a.ts\nexport class A {\n  one() { return 1; }\n}\nexport class B {\n  two() { return 2; }\n}\n";
  expect(await check(before, "//- a.ts\nexport class A {\n  one() { return 2; }\n}\n")).toEqual([
    "+ body A.one a.ts:2 a.ts:2",
    "+ removed B a.ts:4 none",
  ]);
});

test("a definition that is in another file now has moved", async () => {
  const f = "export function f(a) {\n  return a;\n}\n";
  expect(await check(`//- a.js\n${f}export const x = 1;\n`, `//- a.js\nexport const x = 1;\n//- b.js\n${f}`)).toEqual([
    "+ moved f a.js:1 b.js:1",
  ]);
});

test("in a renamed file, names are the same", async () => {
  const rest = Array.from({ length: 8 }, (_, index) => `export const c${index} = ${index};\n`).join("");
  const before = `//- lib/a.js\n${rest}export function run() { return 1; }\n`;
  expect(await check(before, `//- src/a.js\n${rest}export function run() { return 2; }\n`)).toContain(
    "+ body run lib/a.js:9 src/a.js:9",
  );
});

test("what is built of one module counts once, types by their file", async () => {
  const before = `//- dist/a.js
export function f(a) { return a; }
//- dist/a.cjs
exports.f = function f(a) { return a; };
//- dist/a.d.ts
export declare function f(a: string): string;
`;
  const after = `//- dist/a.js
export function f(a) { return a + 1; }
//- dist/a.cjs
exports.f = function f(a) { return a + 1; };
//- dist/a.d.ts
export declare function f(a: string, b?: number): string;
`;
  expect(await check(before, after)).toEqual(["+ signature f dist/a.d.ts:1 dist/a.d.ts:1"]);
});

test("a bundle of other files is passed over, and so is what a version keeps of an older one", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `export function f${index}() {}\n`);
  const before = `//- a.js\n${names.slice(0, 6).join("")}//- b.js\n${names.slice(6).join("")}//- bundle.mjs\n${names.join("")}`;
  const after = `//- v1/index.js\n${names.join("")}//- c.js\nexport function fresh() {}\n`;
  const found = await check(before, after);
  expect(found.filter((line) => line.includes("removed"))).toHaveLength(12);
  expect(found.filter((line) => line.includes("added"))).toEqual(["+ added fresh none c.js:1"]);
});

test("tests, examples and vendored code are not listed", async () => {
  const files = ["test/a.test.js", "examples/b.js", "vendor/c.js", "lib/d.min.js"];
  expect(await check("//- a.js\n1\n", files.map((path) => `//- ${path}\nexport function f() {}\n`).join(""))).toEqual(
    [],
  );
});

test("names that the new version exports from another package are said not to be compared", async () => {
  const before = fixture("//- src/lib.rs\npub struct Arg {\n}\n");
  const after = fixture("//- src/lib.rs\npub use other_builder::*;\npub use crate::own::*;\n");
  const versions = { before, after, names: { from: "3.0.0", to: "4.0.0" } };
  const { notes } = await compareVersions(versions, { signal: new AbortController().signal });
  expect(notes).toEqual(["names that are exported from other_builder, another package"]);
});

test("the sections of a changelog are those between the two", async () => {
  const log = "//- CHANGELOG.md\n## 2.1.0\n\n- new\n\n## 2.0.0\n\n- `f()` is gone\n\n## 1.0.0\n\n- old\n";
  const versions = { before: fixture("//- a\n"), after: fixture(log), names: { from: "v1.0.0", to: "v2.0.0" } };
  const { sections, entries } = await compareVersions(versions, { signal: new AbortController().signal });
  expect(sections.map(({ text }) => text)).toEqual(["## 2.0.0"]);
  expect(entries.map(({ text }) => text)).toEqual(["- `f()` is gone"]);
});
