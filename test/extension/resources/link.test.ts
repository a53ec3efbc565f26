import { expect, test } from "vitest";
import { readLink } from "../../../extension/features/resources/link.ts";

function check(link: string, expected: object | undefined): void {
  const { pathname, search } = new URL(link, "vscode://citewell.citewell");
  const read = readLink({ path: pathname, query: search.slice(1) });
  if (expected === undefined) expect(read).toBeUndefined();
  else expect(read).toMatchObject(expected);
}

test("a repository or a package can be added", () => {
  check("/add?url=https%3A%2F%2Fgithub.com%2Fa%2Fb", { type: "add", reference: { url: "https://github.com/a/b" } });
  check("/add?package=%40scope%2Fname%401.2.3", {
    type: "add",
    reference: { package: "@scope/name", version: "1.2.3" },
  });
});

test("a cited place can be opened", () => {
  check(`/open?cite=${encodeURIComponent("citewell:/zod/src/a.ts?revision=4.1.0#L3-L5")}`, {
    type: "open",
    citation: { resource: "zod", path: "src/a.ts", revision: "4.1.0", startLine: 3, endLine: 5 },
  });
});

test.each([
  "/add",
  "/add?url=file%3A%2F%2F%2Fetc",
  "/add?url=%2Fetc",
  "/add?url=http%3A%2F%2Fgithub.com%2Fa%2Fb",
  "/add?url=https%3A%2F%2Fu%3Ap%40github.com%2Fa%2Fb",
  `/add?url=https%3A%2F%2Fgithub.com%2Fa%2F${"b".repeat(3000)}`,
  "/add?package=..%2F..%2Fetc",
  "/add?package=a%20b",
  "/add?package=zod&url=https%3A%2F%2Fgithub.com%2Fa%2Fb",
  "/open?cite=file%3A%2F%2F%2Fetc%2Fpasswd%23L1",
  "/open?cite=command%3Acitewell.clear",
  "/ask?question=x",
  "/",
])("%s names nothing", (link) => check(link, undefined));
