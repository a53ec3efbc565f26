import { expect, test } from "vitest";
import { createRetrieval } from "../../../server/retrieval/retrieval.ts";
import { fixture } from "../../support/fixture.ts";

const demo = fixture(`
//- README.md
12345
//- src/index.ts
123
//- src/lib/a.ts
1
//- src/lib/b.ts
12
`);

const list = (folder: string) => createRetrieval().list(demo, { folder });

test("folders come first, with what is below them", () => {
  expect(list("")).toEqual({
    folder: "",
    entries: [
      { name: "src", type: "folder", sizeBytes: 9, fileCount: 3 },
      { name: "README.md", type: "file", sizeBytes: 6, fileCount: 1 },
    ],
    nearest: [],
  });
});

test.each(["src", "./src/", "/src", "src/.", "src\\"])("%s is the same folder", (folder) => {
  const { folder: normal, entries } = list(folder);
  expect([normal, ...entries.map(({ name }) => name)]).toEqual(["src", "lib", "index.ts"]);
});

test("a file lists itself", () => {
  expect(list("src/lib/a.ts").entries).toEqual([{ name: "a.ts", type: "file", sizeBytes: 2, fileCount: 1 }]);
});

test.each([
  ["src/libs", ["src/lib"]],
  ["../src", ["src"]],
  ["nowhere", []],
])("%s is not there; the nearest are %j", (folder, nearest) => {
  expect(list(folder)).toMatchObject({ entries: [], nearest });
});
