// A script: indexes folders one after the other, as a server does, and prints a line for each.
import { createLocal } from "../../server/resources/local/local.ts";
import { createRetrieval } from "../../server/retrieval/retrieval.ts";

const { folders, query, directory, worker } = JSON.parse(process.argv[2] ?? "");
const { signal } = new AbortController();
const retrieval = createRetrieval({ directory, worker: new URL(worker) });
for (const folder of folders) {
  const local = createLocal({ workingDirectory: folder, homeDirectory: folder });
  const snapshot = await local.open({ name: "demo", path: folder }, { signal });
  const { passages } = await retrieval.search([snapshot], { query, limit: 3, patienceMs: 60_000, signal });
  console.log(`found ${passages.length}`);
}
