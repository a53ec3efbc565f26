import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createDirectoryWatches } from "../../../server/lib/directory-watches.ts";
import { canFollow } from "../../support/followed-folder.ts";
import { temporaryFolder } from "../../support/folder.ts";

/** The watcher of other systems reports later: folders are not followed there. */
const delivered = canFollow ? 1 : 0;

test.each([
  ["after another immediate", () => setImmediate()],
  ["in a microtask", () => Promise.resolve()],
  ["after reading from disk", () => stat(".")],
])("each change has been reported once the watches are drained, %s", async (_when, turn) => {
  await using folder = await temporaryFolder("//- a.ts\n");
  let eventCount = 0;
  using watches = createDirectoryWatches({ onLost: () => {} });
  if (canFollow) watches.open(folder.path, () => eventCount++);
  for (let run = 0; run < 1000; run++) {
    await turn();
    await watches.drained();
    eventCount = 0;
    await turn();
    appendFileSync(path.join(folder.path, "a.ts"), ".");
    await watches.drained();
    expect(eventCount).toBe(delivered);
  }
});

test("no more directories are watched than the limit allows", async () => {
  await using folder = await temporaryFolder("//- one/a.ts\n//- two/a.ts\n");
  using watches = createDirectoryWatches({ limits: { watches: 1, queuedEvents: 100 }, onLost: () => {} });
  const first = watches.open(path.join(folder.path, "one"), () => {});
  const open = () => watches.open(path.join(folder.path, "two"), () => {});
  expect(open).toThrow(expect.objectContaining({ code: "ENOSPC" }));
  first[Symbol.dispose]();
  await watches.drained();
  await watches.drained();
  open();
});

test("a directory that is not there is not watched", async () => {
  await using folder = await temporaryFolder();
  using watches = createDirectoryWatches({ limits: { watches: 1, queuedEvents: 100 }, onLost: () => {} });
  const name = path.join(folder.path, "new");
  expect(() => watches.open(name, () => {})).toThrow(expect.objectContaining({ code: "ENOENT" }));
  mkdirSync(name);
  watches.open(name, () => {});
});

test("events that come in large numbers may be incomplete, also those of watches that were just closed", async () => {
  await using folder = await temporaryFolder("//- a.ts\n");
  let lostCount = 0;
  using watches = createDirectoryWatches({ limits: { watches: 9, queuedEvents: 40 }, onLost: () => lostCount++ });
  if (!canFollow) return;
  const watch = watches.open(folder.path, () => {});
  const change = (times: number) => {
    for (let run = 0; run < times; run++) {
      appendFileSync(path.join(folder.path, "a.ts"), ".");
      writeFileSync(path.join(folder.path, "b.ts"), ".");
    }
  };
  change(2);
  await watches.drained();
  expect(lostCount).toBe(0);
  change(20);
  watch[Symbol.dispose]();
  await watches.drained();
  expect(lostCount).toBe(1);
});
