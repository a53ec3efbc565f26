import { expect, test } from "vitest";
import { gitHubUrl } from "../../../server/protocol/typed-reference.ts";

test.each([
  ["honojs/hono", "https://github.com/honojs/hono"],
  [" sindresorhus/p-queue ", "https://github.com/sindresorhus/p-queue"],
  ["vercel/next.js", "https://github.com/vercel/next.js"],
  ["github/.github", "https://github.com/github/.github"],
  ["@scope/name", undefined],
  ["./docs", undefined],
  ["docs/", undefined],
  ["../hono", undefined],
  ["a/b/c", undefined],
  ["-a/b", undefined],
  ["a b/c", undefined],
  ["hono", undefined],
])("%s may be a repository on GitHub: %s", (text, expected) => expect(gitHubUrl(text)).toBe(expected));
