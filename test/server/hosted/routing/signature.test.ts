import { expect, test } from "vitest";
import { isSignedPassed, signPassed } from "../../../../server/hosted/routing/signature.ts";
import { openSealingKeys } from "../../../../server/hosted/secrets/sealing-keys.ts";

const keysOf = (...fills: number[]) => {
  const text = fills.map((fill) => Buffer.alloc(32, fill).toString("base64")).join(",");
  return openSealingKeys({ text, directory: "", mayCreate: false });
};
const call = { to: "http://10.0.0.5:8484", authorization: "Bearer cw_key" };
const now = Date.parse("2026-11-26T10:00:00Z");

test("a signature holds for its node, its client and a minute, also while keys are rotated", async () => {
  const signed = await signPassed(call, keysOf(1), now);
  const isValid = (changes: Partial<typeof call> = {}, keys = keysOf(1), at = now) =>
    isSignedPassed(signed, { ...call, ...changes }, keys, at);
  expect(await isValid()).toBe(true);
  expect(await isValid({}, keysOf(2, 1), now + 59_000)).toBe(true);
  expect(await isValid({ to: "http://10.0.0.6:8484" })).toBe(false);
  expect(await isValid({ authorization: "Bearer cw_other" })).toBe(false);
  expect(await isValid({}, keysOf(2))).toBe(false);
  expect(await isValid({}, keysOf(1), now + 61_000)).toBe(false);
  expect(await isValid({}, keysOf(1), now - 61_000)).toBe(false);
});

test.each([
  "",
  "x",
  `${now}.`,
  `${now}.${"A".repeat(43)}`,
  `-1.${"A".repeat(43)}`,
  `${"9".repeat(16)}.${"A".repeat(43)}`,
])("%j is no signature", async (value) => {
  expect(await isSignedPassed(value, call, keysOf(1), now)).toBe(false);
});
