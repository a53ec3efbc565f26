import { expect, test } from "vitest";
import type { FollowUpsRequest } from "../../../server/protocol/follow-ups.ts";
import { localApp } from "../../support/connect.ts";
import { temporaryFolder } from "../../support/folder.ts";

const project = `
//- src/retry.ts
import { delayOf } from "./delay.ts";

export function retryRequest(attempt: number): number {
  return delayOf(attempt);
}
//- src/delay.ts
export function delayOf(attempt: number): number {
  return 100 * 2 ** attempt;
}

export function unused(): void {}
//- src/client.ts
import { retryRequest } from "./retry.ts";

export function send(): void {
  retryRequest(1);
}
//- test/retry.test.ts
import { retryRequest } from "../src/retry.ts";

test("waits", () => {
  expect(retryRequest(1)).toBe(200);
});
//- README.md
# Retries
`;

type Cited = Omit<FollowUpsRequest["citations"][number], "resource">;

async function suggest(cited: readonly Cited[], asked: string[] = [], text = project): Promise<string[]> {
  await using folder = await temporaryFolder(text);
  await using app = localApp(folder.path, {}, { projects: async () => [folder.path] });
  const { files } = await app.findFiles({ query: "", exclude: [], limit: 1 }, {});
  const resource = files[0]?.resource ?? "";
  const { questions } = await app.followUps({ citations: cited.map((one) => ({ resource, ...one })), asked }, {});
  return questions;
}

const retry = { path: "src/retry.ts", startLine: 3, endLine: 5 };

test("cited code leads to its callers, its tests and what it calls", async () => {
  expect(await suggest([retry])).toEqual([
    "Who calls `retryRequest`?",
    "Where is `retryRequest` tested?",
    "How does `delayOf` work?",
  ]);
});

test("cited lines in the middle of a definition are a part of it", async () => {
  expect(await suggest([{ ...retry, startLine: 4, endLine: 4 }])).toContain("Who calls `retryRequest`?");
});

test("what was asked before is not suggested again", async () => {
  expect(await suggest([retry], ["who calls retryRequest?"])).toEqual([
    "Where is `retryRequest` tested?",
    "How does `delayOf` work?",
  ]);
});

test.each([
  ["/^a/.test(text)", []],
  ["pattern.test(text)", []],
  ["texts[0].test(text)", []],
  ["test(text)", ["How does `test` work?"]],
  ["this.test(text)", ["How does `test` work?"]],
  ["other.testAll(text)", ["How does `testAll` work?"]],
])("a short method of another object is not taken for ours: %s", async (call, expected) => {
  const files = `
//- src/check.ts
export function check(text: string) {
  return ${call};
}
//- src/own.ts
export function test(text: string): void {}
export function testAll(text: string): void {}
`;
  expect(await suggest([{ path: "src/check.ts", startLine: 1, endLine: 3 }], [], files)).toEqual(expected);
});

test("nothing is suggested that has no answer: no callers, no code, no such file", async () => {
  expect(await suggest([{ path: "src/delay.ts", startLine: 5, endLine: 5 }])).toEqual([]);
  expect(await suggest([{ path: "README.md", startLine: 1, endLine: 1 }])).toEqual([]);
  expect(await suggest([{ path: "src/gone.ts", startLine: 1, endLine: 1 }])).toEqual([]);
});
