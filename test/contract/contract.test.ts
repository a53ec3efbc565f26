import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { operationRoutes } from "../../server/transports/http/routes.ts";
import * as contract from "./rows.ts";
import { unprovedRows } from "./unproved.ts";

const tests = path.resolve(import.meta.dirname, "..");

// Whether these tests pass is judged when the run ends: test/support/summary-reporter.ts.
test.each(Object.entries(contract))("each row of %s names a test file", (_, rows) => {
  expect(rows.map(([, file]) => file).filter((file) => !existsSync(path.join(tests, file)))).toEqual([]);
});

test("every endpoint of the contract is offered, under that method and path", () => {
  const offered = ["GET /", ...operationRoutes.map(({ method, path: route }) => `${method.toUpperCase()} ${route}`)];
  expect(offered).toEqual(expect.arrayContaining(contract.endpoints.map(([endpoint]) => endpoint)));
});

describe("a row of the contract", () => {
  const check = (title: string, ...runs: { titles: string[]; passed: boolean }[]) =>
    unprovedRows(
      [["add", "cli/add.test.ts", title]],
      runs.map((run) => ({ file: "cli/add.test.ts", ...run })),
    );

  test("is proved by a test of its title that passed", () => {
    expect(check("adds", { titles: ["adds"], passed: true })).toEqual([]);
  });

  test("is proved by a suite of its title", () => {
    expect(check("adds", { titles: ["adds", "over HTTP"], passed: true })).toEqual([]);
  });

  test("is proved by a test for each value", () => {
    expect(check("adds %j to $file", { titles: ['adds {"a":1} to package.json'], passed: true })).toEqual([]);
  });

  test("is proved by a test whose title is a value, which Vitest quotes", () => {
    expect(check("/help", { titles: ["'/help'"], passed: true })).toEqual([]);
  });

  test("is not proved by a test that failed or was skipped, or by one case of several", () => {
    const cases = [
      { titles: ["adds a"], passed: true },
      { titles: ["adds b"], passed: false },
    ];
    expect(check("adds %s", ...cases)).toEqual(['add: "adds %s" of cli/add.test.ts did not pass']);
  });

  test("is not proved where no test has its title", () => {
    expect(check("adds", { titles: ["adds it"], passed: true })).toEqual([
      'add: no test of cli/add.test.ts is titled "adds"',
    ]);
  });

  test("is not judged by a run without its file", () => {
    expect(check("adds")).toEqual([]);
  });
});
