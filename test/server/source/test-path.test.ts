import { expect, test } from "vitest";
import { isTest } from "../../../server/source/test-path.ts";

test.each([
  ["shoptest/flows/order.txt", true],
  ["tests/order.py", true],
  ["features/order.feature", true],
  ["t/unit/order.py", true],
  ["src/t.ts", false],
  ["src/order_test.go", true],
  ["lib/mocks/order.go", true],
  ["features/order.feature", true],
  ["mock/order.go", false],
  ["docs/latest/order.md", false],
  ["src/contest/order.go", false],
  ["src/order.go", false],
])("isTest(%j) is %j", (path, expected) => {
  expect(isTest(path)).toBe(expected);
});
