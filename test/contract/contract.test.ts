import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { operationRoutes } from "../../server/transports/http/routes.ts";
import * as contract from "./rows.ts";

const tests = path.resolve(import.meta.dirname, "..");

describe.each(Object.entries(contract))("%s", (_, rows) => {
  test.each(rows)("%s is proved by a test in %s: %s", async (_row, file, title) => {
    expect(await readFile(path.join(tests, file), "utf8")).toContain(`"${title}"`);
  });
});

test("every endpoint of the contract is offered, under that method and path", () => {
  const offered = ["GET /", ...operationRoutes.map(({ method, path: route }) => `${method.toUpperCase()} ${route}`)];
  expect(offered).toEqual(expect.arrayContaining(contract.endpoints.map(([endpoint]) => endpoint)));
});
