import { expect, test } from "vitest";
import {
  createIntegrityCheck,
  isIntegrity,
  revisionOf,
  versionOfRevision,
} from "../../../../server/resources/packages/integrity.ts";
import { sri } from "../../../support/npm-registry.ts";

const bytes = Buffer.from("some bytes");
const right = (algorithm: string) => sri(algorithm, bytes);
const wrong = (algorithm: string) => sri(algorithm, Buffer.from("other bytes"));

test.each<[string, string, boolean]>([
  ["sha512", right("sha512"), true],
  ["sha384", right("sha384"), true],
  ["sha256", right("sha256"), true],
  ["sha1", right("sha1"), true],
  ["a wrong one", wrong("sha512"), false],
  ["one of two", `${wrong("sha512")} ${right("sha512")}`, true],
  ["with options", `${right("sha512")}?foo`, true],
  ["the strongest alone counts, wrong", `${right("sha1")} ${wrong("sha512")}`, false],
  ["the strongest alone counts, right", `${wrong("sha1")} ${right("sha512")}`, true],
  ["an unknown kind beside it", `${wrong("md5")} ${right("sha256")}`, true],
  ["an unknown kind alone", right("md5"), false],
  ["nothing", "", false],
  ["nonsense", "sha512-", false],
])("a checksum matches: %s", (_title, integrity, expected) => {
  const check = createIntegrityCheck(integrity);
  for (const byte of bytes) check.update(Uint8Array.of(byte));
  expect(check.isMet()).toBe(expected);
});

test("a value without a trusted algorithm is not an integrity", () => {
  expect([right("sha1"), right("md5"), "", "nonsense"].map(isIntegrity)).toEqual([true, false, false, false]);
});

test("a revision is a version and the start of the strongest checksum, in any order", () => {
  const revision = revisionOf("1.0.0-rc.1+build.5", `${right("sha1")} ${right("sha512")}`);
  expect(revision).toMatchInlineSnapshot(`"1.0.0-rc.1+build.5+aebf42e044550433"`);
  expect(revisionOf("1.0.0-rc.1+build.5", `${right("sha512")}\n${right("sha1")}`)).toBe(revision);
  expect(versionOfRevision(revision)).toBe("1.0.0-rc.1+build.5");
});
