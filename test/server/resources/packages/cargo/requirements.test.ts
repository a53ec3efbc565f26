import { describe, expect, test } from "vitest";
import {
  compareVersions,
  isExact,
  isSameVersion,
  satisfies,
  toWanted,
} from "../../../../../server/resources/packages/cargo/requirements.ts";

/** The examples of https://doc.rust-lang.org/cargo/reference/specifying-dependencies.html, and where npm differs. */
describe.each([
  ["1.2.3", ["1.2.3", "1.9.0"], ["1.2.2", "2.0.0"]],
  ["1.2", ["1.2.0", "1.9.9"], ["1.1.9", "2.0.0"]],
  ["1", ["1.0.0", "1.9.9"], ["0.9.9", "2.0.0"]],
  ["0.2.3", ["0.2.3", "0.2.9"], ["0.2.2", "0.3.0"]],
  ["0.2", ["0.2.0", "0.2.9"], ["0.1.9", "0.3.0"]],
  ["0.0.3", ["0.0.3"], ["0.0.2", "0.0.4"]],
  ["0.0", ["0.0.0", "0.0.9"], ["0.1.0"]],
  ["0", ["0.0.0", "0.9.9"], ["1.0.0"]],
  ["^1.2.3", ["1.9.0"], ["2.0.0"]],
  ["~1.2.3", ["1.2.3", "1.2.9"], ["1.3.0"]],
  ["~1.2", ["1.2.0", "1.2.9"], ["1.3.0"]],
  ["~1", ["1.0.0", "1.9.9"], ["2.0.0"]],
  ["*", ["0.0.1", "9.0.0"], ["1.0.0-rc.1"]],
  ["1.*", ["1.0.0", "1.9.9"], ["2.0.0"]],
  ["1.2.*", ["1.2.0", "1.2.9"], ["1.3.0"]],
  [">= 1.2.0", ["1.2.0", "9.0.0"], ["1.1.9"]],
  ["> 1", ["2.0.0"], ["1.0.0", "1.9.9"]],
  ["< 2", ["1.9.9"], ["2.0.0"]],
  ["= 1.2.3", ["1.2.3", "1.2.3+build"], ["1.2.4"]],
  ["=1.2", ["1.2.0", "1.2.9"], ["1.3.0"]],
  [">= 1.2, < 1.5", ["1.2.0", "1.4.9"], ["1.5.0"]],
  [">=0.3, <0.5", ["0.3.0", "0.4.9"], ["0.5.0"]],
  ["1.2.3, <1.5", ["1.4.0"], ["1.5.0", "1.2.2"]],
  ["1.0.0-alpha.1", ["1.0.0-alpha.1", "1.0.0-beta", "1.0.0", "1.5.0"], ["1.1.0-alpha", "2.0.0-alpha"]],
  ["1 || 2", [], ["1.0.0", "2.0.0"]],
  ["1.0.0 - 2.0.0", [], ["1.5.0"]],
  ["nonsense", [], ["1.0.0"]],
])("%s", (requirement, allowed, refused) => {
  test.each(allowed)("allows %s", (version) => expect(satisfies(version, requirement)).toBe(true));
  test.each(refused)("does not allow %s", (version) => expect(satisfies(version, requirement)).toBe(false));
});

test.each([
  ["", "latest"],
  ["*", "latest"],
  ["1.0", "1.0"],
  ["1.0.5", "^1.0.5"],
  ["=1.0.5", "1.0.5"],
  ["= 1.0.5", "1.0.5"],
  [">= 1.2, < 1.5", ">=1.2,<1.5"],
  ["0.11.1+wasi-snapshot-preview1", "^0.11.1+wasi-snapshot-preview1"],
])("a manifest's %j is fetched as %j, because a version alone is exact in a reference", (requirement, wanted) => {
  expect(toWanted(requirement)).toBe(wanted);
});

test("three parts are a version, and build metadata tells none apart", () => {
  expect(["1.2.3", "1.2.3-rc.1", "0.11.1+wasi"].map(isExact)).toEqual([true, true, true]);
  expect(["1", "1.2", "v1.2.3", "=1.2.3", "^1.2.3", "latest", ""].map(isExact)).toEqual(Array(7).fill(false));
  expect(isSameVersion("0.11.1", "0.11.1+wasi")).toBe(true);
  expect(["1.0.0-rc.1", "0.9.0", "1.10.0", "1.9.0", "1.0.0"].toSorted(compareVersions)).toEqual([
    "1.10.0",
    "1.9.0",
    "1.0.0",
    "1.0.0-rc.1",
    "0.9.0",
  ]);
});
