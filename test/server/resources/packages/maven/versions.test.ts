import { describe, expect, test } from "vitest";
import { isExactVersion } from "../../../../../server/protocol/kinds/packages.ts";
import {
  compareVersions,
  isInRange,
  isRange,
  isUnusual,
} from "../../../../../server/resources/packages/maven/versions.ts";

/** Rows of https://maven.apache.org/pom.html#Version_Order_Specification, and versions of well-known artifacts. */
describe("Maven's order of versions", () => {
  test.each([
    ["1", "<", "1.1"],
    ["1-snapshot", "<", "1"],
    ["1", "<", "1-sp"],
    ["1-foo2", "<", "1-foo10"],
    ["1.foo", "=", "1-foo"],
    ["1-foo", "<", "1-1"],
    ["1-1", "<", "1.1"],
    ["1.ga", "=", "1"],
    ["1-ga", "=", "1"],
    ["1-0", "=", "1"],
    ["1.0.0", "=", "1"],
    ["1.final", "=", "1"],
    ["1.", "=", "1"],
    ["1-", "=", "1"],
    ["1.0.0-foo.0.0", "=", "1-foo"],
    ["1.0.0-0.0.0", "=", "1"],
    ["1-sp", ">", "1-ga"],
    ["1-sp.1", ">", "1-ga.1"],
    ["1-sp-1", "<", "1-ga-1"],
    ["1-a1", "=", "1-alpha-1"],
    ["1-alpha", "<", "1-beta"],
    ["1-beta", "<", "1-milestone"],
    ["1-m1", "<", "1-rc1"],
    ["1-rc", "=", "1-cr"],
    ["1-cr2", "<", "1-snapshot"],
    ["33.4.0-android", "<", "33.4.0-jre"],
    ["5.3.0.RC1", "<", "5.3.0.RELEASE"],
    ["4.1.100.Final", "=", "4.1.100"],
    ["1.10", ">", "1.9"],
    ["99999999999999999999", "<", "100000000000000000000"],
  ] as const)("%s %s %s", (a, relation, b) => {
    const order = compareVersions(a, b);
    expect([a, order < 0 ? "<" : order > 0 ? ">" : "=", b]).toEqual([a, relation, b]);
    expect(Math.sign(compareVersions(b, a)) + Math.sign(order)).toBe(0);
  });
});

/** https://maven.apache.org/pom.html#Dependency_Version_Requirement_Specification */
test.each([
  ["[1.0]", ["1.0"]],
  ["(,1.0]", ["0.9", "1.0"]],
  ["[1.2,1.3]", ["1.2", "1.3"]],
  ["[1.0,2.0)", ["1.0", "1.2", "1.3", "1.5"]],
  ["[1.5,)", ["1.5", "2.0"]],
  ["(,1.0],[1.2,)", ["0.9", "1.0", "1.2", "1.3", "1.5", "2.0"]],
  ["(,1.2),(1.2,)", ["0.9", "1.0", "1.3", "1.5", "2.0"]],
  ["1.+", ["1.0", "1.2", "1.3", "1.5"]],
])("the versions in %s", (range, expected) => {
  expect(isRange(range)).toBe(true);
  expect(["0.9", "1.0", "1.2", "1.3", "1.5", "2.0"].filter((version) => isInRange(version, range))).toEqual(expected);
});

test("pre-releases and old releases numbered by date are no usual versions", () => {
  const versions = ["1.0", "1.0-RC1", "2.0-M2", "3.0.0-alpha.1", "1.0-b5", "20030203.000550", "33.0-jre", "1.0.Final"];
  expect(versions.filter(isUnusual)).toEqual(["1.0-RC1", "2.0-M2", "3.0.0-alpha.1", "1.0-b5", "20030203.000550"]);
});

test("an exact version is no range, keyword or snapshot, and more than a major number", () => {
  const versions = ["1.0", "r09", "2.13-rc1", "4", "[1.0,2.0)", "1.+", "latest", "RELEASE", "1.0-SNAPSHOT", "../x"];
  expect(versions.filter(isExactVersion)).toEqual(["1.0", "r09", "2.13-rc1"]);
});
