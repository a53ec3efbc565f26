import { expect, test } from "vitest";
import { renderSarif, type SarifResult } from "../../../cli/render/sarif.ts";
import { parseSarif } from "../../support/sarif.ts";

const rule = { id: "rule", text: "Something.", level: "error" } as const;

function render(result: Partial<SarifResult>) {
  const whole = { rule: "rule", level: "error", message: "m", place: undefined, fingerprint: "f", ...result } as const;
  return parseSarif(renderSarif({ version: "1", rules: [rule], results: [whole, whole], notifications: [] })).runs[0];
}

test.each([
  ["src/a b.ts", "src/a%20b.ts"],
  ["a:b.ts", "a%3Ab.ts"],
  ["what?#1.md", "what%3F%231.md"],
  ["[id].tsx", "%5Bid%5D.tsx"],
  ["100%.md", "100%25.md"],
])("the path %s is a relative URI", (file, uri) => {
  const place = { file, startLine: 1 };
  expect(render({ place })?.results[0]?.locations[0]?.physicalLocation.artifactLocation.uri).toBe(uri);
});

test("a message has no links of others, and shows what is invisible", () => {
  expect(render({ message: "see [a](https://example.com), [b] and \u202Ec" })?.results[0]?.message.text).toBe(
    String.raw`see \[a\](https://example.com), [b] and ‹U+202E›c`,
  );
});

test("equal results have different fingerprints, the same in each report", () => {
  const [one, other] = render({})?.results ?? [];
  expect(one?.partialFingerprints).not.toEqual(other?.partialFingerprints);
  expect(render({})?.results[0]?.partialFingerprints).toEqual(one?.partialFingerprints);
});
