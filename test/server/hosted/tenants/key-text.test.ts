import { expect, test } from "vitest";
import { generateKey, isKey } from "../../../../server/hosted/tenants/key-text.ts";

test("a key has a prefix, 43 random characters and a checksum", () => {
  const [first, second] = [generateKey(), generateKey()];
  expect(first).toMatch(/^cw_[\w-]{49}$/);
  expect(first).not.toBe(second);
  expect(isKey(first)).toBe(true);
});

test.each([
  ["a changed character", (key: string) => `${key.slice(0, 10)}${key[10] === "a" ? "b" : "a"}${key.slice(11)}`],
  ["a missing character", (key: string) => key.slice(0, -1)],
  ["a space after it", (key: string) => `${key} `],
  ["another prefix", (key: string) => key.replace("cw_", "sk_")],
])("%s makes it no key", (_name, change) => {
  expect(isKey(change(generateKey()))).toBe(false);
});
