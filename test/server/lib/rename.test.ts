import { expect, test } from "vitest";
import { type RenameOptions, renameWhenFree } from "../../../server/lib/rename.ts";

/** How often it is tried, and how it ends, where the first `failures` attempts fail. */
async function check(code: string, { failures, isWindows }: { failures: number; isWindows: boolean }) {
  let attempts = 0;
  const rename: RenameOptions["rename"] = () => {
    attempts++;
    if (attempts <= failures) throw Object.assign(new Error(code), { code });
  };
  const end = await renameWhenFree("a", "b", { isWindows, rename }).then(
    () => "renamed",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return `${end} after ${attempts}`;
}

test.each([
  ["EBUSY", { failures: 2, isWindows: true }, "renamed after 3"],
  ["EPERM", { failures: 2, isWindows: true }, "renamed after 3"],
  ["EACCES", { failures: 2, isWindows: true }, "renamed after 3"],
  ["EBUSY", { failures: 100, isWindows: true }, "EBUSY after 8"],
  ["ENOENT", { failures: 2, isWindows: true }, "ENOENT after 1"],
  ["EPERM", { failures: 2, isWindows: false }, "EPERM after 1"],
])("%s with %j: %s", async (code, given, expected) => {
  expect(await check(code, given)).toBe(expected);
});
