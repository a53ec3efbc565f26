import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  Branch,
  GitUrl,
  PackageName,
  PackageVersion,
  ResourceName,
  ResourceSpec,
  SearchPath,
  searchPathsOf,
  SpecialNotes,
} from "../../../server/protocol/resource.ts";

/** The limits of spec/service.md, "Limits": what stands left of them is taken, what stands right is refused. */
describe.each([
  {
    name: "resource name",
    schema: ResourceName,
    taken: ["a", "@scope/pkg", "a.b-c_d/e", "9", "x".repeat(64)],
    refused: ["", "x".repeat(65), "a..b", "a//b", "a/", "/a", ".a", "@", "a b", "a\nb", "é"],
  },
  {
    name: "branch",
    schema: Branch,
    taken: ["main", "feature/x_1.0-y", "v1.2.3", "x".repeat(128)],
    refused: ["", "-x", "x".repeat(129), "a b", "a;b", "a~1", "$(x)", "a\n"],
  },
  {
    name: "search path",
    schema: SearchPath,
    taken: ["src", "a b/c", "docs/en", "x".repeat(256), "-dash"],
    refused: ["", "x".repeat(257), "..", "a/../b", "/etc", "\\etc", "C:\\x", "C:x", "a\nb", "a\u0000"],
  },
  {
    name: "notes",
    schema: SpecialNotes,
    taken: ["", "use the v2 API – see docs", "x".repeat(500)],
    refused: ["x".repeat(501), "a\nb", "\u001b[31m", "\u0085"],
  },
  {
    name: "package name",
    schema: PackageName,
    taken: ["zod", "@types/node", "JSONStream", "a.b", "@a/b.c~d", "-x"],
    refused: ["", ".x", "_x", "a/b", "@a", "@a/", "a b", "node_modules", "favicon.ico", "x".repeat(215), "é"],
  },
  {
    name: "package version",
    schema: PackageVersion,
    taken: ["1.2.3", "^4", "latest", ">=1.0.0", "1.0.0-beta.1+x"],
    refused: ["", "1 2", "a/b", "x".repeat(129), "1\n"],
  },
  {
    name: "git URL",
    schema: GitUrl,
    taken: ["https://github.com/a/b", "https://git.example.org:8443/x.git"],
    refused: [
      "http://github.com/a/b",
      "git://github.com/a/b",
      "ext::sh -c id",
      "file:///etc",
      "https://u:p@h/x",
      "https://token@h/x",
      "https://h",
      "https://h/",
      "github.com/a/b",
      "https://h/a b",
      "https://h/%zz",
      `https://h/${"x".repeat(2048)}`,
    ],
  },
])("$name", ({ schema, taken, refused }) => {
  test.each(taken)("takes %j", (value) => expect(schema.safeParse(value).error).toBeUndefined());
  test.each(refused)("refuses %j with a reason", (value) => {
    expect(schema.safeParse(value).error?.issues[0]?.message).toMatch(/\w+ \w+/);
  });
});

test("any name that the contract's pattern allows is taken, any other is refused", () => {
  const pattern = /^@?[a-zA-Z0-9][a-zA-Z0-9._-]*(\/[a-zA-Z0-9][a-zA-Z0-9._-]*)*$/;
  const text = fc.string({ unit: fc.constantFrom("@", "a", "Z", "0", ".", "/", "-", "_", " ", "\n"), maxLength: 70 });
  fc.assert(
    fc.property(text, (name) => {
      const isAllowed = name.length <= 64 && pattern.test(name) && !name.includes("..");
      expect(ResourceName.safeParse(name).success).toBe(isAllowed);
    }),
  );
});

test("a git resource without a branch is at main", () => {
  const spec = ResourceSpec.parse({ type: "git", name: "x", url: "https://github.com/a/b" });
  expect(spec).toMatchObject({ branch: "main" });
});

test("searchPath and searchPaths add up, without repetitions and slashes at the end", () => {
  expect(searchPathsOf({ searchPath: "src/", searchPaths: ["./docs", "src"] })).toEqual(["src", "docs"]);
  expect(searchPathsOf({ searchPath: null, searchPaths: ["."] })).toEqual([]);
});
