import path from "node:path";
import { expect, test } from "vitest";
import { SearchRequest } from "../../../server/protocol/search.ts";
import { localApp } from "../../support/connect.ts";
import { temporaryFolder } from "../../support/folder.ts";

const source = `//- notes/src/retry.ts
export class Retry {
  next(times: number): number {
    return doubled(times);
  }
}

export function doubled(times: number): number {
  return 2 * times;
}
//- notes/src/run.ts
import { doubled } from "./retry.ts";

const once = 1;

export function run() {
  return doubled(once);
}
//- notes/src/pause.ts
export const pause = 100;
//- notes/docs/guide.md
Call doubled() first.
//- notes/test/retry.test.ts
doubled(3);
`;

async function search(query: string, rest: Partial<SearchRequest> = {}, files = source) {
  await using folder = await temporaryFolder(files);
  const resources = [{ type: "local", name: "notes", path: path.join(folder.path, "notes") }];
  await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify({ resources })}`);
  await using app = localApp(folder.path);
  const { results, uses } = await app.search(SearchRequest.parse({ query, resources: ["notes"], ...rest }));
  const places = uses?.places.map(({ path: file, line, use, scope = "" }) => `${file}:${line} ${use} ${scope}`.trim());
  const lookedUp = results.filter(({ isLookedUp }) => isLookedUp).map((hit) => hit.path);
  return { results, lookedUp, places, total: uses?.total, first: results[0]?.path };
}

const all = [
  "src/retry.ts:3 calls Retry › next",
  "src/run.ts:6 calls run",
  "src/run.ts:1 imports",
  "test/retry.test.ts:1 calls",
];

test.each<Partial<SearchRequest>>([{ mode: "definition" }, { mode: "ranked" }])(
  "a name's definition comes with the places that use it: %j",
  async (rest) => {
    expect(await search("doubled", { ...rest, uses: 9 })).toMatchObject({
      places: all,
      total: 4,
      first: "src/retry.ts",
    });
    expect(await search("doubled", { ...rest, uses: 2 })).toMatchObject({ places: all.slice(0, 2), total: 4 });
    expect(await search("doubled", { ...rest, uses: 9, kinds: ["code"] })).toMatchObject({ places: all.slice(0, 3) });
    expect(await search("doubled", rest)).toMatchObject({ places: undefined });
    expect(await search("doubled", { ...rest, uses: 9, offset: 1 })).toMatchObject({ places: undefined });
    expect(await search("absent", { ...rest, uses: 9 })).toMatchObject({ places: undefined });
  },
);

test("a ranked search says which passages define a name that is the whole query", async () => {
  expect((await search("doubled", { uses: 9 })).lookedUp).toEqual(["src/retry.ts"]);
  const words = await search("how is the number of times doubled here", { uses: 9 });
  expect(words).toMatchObject({ lookedUp: [], places: undefined, first: "src/retry.ts" });
});

test("a question of a few words is a name only if all of them belong to it", async () => {
  expect((await search("pause doubled times", { uses: 9 })).lookedUp).toEqual([]);
  expect((await search("doubled function", { uses: 9 })).lookedUp).toEqual(["src/retry.ts"]);
  expect(await search("Retry next", { uses: 9 })).toMatchObject({ lookedUp: ["src/retry.ts"], total: 0 });
});

test("a definition that is not shown whole says where it ends", async () => {
  const long = `//- notes/a.ts\nexport class Long {\n${"  step();\n".repeat(90)}}\n`;
  const { results } = await search("Long", { passageLines: 40 }, long);
  expect(results).toMatchObject([{ startLine: 1, continuesTo: 92 }]);
  expect(results[0]?.endLine).toBeLessThan(60);
  expect((await search("doubled")).results[0]?.continuesTo).toBeUndefined();
});

test("a pasted text of any length is searched for, whether or not anything is found", async () => {
  const trace = `  File "/app/notes/src/run.ts", line 6, in run\n`.repeat(2000);
  expect((await search(`Doubling goes wrong\n\n${trace}`)).first).toBe("src/run.ts");
  expect((await search("qqvv\nzzxx\nwwkk")).results).toEqual([]);
  expect((await search("qqvv ".repeat(20_000))).results).toEqual([]);
});
