import { expect, test } from "vitest";
import { findTwins } from "../../../../server/retrieval/index/twins.ts";

test.each([
  [
    "a package with its source beside what was built of it",
    ["dist/cjs/parse.cjs", "dist/parse.d.ts", "dist/parse.js", "src/parse.ts"],
    { "dist/cjs/parse.cjs": "src/parse.ts", "dist/parse.d.ts": "src/parse.ts", "dist/parse.js": "src/parse.ts" },
  ],
  [
    "modules in two formats without a source",
    ["lib/index.cjs", "lib/index.js", "lib/index.d.ts"],
    { "lib/index.cjs": "lib/index.js", "lib/index.d.ts": "lib/index.js" },
  ],
  [
    "modules in two formats, one in a folder of its own",
    ["dist/cjs/router.js", "dist/router.js", "dist/types/router.d.ts"],
    { "dist/cjs/router.js": "dist/router.js", "dist/types/router.d.ts": "dist/router.js" },
  ],
  ["files of one name in different folders", ["src/a/index.ts", "src/b/index.ts", "a.md", "src/a.md"], {}],
  ["sources for two platforms", ["src/browser/fetch.ts", "src/node/fetch.ts"], {}],
])("%s", (_, paths, expected) => {
  expect(Object.fromEntries(findTwins(paths))).toEqual(expected);
});
