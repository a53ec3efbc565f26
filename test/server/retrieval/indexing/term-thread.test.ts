import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deflateSections } from "../../../../server/retrieval/format/deflated-sections.ts";
import { structureOf } from "../../../../server/retrieval/indexing/file-structure.ts";
import { createTermBuilder } from "../../../../server/retrieval/indexing/term-builder.ts";
import { createTermThread } from "../../../../server/retrieval/indexing/term-thread.ts";
import { type Folder, temporaryFolder } from "../../../support/folder.ts";

let folder: Folder;
let worker: URL;

beforeAll(async () => {
  folder = await temporaryFolder();
  const outfile = path.join(folder.path, "term-worker.mjs");
  const entry = path.resolve("server/retrieval/indexing/term-worker.ts");
  await build({ entryPoints: [entry], outfile, bundle: true, platform: "node", target: "node20", format: "esm" });
  worker = pathToFileURL(outfile);
});

afterAll(() => folder[Symbol.asyncDispose]());

/** Each with words of its own, and with what all have. */
const segments = [1, 2, 3].map((segment) =>
  Object.entries({
    "src/retry.ts": `import a from "b";\nexport function retry${segment}() {\n  return läuft("中文");\n}\n`,
    "data.json": "",
    "docs/guide.md": `# Guide\n${"to retries\n".repeat(100 * segment)}`,
  }).map(([path, text]) => ({ text, chunks: structureOf(path, text).chunks })),
);

test("a thread makes what is made here, of segment after segment", async () => {
  const thread = createTermThread(worker);
  for (const files of segments) {
    const builder = createTermBuilder();
    for (const file of files) {
      builder.add(file);
      await thread.add(file);
    }
    expect(await thread.finish()).toEqual(deflateSections(builder.finish()));
  }
});

test("however much is added, the thread keeps up, and what is left is forgotten", async () => {
  const thread = createTermThread(worker);
  const [files = []] = segments;
  for (let round = 0; round < 500; round++) for (const file of files) await thread.add(file);
  thread.clear();
  for (const file of files) await thread.add(file);
  const builder = createTermBuilder();
  for (const file of files) builder.add(file);
  expect(await thread.finish()).toEqual(deflateSections(builder.finish()));
});
