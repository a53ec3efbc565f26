// A script for test/server/resources/new-kind.test.ts: reads packages of a test-only ecosystem.
import path from "node:path";
import { silentLog } from "../../server/lib/log.ts";
import { createLocalApp } from "../../server/local-app.ts";
import { parseReference } from "../../server/protocol/reference.ts";

const [cwd = "", registry = ""] = process.argv.slice(2);
const env = { TOY_REGISTRY: registry };
const location = { cwd, homeDirectory: path.join(cwd, "home"), env, platform: "linux" } as const;
await using app = createLocalApp({ location, log: silentLog });
const linesIn = async (resource: string) => {
  const { results } = await app
    .search({ query: "quack", mode: "exact", limit: 5, resources: [resource] })
    .catch((error: unknown) => ({ results: [{ resource, path: "", preview: String(error) }] }));
  return results.map(({ resource: from, path: file, preview }) => `${from} ${file}: ${preview}`);
};
const { dependencies } = await app.listDependencies({});
const { resources } = await app.listResources({});
const found = {
  reference: parseReference("https://toys.example/duck@2"),
  dependencies,
  listings: resources.filter(({ name }) => name === "bath").map(({ name, type, state }) => ({ name, type, state })),
  installed: await linesIn("toy:duck"),
  fetched: await linesIn("toy:goose"),
  configured: await linesIn("bath"),
  refused: await linesIn("toy:fake"),
};
process.stdout.write(JSON.stringify(found));
