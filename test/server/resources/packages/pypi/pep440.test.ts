import { describe, expect, test } from "vitest";
import {
  compareVersions,
  isPrerelease,
  isSameVersion,
  isVersion,
  satisfies,
} from "../../../../../server/resources/packages/pypi/pep440.ts";

/** https://peps.python.org/pep-0440/#summary-of-permitted-suffixes-and-relative-ordering, in order. */
const ordered = [
  ["1.dev0", "1.0.dev456", "1.0a1", "1.0a2.dev456", "1.0a12.dev456", "1.0a12", "1.0b1.dev456", "1.0b2"],
  ["1.0b2.post345.dev456", "1.0b2.post345", "1.0rc1.dev456", "1.0rc1", "1.0", "1.0+abc.5", "1.0+abc.7", "1.0+5"],
  ["1.0.post456.dev34", "1.0.post456", "1.0.15", "1.1.dev1", "1!0.5"],
].flat();

test("versions are ordered as the specification orders them", () => {
  expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered);
});

test.each([
  ["1.0", "1.0.0"],
  ["1.0a1", "1.0-alpha_1"],
  ["1.0rc1", "1.0c1"],
  ["1.0.post1", "1.0-1"],
  ["1.0.post1", "v1.0.rev1"],
  ["1.0.dev0", "1.0dev"],
])("%s is %s", (a, b) => expect(isSameVersion(a, b)).toBe(true));

test.each(["", "latest", "1.0-unknown", "1..0", ">=1"])("%j is no version", (text) =>
  expect(isVersion(text)).toBe(false),
);

test("pre-releases and development releases are known as such", () => {
  expect(["1.0a1", "1.0.dev1", "1.0rc1", "1.0", "1.0.post1"].filter(isPrerelease)).toEqual([
    "1.0a1",
    "1.0.dev1",
    "1.0rc1",
  ]);
});

describe("a specifier", () => {
  test.each([
    ["~=2.2", "2.2 2.9", "3.0 2.1"],
    ["~=1.4.5", "1.4.5 1.4.9", "1.5 1.4.4"],
    ["==1.1", "1.1 1.1.0 1.1+local", "1.1.post1 1.1.dev1"],
    ["==1.1.*", "1.1 1.1.post1 1.1a1 1.1.9", "1.2 1"],
    ["!=1.1.*", "1.2", "1.1.3"],
    ["!=1.1", "1.1.post1", "1.1"],
    [">1.7", "1.7.1", "1.7 1.7.0.post1"],
    [">1.7.post2", "1.7.post3 1.7.1", "1.7.0"],
    ["<2", "1.9", "2 2.0a1"],
    ["<2.0rc1", "2.0a1", "2.0rc1"],
    [">=1,<3,!=2.0", "1 2.1", "2.0 3 0.9"],
    ["===1.0", "1.0", "1.0.0"],
    ["", "1 2", ""],
    ["^1.2", "1.2 1.9", "2.0 1.1"],
    ["^0.2.3", "0.2.3 0.2.9", "0.3.0 0.2.2"],
    ["~1.2", "1.2.9", "1.3"],
    ["1.*", "1.9", "2.0"],
    ["4", "4.2 4.0", "5.0"],
  ])("%s", (specifier, met, unmet) => {
    const versions = (text: string) => text.split(" ").filter((version) => version !== "");
    expect(versions(met).filter((version) => !satisfies(version, specifier))).toEqual([]);
    expect(versions(unmet).filter((version) => satisfies(version, specifier))).toEqual([]);
  });
});
