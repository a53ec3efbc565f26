import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { Branch, GitUrl, SearchPath, searchPathsOf } from "../../../server/protocol/kinds/git-fields.ts";
import { PackageName } from "../../../server/protocol/kinds/packages.ts";
import { PackageVersion } from "../../../server/protocol/kinds/package.ts";
import { ResourceName, SpecialNotes } from "../../../server/protocol/resource-fields.ts";
import { ResourceSpec } from "../../../server/protocol/resource.ts";

/** The limits of docs/contract.md, "Limits": what stands left of them is taken, what stands right is refused. */
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
    refused: ["", "x".repeat(257), "..", "a/../b", "/etc", "\\etc", "C:\\x", "C:x", "a\nb", "a\u0000", "a\ud800b"],
  },
  {
    name: "notes",
    schema: SpecialNotes,
    taken: ["", "use the v2 API – see docs", "x".repeat(500), "😀".repeat(250)],
    refused: ["x".repeat(501), "😀".repeat(251), "a\nb", "\u001b[31m", "\u0085", "\udc00"],
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
    refused: ["", "1 2", "a/b", "x".repeat(129), "1\n", "1\0", "1\u001b[2J", "1\u0085", "1\ud800"],
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
      "https://h/a\0b",
      "https://h/a\ud800b",
      "https://h/%zz",
      `https://h/${"x".repeat(2048)}`,
    ],
  },
])("$name", ({ schema, taken, refused }) => {
  test.each(taken)("takes %j", (value) => expect(schema.safeParse(value).error).toBeUndefined());
  test.each(refused)("refuses %j with a reason", (value) => {
    expect(schema.safeParse(value).error?.issues[0]?.message).toMatch(/\w+ \w+/);
  });

  /** As editors and clients of the HTTP interface read it; docs/decisions/0011-json-schema.md says what it cannot say. */
  const fromSchema = z.fromJSONSchema({ ...z.toJSONSchema(schema, { io: "input" }) });
  const unsayable = ["😀".repeat(251), "https://h/%zz", "a\ud800b", "\udc00", "1\ud800", "https://h/a\ud800b"];
  test.each(taken)("the JSON schema takes %j", (value) => expect(fromSchema.safeParse(value).success).toBe(true));
  test.each(refused.filter((value) => !unsayable.includes(value)))("the JSON schema refuses %j", (value) => {
    expect(fromSchema.safeParse(value).success).toBe(false);
  });
});

/** Each rule said a second time, over texts made of what it takes and what it does not, also about as long as it takes. */
describe("accepts what the contract allows, and refuses all else with a reason", () => {
  const checkAny = (schema: z.ZodType, texts: fc.Arbitrary<string>, isAllowed: (text: string) => boolean) =>
    fc.assert(
      fc.property(texts, (text) => {
        const { success, error } = schema.safeParse(text);
        expect(success).toBe(isAllowed(text));
        if (!success) expect(error?.issues[0]?.message).toMatch(/\w+ \w+/);
      }),
      { numRuns: 500 },
    );

  /** Texts of these parts, short or some characters around `limit`. */
  const textsOf = (parts: string[], limit: number) =>
    fc
      .tuple(
        fc.array(fc.constantFrom(...parts), { maxLength: 6 }),
        fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: limit - 4, max: limit + 1 })),
      )
      .map(([chosen, length]) => chosen.join("").padEnd(length, "x"));

  const hasControl = (text: string) =>
    Array.from(text, (character) => character.charCodeAt(0)).some((code) => code < 32 || (code >= 127 && code < 160));

  test("a name", () => {
    const parts = ["@", "a", "Z", "0", ".", "/", "-", "_", " ", "\n", "é"];
    const pattern = /^@?[a-zA-Z0-9][a-zA-Z0-9._-]*(\/[a-zA-Z0-9][a-zA-Z0-9._-]*)*$/;
    checkAny(
      ResourceName,
      textsOf(parts, 64),
      (name) => name.length <= 64 && pattern.test(name) && !name.includes(".."),
    );
  });

  test("a branch", () => {
    const parts = ["a", "Z", "9", "/", "_", ".", "-", " ", "~", "\n", "é"];
    checkAny(Branch, textsOf(parts, 128), (branch) => {
      const isSpelled = Array.from(branch).every(
        (character) => /[a-zA-Z0-9]/.test(character) || "/_.-".includes(character),
      );
      return branch !== "" && branch.length <= 128 && isSpelled && !branch.startsWith("-");
    });
  });

  test("a search path", () => {
    const parts = ["a", "docs", "/", "\\", "C:", ".", "..", " ", "-", "\n", "\0", "é"];
    checkAny(SearchPath, textsOf(parts, 256), (searchPath) => {
      const isRelative = !path.posix.isAbsolute(searchPath) && path.win32.parse(searchPath).root === "";
      const isPlain = !searchPath.includes("..") && !hasControl(searchPath);
      return searchPath !== "" && searchPath.length <= 256 && isRelative && isPlain;
    });
  });

  test("notes", () => {
    const parts = ["a", "–", " ", "😀", "<", "\t", "\r\n", "\u001b", "\u007f", "\u009f", "\u00a0"];
    checkAny(SpecialNotes, textsOf(parts, 500), (notes) => notes.length <= 500 && !hasControl(notes));
  });

  test("a package", () => {
    const parts = ["a", "B", "7", "@", "/", ".", "_", "-", "~", "!", "%", " ", "node_modules", "favicon.ico", "é"];
    checkAny(PackageName, textsOf(parts, 214), (name) => {
      const segments = name.startsWith("@") ? name.slice(1).split("/") : [name];
      const isSegment = (segment: string) =>
        segment !== "" && !/^[._]/.test(segment) && !segment.includes("!") && encodeURIComponent(segment) === segment;
      const isComplete = segments.length === (name.startsWith("@") ? 2 : 1) && segments.every(isSegment);
      return name.length <= 214 && isComplete && !["node_modules", "favicon.ico"].includes(name);
    });
  });

  test("a version", () => {
    const parts = ["1", ".", "^", ">=", "beta", "-", "+", "*", "/", " ", "\t", "\u00a0", "\n"];
    checkAny(PackageVersion, textsOf(parts, 128), (version) => {
      const isOneWord = Array.from(version).every((character) => character.trim() !== "" && character !== "/");
      return version !== "" && version.length <= 128 && isOneWord;
    });
  });

  test("a git URL", () => {
    const urls = fc.record({
      scheme: fc.constantFrom("https:", "https:", "HTTPS:", "http:", "git:", "ssh:", "file:"),
      user: fc.constantFrom("", "", "", "token@", "user:secret@", ":secret@"),
      host: fc.constantFrom("github.com", "git.example:8443", "140.82.121.3", "[2606:50c0:8000::153]"),
      path: fc.constantFrom("", "/", "/a", "/a/b.git", "/a%20b", "/a b", "/a\n", "/%zz", `/${"x".repeat(2048)}`),
    });
    const allowed = ["/a", "/a/b.git", "/a%20b"];
    fc.assert(
      fc.property(urls, ({ scheme, user, host, path: repository }) => {
        const { success, error } = GitUrl.safeParse(`${scheme}//${user}${host}${repository}`);
        expect(success).toBe(scheme.toLowerCase() === "https:" && user === "" && allowed.includes(repository));
        if (!success) expect(error?.issues[0]?.message).toMatch(/\w+ \w+/);
      }),
      { numRuns: 500 },
    );
  });
});

test("a git resource without a branch is at main", () => {
  const spec = ResourceSpec.parse({ type: "git", name: "x", url: "https://github.com/a/b" });
  expect(spec).toMatchObject({ branch: "main" });
});

test("searchPath and searchPaths add up, without repetitions and slashes at the end", () => {
  expect(searchPathsOf({ searchPath: "src/", searchPaths: ["./docs", "src"] })).toEqual(["src", "docs"]);
  expect(searchPathsOf({ searchPath: null, searchPaths: ["."] })).toEqual([]);
});
