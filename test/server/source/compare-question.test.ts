import { expect, test } from "vitest";
import { comparisonAsked } from "../../../server/source/compare-question.ts";

test.each([
  ["What changed in res.send?", "res.send"],
  ["what changed between 4 and 5 in `lib/router/index.js`?", "lib/router/index.js"],
  ["Is `app.del` gone?", "app.del"],
  ["How does parse() differ?", "parse"],
  ["Was createServer removed?", "createServer"],
  ["What is new?", undefined],
  ["what are the breaking changes?", undefined],
  ["compare both", undefined],
])("%s asks what differs", (question, place) => {
  expect(comparisonAsked(question)).toEqual({ place });
});

test.each(["How are routes matched?", "Where is res.send defined?", "Which options has it?"])(
  "%s does not",
  (question) => {
    expect(comparisonAsked(question)).toBeUndefined();
  },
);
