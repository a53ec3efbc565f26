import { describe, expect, test } from "vitest";
import { checkLinks } from "../../../server/citations/check-links.ts";
import type { CitedResources, Opened } from "../../../server/citations/cited-resources.ts";
import type { Snapshot } from "../../../server/resources/snapshot.ts";
import { fixture } from "../../support/fixture.ts";

const files = `//- README.md
//- LICENSE
//- src/a.ts
//- docs/guide.md
//- docs/api/client.md
//- docs/a b.md
//- docs/100%.md
//- docs/v1(2).md
//- .github/CONTRIBUTING.md
`;
const base = fixture(files, { resource: "app" });
const app: Snapshot = {
  ...base,
  info: { ...base.info, directory: "/work/app" },
  skipped: [{ path: "docs/images/logo.png", reason: "binary" }],
};
const open = (snapshot: Snapshot): Opened => ({ type: "snapshot", snapshot });

function citedIn(folder: string | undefined, own: Opened | undefined = open(app), others: readonly Opened[] = []) {
  const cited: CitedResources = {
    areNamed: others.length > 0,
    folder,
    own: async () => own,
    others: async () => others,
    named: async () => undefined,
    repository: async () => undefined,
    onDisk: async (file) =>
      file === "/work/app/dist/a.js" ? { type: "file", snapshot: app, path: "dist/a.js" } : undefined,
  };
  return cited;
}

async function check(text: string, cited = citedIn("/work/app/docs")): Promise<string[]> {
  const links = await checkLinks(text, { cited });
  return links.map(({ target, state, path, reason, at }) => {
    return `${at.line} ${target} ${state}${state === "found" ? ` ${path}` : ""}${reason === undefined ? "" : `: ${reason}`}`;
  });
}

describe("a link of a document in docs/ leads to", () => {
  test.each([
    ["[a](guide.md)", "1 guide.md found docs/guide.md"],
    ["[a](./guide.md#install)", "1 ./guide.md#install found docs/guide.md"],
    ["[a](guide.md?plain=1)", "1 guide.md?plain=1 found docs/guide.md"],
    ["[a](../src/a.ts 'title')", "1 ../src/a.ts found src/a.ts"],
    ["[a](../src/)", "1 ../src/ found src"],
    ["[a](..)", "1 .. found "],
    ["[a](/LICENSE)", "1 /LICENSE found LICENSE"],
    ["[a](/api/client.md)", "1 /api/client.md found docs/api/client.md"],
    ["[a](a%20b.md)", "1 a%20b.md found docs/a b.md"],
    ["[a](<a b.md>)", "1 a b.md found docs/a b.md"],
    ["[a](100%.md)", "1 100%.md found docs/100%.md"],
    ["[a](v1(2).md)", "1 v1(2).md found docs/v1(2).md"],
    ["[a](v1\\(2\\).md)", "1 v1\\(2\\).md found docs/v1(2).md"],
    ["[a](guide)", "1 guide found docs/guide.md"],
    ["[a](../.github/CONTRIBUTING.md)", "1 ../.github/CONTRIBUTING.md found .github/CONTRIBUTING.md"],
    ["![logo](images/logo.png)", "1 images/logo.png found docs/images/logo.png"],
    ["[a]: guide.md 'Guide'", "1 guide.md found docs/guide.md"],
    ['<img width="10" src="images/logo.png">', "1 images/logo.png found docs/images/logo.png"],
    ["[a](../dist/a.js)", "1 ../dist/a.js found dist/a.js"],
    ["[a](none.md)", "1 none.md missing: no such file in app"],
    ["[a](Guide.md)", "1 Guide.md missing: no such file in app"],
    ["[a](src/a.ts)", "1 src/a.ts missing: no such file in app; /src/a.ts is there, from the root"],
    ["[a](/none.md)", "1 /none.md missing: no such file in app"],
    ["[a](../../issues)", "1 ../../issues outside: it leads out of the project"],
    ["[a](../../../etc/passwd)", "1 ../../../etc/passwd outside: it leads out of the project"],
    ["[a](%2e%2e/%2e%2e/etc)", "1 %2e%2e/%2e%2e/etc outside: it leads out of the project"],
  ])("%s", async (text, expected) => {
    expect(await check(text)).toEqual([expected]);
  });

  test("several of a line, an image that is a link, and the line of each", async () => {
    expect(await check("\n[![logo](images/logo.png)](guide.md) and [x](none.md)")).toEqual([
      "2 images/logo.png found docs/images/logo.png",
      "2 guide.md found docs/guide.md",
      "2 none.md missing: no such file in app",
    ]);
  });
});

test.each([
  "https://example.org/none.md, [a](https://example.org), [a](mailto:a@b.c), [a](//cdn/x.js)",
  "[a](#install) [a](?tab=readme)",
  "[a](src/a.ts#L3) is a citation",
  "`[a](none.md)` and ``[a]`(none.md)``",
  "```\n[a](none.md)\n```",
  "<!-- [a](none.md)\n[b](none.md) -->",
  "\\[a\\](none.md)",
  "[a]({{ site.url }}/none.md)",
  "[^1]: a note",
  "[ ] a task, list[0], f(x)",
])("no link: %s", async (text) => {
  expect(await check(text)).toEqual([]);
});

describe("without a project of its own, a document's links are looked for", () => {
  test("in the resources that the request names", async () => {
    const cited: CitedResources = { ...citedIn(undefined, undefined, [open(app)]), own: async () => undefined };
    expect(await check("[a](src/a.ts) [b](none.md)", cited)).toEqual([
      "1 src/a.ts found src/a.ts",
      "1 none.md missing: no such file in app",
    ]);
  });

  test("beside it", async () => {
    const cited: CitedResources = { ...citedIn("/work/app/dist"), own: async () => undefined };
    expect(await check("[a](a.js) [b](b.js)", cited)).toEqual([
      "1 a.js found dist/a.js",
      "1 b.js missing: no such file beside the document",
    ]);
  });

  test("nowhere, if the text has no place", async () => {
    const cited: CitedResources = { ...citedIn(undefined), own: async () => undefined };
    expect(await check("[a](a.js)", cited)).toEqual([]);
  });
});

test("a project that does not open leaves its links unchecked", async () => {
  const cited = citedIn("/work/app", { type: "failed", resource: "app", reason: "no access", isGone: false });
  expect(await check("[a](a.js)", cited)).toEqual(["1 a.js not-checked: no access"]);
});

test("a line of a million characters is read in no time to speak of", async () => {
  for (const piece of ["](", "[a](", "](a ", "<a ", "`", "](<", "[a]: ", "](a(", "<!--", "\\"]) {
    expect(await check(piece.repeat(20_000))).toBeDefined();
  }
});
