import { expect, onTestFinished, test } from "vitest";
import { createFollowedFolders, type FollowServices, updatedMs } from "../../../server/operations/followed-folders.ts";
import type { Target } from "../../../server/operations/targets.ts";
import { silentLog } from "../../../server/lib/log.ts";
import type { Snapshot } from "../../../server/resources/snapshot.ts";
import { fixture } from "../../support/fixture.ts";
import { temporaryFolder } from "../../support/folder.ts";

const folder: Target = { type: "local", name: "demo", path: "/demo" };
const other: Target = { type: "local", name: "other", path: "/other" };

/** Folders whose revision a test sets, and a log of what is done for their indexes. */
function world() {
  const log: string[] = [];
  let now = 0;
  const revisions = new Map([
    ["/demo", "1"],
    ["/other", "1"],
  ]);
  const watchers = new Map<string, (files: readonly string[]) => void>();
  /** What an index that is being made waits for. */
  let work = Promise.resolve();
  const open = (target: Target): Snapshot => {
    const path = target.type === "local" ? target.path : "";
    if (path.startsWith("/many/")) revisions.set(path, "1");
    const snapshot = fixture("//- a.ts\nexport const a = 1;\n");
    const revision = revisions.get(path);
    if (revision === undefined) throw new Error(`no folder ${path}`);
    return { ...snapshot, revision, info: { ...snapshot.info, directory: path } };
  };
  const services: FollowServices = {
    resources: { open: async (target) => open(target) },
    retrieval: {
      prepare({ info, revision }, { onProgress } = {}) {
        const name = `${info.directory}@${revision}`;
        log.push(`${name} begins`);
        onProgress?.(0.4);
        return {
          done: work,
          async [Symbol.asyncDispose]() {
            log.push(`${name} ends`);
          },
        };
      },
    },
  };
  const folders = createFollowedFolders({
    watchFolder(path, onChange) {
      watchers.set(path, onChange);
      return { [Symbol.dispose]: () => watchers.delete(path) };
    },
    log: { ...silentLog, debug: (event) => log.push(event) },
    settleMs: 0,
    now: () => now,
  });
  onTestFinished(() => folders[Symbol.asyncDispose]());
  const followed = folders.over(services);
  const self = {
    log,
    folders,
    followed,
    watchers,
    ask: (target: Target) => followed.asked(target, open(target)),
    /** A question of its own, begun and ended. */
    async answer(target: Target) {
      await followed.asked(target, open(target))[Symbol.asyncDispose]();
    },
    change(path: string, { revision, file = "a.ts" }: { revision?: string; file?: string } = {}) {
      if (revision !== undefined) revisions.set(path, revision);
      watchers.get(path)?.([file]);
    },
    wait(ms: number) {
      now += ms;
    },
    remove: (path: string) => revisions.delete(path),
    holdWork() {
      let release = () => {};
      work = new Promise((resolve) => (release = resolve));
      return release;
    },
    /** Uses a folder that is on disk. */
    withProject(path: string) {
      revisions.set(path, "1");
      return { ...self, project: { type: "local" as const, name: "project", path } };
    },
  };
  return self;
}

const updated = (path: string, revision: string) => [`${path}@${revision} begins`, `${path}@${revision} ends`];

test("a folder that was asked gets its index when its files change", async () => {
  const { log, answer, change } = world();
  await answer(folder);
  change("/demo", { revision: "2" });
  await expect.poll(() => log).toEqual(updated("/demo", "2"));
});

test("nothing is done for a folder that was not asked, nor for what people do not work in", () => {
  const { watchers, ask } = world();
  const installed: Target = { type: "npm", name: "zod", package: "zod" };
  const snapshot = fixture("//- a.ts\n");
  const { followed } = world();
  expect(followed.asked(installed, snapshot)).toBe(snapshot);
  ask(folder);
  expect([...watchers.keys()]).toEqual(["/demo"]);
});

test("edits that come one after the other are one piece of work", async () => {
  const { log, answer, change } = world();
  await answer(folder);
  for (const revision of ["2", "3", "4"]) change("/demo", { revision });
  await expect.poll(() => log).toEqual(updated("/demo", "4"));
});

test("while a question runs nothing is done; it is made up for at its end", async () => {
  const { log, ask, answer, change } = world();
  await answer(other);
  const question = ask(folder);
  change("/demo", { revision: "2" });
  change("/other", { revision: "2" });
  await expect.poll(() => log).toEqual(updated("/other", "2"));
  await question[Symbol.asyncDispose]();
  await expect.poll(() => log.slice(2)).toEqual(updated("/demo", "2"));
});

test.each([
  ["files that nothing is read of", { revision: "2", file: ".git/index" }],
  ["packages that are installed", { revision: "2", file: "packages/a/node_modules/b/c.js" }],
  ["texts that are the same again", { revision: "1" }],
])("%s cost nothing", async (_, edit) => {
  const { log, answer, change } = world();
  await answer(folder);
  await answer(other);
  change("/demo", edit);
  change("/other", { revision: "2" });
  await expect.poll(() => log).toEqual(updated("/other", "2"));
});

test("one folder comes after the other", async () => {
  const { log, answer, change, holdWork } = world();
  await answer(folder);
  await answer(other);
  const release = holdWork();
  change("/demo", { revision: "2" });
  change("/other", { revision: "2" });
  await expect.poll(() => log).toEqual(["/demo@2 begins"]);
  release();
  await expect.poll(() => log).toEqual([...updated("/demo", "2"), ...updated("/other", "2")]);
});

test("a question about a newer revision ends the work for an older one, and joins that for its own", async () => {
  const { log, ask, answer, change, holdWork } = world();
  await answer(folder);
  holdWork();
  change("/demo", { revision: "2" });
  await expect.poll(() => log).toEqual(["/demo@2 begins"]);
  ask(folder);
  expect(log).toEqual(["/demo@2 begins"]);
  change("/demo", { revision: "3" });
  ask(folder);
  await expect.poll(() => log).toEqual(updated("/demo", "2"));
});

test("a folder that is gone is left to the next question, and followed when it is back", async () => {
  const { log, answer, change, remove } = world();
  await answer(folder);
  remove("/demo");
  change("/demo");
  await expect.poll(() => log).toEqual(["folder-not-followed"]);
  change("/demo", { revision: "2" });
  await expect.poll(() => log.slice(1)).toEqual(updated("/demo", "2"));
});

test("the folder that was asked least recently is no longer followed when there are too many", async () => {
  const { watchers, answer } = world();
  const paths = Array.from({ length: 9 }, (_, number) => `/many/${number}`);
  for (const path of paths.slice(0, 8)) await answer({ type: "local", name: path, path });
  expect([...watchers.keys()]).toEqual(paths.slice(0, 8));
  await answer({ type: "local", name: "first", path: "/many/0" });
  await answer({ type: "local", name: "last", path: "/many/8" });
  expect([...watchers.keys()]).toEqual(paths.filter((path) => path !== "/many/1"));
});

test("a folder is no longer followed when its last question was long ago", async () => {
  const { watchers, answer, change, log, wait } = world();
  await answer(folder);
  wait(updatedMs);
  change("/demo", { revision: "2" });
  await expect.poll(() => log).toEqual(updated("/demo", "2"));
  wait(1);
  change("/demo", { revision: "3" });
  expect([...watchers.keys()]).toEqual([]);
});

test("the end takes everything along", async () => {
  const { log, folders, watchers, answer, change, holdWork } = world();
  await answer(folder);
  holdWork();
  change("/demo", { revision: "2" });
  await expect.poll(() => log).toEqual(["/demo@2 begins"]);
  await folders[Symbol.asyncDispose]();
  expect(log).toEqual(updated("/demo", "2"));
  expect(watchers.size).toBe(0);
});

test("a project is indexed before its first question, and again when its files change", async () => {
  await using disk = await temporaryFolder();
  const { log, followed, project, change } = world().withProject(disk.path);
  expect(await followed.prepare(project)).toBe(true);
  expect(log).toEqual(updated(disk.path, "1"));
  expect(await followed.prepare(project)).toBe(false);
  change(disk.path, { revision: "2" });
  await expect.poll(() => log.slice(2)).toEqual(updated(disk.path, "2"));
});

test("a question about a project goes first, and what it leaves undone is done at its end", async () => {
  await using disk = await temporaryFolder();
  const { log, followed, project, ask, change, holdWork } = world().withProject(disk.path);
  const release = holdWork();
  const preparing = followed.prepare(project);
  await expect.poll(() => log).toEqual([`${disk.path}@1 begins`]);
  change(disk.path, { revision: "2" });
  const question = ask(project);
  expect(await preparing).toBe(false);
  expect(log).toEqual(updated(disk.path, "1"));
  release();
  await question[Symbol.asyncDispose]();
  await expect.poll(() => log.slice(2)).toEqual(updated(disk.path, "2"));
});

test("while a question runs, its project is left to it", async () => {
  await using disk = await temporaryFolder();
  const { log, followed, project, ask } = world().withProject(disk.path);
  const question = ask(project);
  expect(await followed.prepare(project)).toBe(false);
  expect(log).toEqual([]);
  await question[Symbol.asyncDispose]();
  await expect.poll(() => log).toEqual(updated(disk.path, "1"));
});

test("a folder that is indexed in the background says how far it is", async () => {
  await using disk = await temporaryFolder();
  const { followed, project, holdWork, log } = world().withProject(disk.path);
  const release = holdWork();
  const preparing = followed.prepare(project);
  await expect.poll(() => log).toEqual([`${disk.path}@1 begins`]);
  expect(await followed.indexedShareOf(project)).toBe(0.4);
  expect(await followed.indexedShareOf({ ...project, path: "/other" })).toBeUndefined();
  release();
  await preparing;
  expect(await followed.indexedShareOf(project)).toBeUndefined();
});

test("a project whose folder is gone is not prepared", async () => {
  const { followed, log } = world();
  expect(await followed.prepare({ type: "local", name: "gone", path: "/no/such/folder" })).toBe(false);
  expect(log).toEqual([]);
});
