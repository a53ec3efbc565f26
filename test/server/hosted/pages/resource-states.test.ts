import { expect, test } from "vitest";
import { toMarkup, html } from "../../../../server/hosted/pages/html.ts";
import { stateCells } from "../../../../server/hosted/pages/resource-states.ts";
import type { FetchState } from "../../../../server/protocol/hosted.ts";

const minuteMs = 60_000;
const fetch: FetchState = {
  state: "failed",
  since: null,
  failure: "the host is away",
  nextTryAt: null,
  needsToken: null,
  progress: null,
};

test.each<[string, Partial<FetchState>, boolean]>([
  ["waits", { state: "waiting" }, true],
  ["runs", { state: "running" }, true],
  ["failed and is tried again now, as after a sync", { nextTryAt: new Date().toISOString() }, true],
  ["failed and is tried again later", { nextTryAt: new Date(Date.now() + minuteMs).toISOString() }, false],
  ["failed and is not tried again", {}, false],
  ["is done", { state: "ready", failure: null }, false],
])("the page is updated while a fetch %s", (_state, changes, isPending) => {
  const [cell = html``] = stateCells({
    type: "git",
    name: "lib",
    url: "https://git.example/lib",
    branch: "main",
    specialNotes: null,
    searchPath: null,
    searchPaths: null,
    refresh: null,
    path: null,
    package: null,
    version: null,
    origin: "listed",
    state: "ready",
    revision: "1a2b3c4",
    fetchedAt: null,
    sizeBytes: 0,
    fileCount: 0,
    failure: null,
    fetch: { ...fetch, ...changes },
  });
  expect(toMarkup(cell).includes("data-pending")).toBe(isPending);
});
