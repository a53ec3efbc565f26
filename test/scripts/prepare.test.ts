import { expect, test } from "vitest";
import { engineNote } from "../../scripts/prepare.mjs";

const warning = (name: string) => `npm warn EBADENGINE Unsupported engine {
npm warn EBADENGINE   package: '${name}',
npm warn EBADENGINE   required: { node: '>=22' },
npm warn EBADENGINE   current: { node: 'v20.19.0', npm: '10.8.2' }
npm warn EBADENGINE }
`;

test("packages that ask for a newer Node are counted in one line", () => {
  const deprecated = "npm warn deprecated glob@7.2.3: no longer supported\n";
  expect(engineNote(warning("ai@7.0.173") + deprecated + warning("@ai-sdk/openai@4.0.118"))).toMatch(
    /^2 packages ask for a newer Node than [\d.]+; Citewell is tested on it \(docs\/decisions\/0031-node\.md\)$/,
  );
  expect(engineNote(warning("ai@7.0.173"))).toMatch(/^1 package asks for a newer Node/);
  expect(engineNote(deprecated)).toBeUndefined();
});
