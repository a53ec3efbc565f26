import { describe, expect, test } from "vitest";
import { toErrorBody } from "../../../server/errors.ts";
import { createRetrieval } from "../../../server/retrieval/retrieval.ts";
import { fixture } from "../../support/fixture.ts";

const demo = fixture(`
//- .github/workflows/ci.yml
on: push
//- app/[id]/page.tsx
page
//- src/index.ts
index
//- src/lib/retry.test.ts
test
//- src/lib/retry.ts
retry
`);

const glob = (pattern: string, limit = 50) => createRetrieval().glob([demo], { pattern, limit, signal: undefined });

async function check(pattern: string, expected: string[]) {
  expect((await glob(pattern)).files.map(({ path }) => path)).toEqual(expected);
}

const all = [
  ".github/workflows/ci.yml",
  "app/[id]/page.tsx",
  "src/index.ts",
  "src/lib/retry.test.ts",
  "src/lib/retry.ts",
];

describe("patterns", () => {
  test.each([
    ["**", all],
    ["*.ts", ["src/index.ts", "src/lib/retry.test.ts", "src/lib/retry.ts"]],
    ["src/*.ts", ["src/index.ts"]],
    ["**/*.{yml,tsx}", [".github/workflows/ci.yml", "app/[id]/page.tsx"]],
    ["retry.ts", ["src/lib/retry.ts"]],
    ["src/lib", ["src/lib/retry.test.ts", "src/lib/retry.ts"]],
    ["./src/lib/", ["src/lib/retry.test.ts", "src/lib/retry.ts"]],
    ["lib", ["src/lib/retry.test.ts", "src/lib/retry.ts"]],
    ["{lib,workflows}/", [".github/workflows/ci.yml", "src/lib/retry.test.ts", "src/lib/retry.ts"]],
    ["l*", []],
    ["l*/", ["src/lib/retry.test.ts", "src/lib/retry.ts"]],
    ["!lib", [".github/workflows/ci.yml", "app/[id]/page.tsx", "src/index.ts"]],
    ["!**/l*b", [".github/workflows/ci.yml", "app/[id]/page.tsx", "src/index.ts"]],
    ["!src/l*", [".github/workflows/ci.yml", "app/[id]/page.tsx", "src/index.ts"]],
    ["*.yml,*.tsx", [".github/workflows/ci.yml", "app/[id]/page.tsx"]],
    [
      "*.{yml,tsx}, lib/,",
      [".github/workflows/ci.yml", "app/[id]/page.tsx", "src/lib/retry.test.ts", "src/lib/retry.ts"],
    ],
    ["index.*,", ["src/index.ts"]],
    ["!*.ts,*.tsx", [".github/workflows/ci.yml"]],
    ["src\\lib\\*", ["src/lib/retry.test.ts", "src/lib/retry.ts"]],
    ["app/[id]/page.tsx", ["app/[id]/page.tsx"]],
    ["[id]", ["app/[id]/page.tsx"]],
    ["app/\\[id\\]/*.tsx", ["app/[id]/page.tsx"]],
    ["app\\[id]\\page.tsx", ["app/[id]/page.tsx"]],
    ["!*.ts", [".github/workflows/ci.yml", "app/[id]/page.tsx"]],
    ["../**", []],
    ["/etc/passwd", []],
  ])("%s", (pattern, expected) => check(pattern, expected));
});

test("a comma that a name holds is no other", async () => {
  const kept = fixture("//- a.ts\none\n//- a.ts,v\ntwo\n");
  const { files } = await createRetrieval().glob([kept], { pattern: "*.ts,v", limit: 50, signal: undefined });
  expect(files.map(({ path }) => path)).toEqual(["a.ts,v"]);
});

test("says of how many files it shows some", async () => {
  const { files, total, searchedFiles } = await glob("*.ts", 1);
  expect({ files, total, searchedFiles }).toEqual({
    files: [{ resource: "demo", path: "src/index.ts", sizeBytes: 6 }],
    total: 3,
    searchedFiles: 5,
  });
});

test("suggests similar names when nothing matches", async () => {
  expect((await glob("**/retri.*")).nearest).toEqual([{ resource: "demo", path: "src/lib/retry.ts" }]);
});

describe("what cannot be searched", () => {
  test.each([
    ["", "the glob is empty"],
    ["./", "the glob is empty"],
    [".", "the glob is empty"],
    ["a".repeat(1001), "the glob has 1001 characters, more than 1000"],
  ])("%.10s", async (pattern, error) => {
    expect(await glob(pattern).catch(toErrorBody)).toMatchObject({ error, tag: "InvalidRequest" });
  });

  test("the caller that cancelled gets the reason", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(createRetrieval().glob([demo], { pattern: "**", limit: 1, signal })).rejects.toThrow("enough");
  });
});
