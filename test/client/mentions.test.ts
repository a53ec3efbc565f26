import { expect, test } from "vitest";
import { completeMention } from "../../client/mentions.ts";

const resources = ["express", "@types/express", "zod", "my-Express"].map((name) => ({ name }));

function check(before: string, expected: { word: string; mentions: string[] } | undefined): void {
  const found = completeMention(before, resources);
  expect(found && { word: found.word, mentions: found.candidates.map(({ mention }) => mention) }).toEqual(expected);
}

test("names that begin with the word come first, then those that contain it", () =>
  check("Why @ex", { word: "@ex", mentions: ["@express", "@my-Express", "@types/express"] }));
test("an @ alone offers every name", () =>
  check("(@", { word: "@", mentions: ["@express", "@my-Express", "@types/express", "@zod"] }));
test("a scoped name shares its @ with the mention", () =>
  check("@types/", { word: "@types/", mentions: ["@types/express"] }));
test("a word that no name contains has no candidates", () => check("@none", { word: "@none", mentions: [] }));
test("an @ inside a word begins no mention", () => check("a@ex", undefined));
test("a finished mention is no longer completed", () => check("@express ", undefined));
