// A script for test/server/resources/new-kind.test.ts: asks about memos, a test-only kind of resource.
import path from "node:path";
import { silentLog } from "../../server/lib/log.ts";
import { createLocalApp } from "../../server/local-app.ts";
import { parseReference } from "../../server/protocol/reference.ts";

const cwd = process.argv[2] ?? "";
const location = { cwd, homeDirectory: path.join(cwd, "home"), env: {}, platform: "linux" } as const;
await using app = createLocalApp({ location, log: silentLog });
const memo = "memo:otters-sleep-afloat";
const linesIn = async (resources: string[]) => {
  const { results } = await app.search({ query: "otters", mode: "exact", limit: 5, resources });
  return results.map(({ resource, path: file, preview }) => `${resource} ${file}: ${preview}`);
};
const { resources } = await app.listResources({});
const { answer, snapshots } = await app.question({ question: "How do otters sleep?", resources: [memo] });
const found = {
  reference: parseReference(memo),
  listings: resources.filter(({ name }) => name === "note"),
  oneOff: await linesIn([memo]),
  configured: await linesIn(["note"]),
  answer,
  snapshots,
};
process.stdout.write(JSON.stringify(found));
