import { expect, test } from "vitest";
import { hostPage } from "../../../extension/features/resources/host-page.ts";

test.each([
  ["https://github.com/a/b.git", "feature/x#1", "https://github.com/a/b/tree/feature/x%231"],
  ["https://gitlab.corp.example/g/s/r", "main", "https://gitlab.corp.example/g/s/r/-/tree/main"],
  ["https://bitbucket.org/a/b", "main", "https://bitbucket.org/a/b/src/main"],
  ["https://codeberg.org/a/b", "main", "https://codeberg.org/a/b/src/branch/main"],
  ["https://codeberg.org/a/b", "0".repeat(40), `https://codeberg.org/a/b/src/commit/${"0".repeat(40)}`],
  ["https://git.example/a/b", "main", "https://git.example/a/b"],
  ["https://github.com/a/b", null, "https://github.com/a/b"],
])("%s at %s", (url, branch, expected) => expect(hostPage(url, branch)).toBe(expected));
