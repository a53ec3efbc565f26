import { describe, expect, test } from "vitest";
import { createRetrieval } from "../../../../server/retrieval/retrieval.ts";
import { fixture } from "../../../support/fixture.ts";

const tree = fixture(`//- src/cache.py
class Cache:
    def read(self):
        with open(self.path) as file:
            return load(file)

    def write(self):
        return dump(self.path)

class Other:
    def read(self):
        return None
//- src/main.py
# Errors that are ignored are ignored on purpose: why errors are ignored, and what reads ignore.
def ignore_errors(errors):
    for error in errors:
        why(error)
    return errors
//- web/index.ts
export const a = 1;
//- lib/index.ts
export const b = 1;
//- api/index.ts
export const c = 1;
`);

async function firstOf(query: string, options: { glob?: string; limit?: number } = {}) {
  const { passages } = await createRetrieval().search([tree], { query, limit: 5, signal: undefined, ...options });
  return passages.map(({ path, startLine, endLine }) => `${path}:${startLine}-${endLine}`);
}

describe("a question that points at lines gets them first", () => {
  test.each([
    ["a path with a line", "why does src/cache.py:4 ignore errors?"],
    ["a file name with a line, in words", "why are errors ignored in cache.py line 4?"],
    ["a URL", "https://github.com/o/r/blob/main/src/cache.py#L4 why are errors ignored?"],
    ["a frame with a path of another machine", 'why?\n  File "/usr/lib/site-packages/src/cache.py", line 4, in read'],
    [
      "a frame below those of libraries",
      `why?\n${["logging", "json", "socket", "asyncio"].map((name) => `  File "/usr/lib/python3.12/${name}/cache.py", line 2, in g`).join("\n")}\n  File "/srv/src/cache.py", line 4, in read (most recent call first)`,
    ],
    ["a frame in a log", '12:00:00 ERROR why?\n12:00:00 ERROR   File "/srv/src/cache.py", line 4, in read'],
    ["a member with its owner", "why does `Cache.read` ignore errors?"],
  ])("%s", async (_, query) => {
    expect((await firstOf(query))[0]).toBe("src/cache.py:2-4");
  });

  test("and what its words find after them, without the same lines again", async () => {
    const found = await firstOf("why does src/cache.py:4 ignore errors?");
    expect(found.some((place) => place.startsWith("src/main.py"))).toBe(true);
    expect(new Set(found).size).toBe(found.length);
  });

  test("with the reason", async () => {
    const { passages } = await createRetrieval().search([tree], { query: "cache.py:4", limit: 1, signal: undefined });
    expect(passages[0]?.reason).toBe("has line 4, which the question names");
    expect(passages[0]?.scope.map(({ name }) => name)).toEqual(["Cache"]);
  });
});

describe("a question does not point at", () => {
  test("a line that the file lacks, or a file that a filter leaves out", async () => {
    expect((await firstOf("why errors are ignored, cache.py:400"))[0]).toMatch(/^src\/main\.py/);
    expect(await firstOf("cache.py:4", { glob: "web/**" })).not.toContain("src/cache.py:2-4");
  });

  test("a file that only has the name of a library's", async () => {
    const frame = 'why errors are ignored\n  File "/usr/lib/python3.12/logging/cache.py", line 4, in read';
    const { passages } = await createRetrieval().search([tree], { query: frame, limit: 5, signal: undefined });
    expect(passages.map(({ reason }) => reason)).not.toContain("has line 4, which the question names");
  });

  test("a name that many files have", async () => {
    const { passages } = await createRetrieval().search([tree], { query: "index.ts:1", limit: 5, signal: undefined });
    expect(passages.map(({ reason }) => reason)).not.toContain("has line 1, which the question names");
  });
});
