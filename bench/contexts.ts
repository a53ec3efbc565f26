import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { localCaller } from "../server/caller.ts";
import { startTenants } from "../test/support/tenants.ts";

/** What one tenant more costs a process: its services and the context of its first call. */
const count = 1000;

const folder = mkdtempSync(path.join(os.tmpdir(), "citewell-bench-contexts-"));
try {
  await using tenants = await startTenants(folder);
  const open = (name: string) => tenants.add(name).tenant.contextFor(localCaller);
  for (let index = 0; index < 100; index++) await open(`warm-${index}`);
  const before = heap();
  const startedAt = performance.now();
  const contexts = [];
  for (let index = 0; index < count; index++) contexts.push(await open(`t${index}`));
  const ms = (performance.now() - startedAt) / count;
  const kilobytes = (heap() - before) / count / 1024;
  const retrievals = new Set(contexts.map(({ node }) => node.retrieval)).size;
  console.log(`contexts: ${ms.toFixed(2)} ms and ${kilobytes.toFixed(1)} KB each (aim: at most 1 ms and 200 KB)`);
  console.log(`contexts: ${count} of them share ${retrievals} retrieval`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
