// Indexes a folder in a process of its own, as a server does; says so when it is done.
import { createLocal } from "../../server/resources/local.ts";
import { createRetrieval } from "../../server/retrieval/retrieval.ts";

const { folder, directory, worker } = JSON.parse(process.argv[2] ?? "");
const { signal } = new AbortController();
const local = createLocal({ workingDirectory: folder, homeDirectory: folder });
const snapshot = await local.open({ name: "demo", path: folder }, { signal });
const retrieval = createRetrieval({ directory, worker: new URL(worker) });
const { passages } = await retrieval.search([snapshot], { query: "retry", limit: 3, patienceMs: 60_000, signal });
console.log(`found ${passages.length}`);
