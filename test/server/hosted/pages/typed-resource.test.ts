import { expect, test } from "vitest";
import { readTyped } from "../../../../server/hosted/pages/typed-resource.ts";

const url = "https://github.com/acme/lib";

test.each([
  [url, { type: "git", name: "lib", url, branch: "main" }],
  [`${url}/tree/v2/src`, { type: "git", name: "lib", url, branch: "v2" }],
  ["git@github.com:acme/lib.git", { type: "git", name: "lib", url, branch: "main" }],
  [`git clone --depth 1 ${url}.git`, { type: "git", name: "lib", branch: "main" }],
  ["github.com/acme/lib", { type: "git", name: "lib", url, branch: "main" }],
  [`<${url}>`, { type: "git", name: "lib", url, branch: "main" }],
  ["zod", { type: "npm", name: "zod", package: "zod" }],
  ["@scope/lib@^1.2.0", { type: "npm", name: "@scope/lib", package: "@scope/lib", version: "^1.2.0" }],
  ["npm:zod@3", { type: "npm", package: "zod", version: "3" }],
  ["npm install --save-dev zod", { type: "npm", package: "zod" }],
  ["https://www.npmjs.com/package/zod/v/3.1.0", { type: "npm", package: "zod", version: "3.1.0" }],
])("%s is understood as it is pasted", (source, spec) => {
  expect(readTyped({ source })).toEqual({ spec: expect.objectContaining(spec) });
});

test("a name and a branch or version have precedence over those of the source", () => {
  const other = { name: "other", branchOrVersion: "next" };
  expect(readTyped({ source: `${url}/tree/v2`, ...other })).toEqual({
    spec: { type: "git", name: "other", url, branch: "next" },
  });
  expect(readTyped({ source: "zod@3", ...other })).toEqual({
    spec: { type: "npm", name: "other", package: "zod", version: "next" },
  });
});
