import { expect, test } from "vitest";
import type { PackageType } from "../../../server/protocol/kinds/names.ts";
import { wantedPackages } from "../../../server/operations/upgrade-target.ts";

function meant(type: PackageType, name: string, to?: string): string[] {
  return wantedPackages(to, { type, name }).map((one) => `${one.name} ${one.version}`);
}

test("a version is of the package in use, and a name is another package", () => {
  expect(meant("npm", "zod")).toEqual(["zod latest"]);
  expect(meant("npm", "zod", "^4")).toEqual(["zod ^4"]);
  expect(meant("npm", "zod", "@zod/core@4")).toEqual(["@zod/core 4"]);
  expect(meant("npm", "zod", "npm:other")).toEqual(["other latest"]);
  expect(meant("npm", "zod", "other@next")).toEqual(["other next"]);
  expect(meant("maven", "org.demo:old", "[1.0,2.0)")).toEqual(["org.demo:old [1.0,2.0)"]);
  expect(meant("maven", "org.demo:old", "org.demo.fresh:fresh-api@5")).toEqual(["org.demo.fresh:fresh-api 5"]);
  expect(meant("maven", "org.demo:old", "maven:org.demo:fresh")).toEqual(["org.demo:fresh latest"]);
});

test("a major version of a Go module has a path of its own, else the version is of the same path", () => {
  expect(meant("golang", "github.com/a/b/v4", "5")).toEqual(["github.com/a/b/v5 5", "github.com/a/b/v4 5"]);
  expect(meant("golang", "github.com/a/b/v4", "v5.2.1")).toEqual([
    "github.com/a/b/v5 v5.2.1",
    "github.com/a/b/v4 v5.2.1",
  ]);
  expect(meant("golang", "github.com/a/b/v4", "v4.5")).toEqual(["github.com/a/b/v4 v4.5"]);
  expect(meant("golang", "github.com/a/b/v2", "v1.0.0")).toEqual(["github.com/a/b v1.0.0", "github.com/a/b/v2 v1.0.0"]);
  expect(meant("golang", "github.com/a/b", "v2.1.0+incompatible")).toEqual(["github.com/a/b v2.1.0+incompatible"]);
  expect(meant("golang", "gopkg.in/b.v2", "v3")).toEqual(["gopkg.in/b.v3 v3", "gopkg.in/b.v2 v3"]);
  expect(meant("golang", "github.com/a/b/v4", "main")).toEqual(["github.com/a/b/v4 main"]);
});
