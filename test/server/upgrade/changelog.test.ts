import { expect, test } from "vitest";
import { breaks, isChangelog, namesIn, namesOption, readChangelog } from "../../../server/upgrade/changelog.ts";

const versions = { from: "1.2.0", to: "2.0.0" };

function entriesOf(path: string, text: string) {
  return readChangelog(path, text.split("\n"), versions).entries;
}

test("reads the sections that are newer than the version in use, and not newer than the wanted one", () => {
  const text =
    "# Changes\n\n## [2.1.0]\n\n- later\n\n## v2.0.0 / 2024-09-10\n\n- now\n  and on\n\n## 1.3\n\n- between\n\n## 1.2.0\n\n- old\n";
  expect(entriesOf("CHANGELOG.md", text).map(({ whole }) => whole)).toEqual(["- now and on", "- between"]);
  const rst = "Version 2.0.0\n-------------\n\n-   now\n\nVersion 1.2.0\n-------------\n\n-   old\n";
  expect(entriesOf("CHANGES.rst", rst).map(({ whole }) => whole)).toEqual(["-   now"]);
});

test("a guide without versions counts whole if it is about the wanted version", () => {
  expect(entriesOf("docs/migration.md", "# To version 2\n\n- `run` is removed\n")).toHaveLength(1);
  expect(entriesOf("docs/migration.md", "# To version 3\n\n- `run` is removed\n")).toEqual([]);
});

test("the rows of a table are items", () => {
  const guide =
    "# To version 2\n\n## Migrating\n\n| 1 | 2 |\n|---|:-:|\n| `run(x)` | `walk(x)` |\n| `stop()` | gone |\n";
  expect(entriesOf("docs/migration.md", guide).map(({ line, endLine }) => [line, endLine])).toEqual([
    [5, 5],
    [7, 7],
    [8, 8],
  ]);
});

test("an item below one about removals is about a removal", () => {
  const text = "## 2.0.0\n\n- remove:\n  - `run()`\n- add:\n  - `walk()`\n\n### Breaking\n\n- `stop()`\n";
  const breaking = entriesOf("CHANGELOG.md", text).filter((entry) => breaks(entry, "run") || breaks(entry, "stop"));
  expect(breaking.map(({ text: line }) => line.trim())).toEqual(["- `run()`", "- `stop()`"]);
});

test("of a paragraph the sentence with a name says whether it breaks, and a heading is about the names in it", () => {
  const breaking = (text: string, name: string) =>
    entriesOf("docs/migration.md", `# To version 2\n\n${text}\n`).some(
      (entry) => namesIn(entry, { name, owners: [] }) && breaks(entry, name),
    );
  const paragraph = "Both `Fresh` and `Same` read claims. The old `Gone` type is removed.";
  expect(["Same", "Gone"].map((name) => breaking(paragraph, name))).toEqual([false, true]);
  expect(breaking("`run()` was for version 1. It is removed.", "run")).toBe(true);
  expect(breaking("- The `run()` of old. The new one is removed.", "run")).toBe(true);
  const heading = "## Removal of `Gone`\n\n`Gone` and `Same` are types.";
  expect(["Same", "Gone"].map((name) => breaking(heading, name))).toEqual([false, true]);
  expect(breaking("## Removals\n\n`Same` is one.", "Same")).toBe(true);
});

test("an example in a guide is no item", () => {
  const guide = "# To version 2\n\n```js\n- run() // is removed\n\nrun();\n```\n\n- `stop()` is removed\n";
  expect(entriesOf("docs/migration.md", guide).map(({ whole }) => whole)).toEqual(["- `stop()` is removed"]);
});

test("an item names something as code, with the owner if it says one", () => {
  const names = (item: string, name: string, owners: string[] = []) =>
    entriesOf("CHANGELOG.md", `## 2.0.0\n\n- ${item}\n`).some((entry) => namesIn(entry, { name, owners }));
  expect(names("use `walk` instead", "use")).toBe(false);
  expect(names("`a` - use `b` instead of `c`", "use")).toBe(false);
  expect(names("`BoxBody` is gone, use `Body::new` or `Body::from` instead", "new")).toBe(false);
  expect(names("renamed `old()` to `fresh()`", "fresh")).toBe(false);
  expect(names("renamed `old()` to `fresh()`", "old")).toBe(true);
  expect(names("use `fresh()` instead of `old()`", "old")).toBe(true);
  expect(names("run() is gone", "run")).toBe(true);
  expect(names("run is gone", "run")).toBe(false);
  expect(names("parse_obj is gone", "parse_obj")).toBe(true);
  expect(names("`app.param` is gone", "param", ["req"])).toBe(false);
  expect(names("`Request.param` is gone", "param", ["req"])).toBe(true);
  expect(names("`app.param.mime` is gone", "param", ["app"])).toBe(false);
  const [entry] = entriesOf("CHANGELOG.md", "## 2.0.0\n\n- `regex=` is gone, `other.size` too\n");
  expect(entry && [namesOption(entry, "regex"), namesOption(entry, "size")]).toEqual([true, false]);
});

test("documents that say what changes are read, and no code or test", () => {
  const paths = ["CHANGELOG.md", "History.md", "docs/v5-migration.md", "UPGRADING", "src/history.ts", "README.md"];
  expect(paths.filter(isChangelog)).toEqual(["CHANGELOG.md", "History.md", "docs/v5-migration.md", "UPGRADING"]);
});
