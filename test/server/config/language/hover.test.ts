import { expect, test } from "vitest";
import { hover } from "../../../../server/config/language/hover.ts";
import { createConfigSchema } from "../../../../server/config/language/schema.ts";
import { listing, scriptedLookups } from "../../../support/lookups.ts";
import { marked } from "../../../support/marked.ts";

const schema = createConfigSchema();

/** Checks the hover at the `|` and its span. */
async function check(source: string, [span, ...paragraphs]: readonly string[]) {
  const { text, offset } = marked(source);
  const lookups = scriptedLookups({
    resources: async () => [listing({ state: "absent", revision: null, fetchedAt: null })],
  });
  const found = await hover(text, offset, { schema, lookups });
  const shown = found && [text.slice(found.start, found.end), ...found.markdown.split("\n\n")];
  expect(shown ?? []).toEqual(span === undefined ? [] : [span, ...paragraphs]);
}

test.each([
  [
    '{ "maxS|teps": 40 }',
    ['"maxSteps"', "**maxSteps**", "The maximum number of model calls per question. Default: 40.", "From 1 to 1000."],
  ],
  [
    '{ "refresh": "d|aily" }',
    [
      '"daily"',
      "**refresh**",
      "When to check for a newer revision of a branch, range or tag: with every question, once a day, or on request.",
      "- `always`\n- `daily`\n- `manual`",
      'Default: `"daily"`',
    ],
  ],
  [
    '{ "resources": [{ "type": "git", "bra|nch": "x" }] }',
    ['"branch"', "**branch**", "The branch, tag or full commit id to read.", 'Default: `"main"`'],
  ],
  [
    '{ "resources": [{ "type": "git", "searchPaths": ["d|ocs"] }] }',
    ['"docs"', "**searchPaths**", "A folder or file below the repository's root; nothing else is read."],
  ],
  [
    '{ "provider": "open|ai" }',
    [
      '"openai"',
      "**provider**",
      "The provider that answers. Default: builtin.",
      "OpenAI. It is not connected yet. A key may also be in `OPENAI_API_KEY`.",
    ],
  ],
  [
    '{ "provider": "openai", "model": "gp|t-5" }',
    [
      '"gpt-5"',
      "**model**",
      "A model that the provider serves. Default: extractive.",
      "GPT-5",
      "Context: 400,000 tokens.",
    ],
  ],
  [
    '{ "resources": [{ "type": "git", "name": "re|po" }] }',
    ['"repo"', "**name**", "The name by which questions refer to the resource.", "not fetched yet"],
  ],
  ['{ "nothing": "o|f ours" }', []],
  ["{ |  }", []],
])("%s", check);
