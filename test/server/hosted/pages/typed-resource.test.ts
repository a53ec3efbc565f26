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
  ["pypi:requests@2.32.3", { type: "pypi", name: "requests", package: "requests", version: "2.32.3" }],
  ["pip install 'requests[socks]==2.32.3'", { type: "pypi", name: "requests", version: "2.32.3" }],
  ["https://pypi.org/project/requests/", { type: "pypi", name: "requests", package: "requests" }],
  ["go:github.com/spf13/cobra", { type: "golang", name: "cobra", package: "github.com/spf13/cobra" }],
  ["https://pkg.go.dev/github.com/spf13/cobra@v1.8.0", { type: "golang", name: "cobra", version: "v1.8.0" }],
  ["cargo add serde_json", { type: "cargo", name: "serde_json", package: "serde_json" }],
  ["com.google.code.gson:gson:2.11.0", { type: "maven", name: "gson", version: "2.11.0" }],
])("%s is understood as it is pasted", (source, spec) => {
  expect(readTyped({ source })).toEqual({ spec: expect.objectContaining(spec) });
});

test.each([
  ["gem:rack", '"gem:rack" cannot be added: a Ruby gem is read where it is installed'],
  ["pypi:", '"pypi:" cannot be added: a package reference needs a name, as in pypi:requests'],
  ["~/lib", '"~/lib" cannot be added: neither the https address of a git repository nor a package'],
])("%s is refused", (source, fault) => {
  expect(readTyped({ source })).toEqual({ fault });
});

test("a name and a branch or version have precedence over those of the source", () => {
  const other = { name: "other", branchOrVersion: "next" };
  expect(readTyped({ source: `${url}/tree/v2`, ...other })).toEqual({
    spec: { type: "git", name: "other", url, branch: "next" },
  });
  expect(readTyped({ source: "cargo:serde@1", ...other })).toEqual({
    spec: { type: "cargo", name: "other", package: "serde", version: "next" },
  });
  expect(readTyped({ source: "zod@3", ...other })).toEqual({
    spec: { type: "npm", name: "other", package: "zod", version: "next" },
  });
});
