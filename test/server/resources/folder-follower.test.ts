import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import * as fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { canFollow, followFolder, watchedAmong } from "../../support/followed-folder.ts";
import { temporaryFolder } from "../../support/folder.ts";

afterEach(() => {
  vi.useRealTimers();
});

const source = "//- a.ts\nA\n//- src/b.ts\nB\n//- src/deep/c.ts\nC\n//- lib/deep/d.ts\nD\n";
/** What is read of `source` by the first question. */
const all = ["", "lib", "lib/deep", "src", "src/deep"];

/** The directories that a question reads; where folders cannot be followed, all are read. */
const reads = (expected: string[]) => (canFollow ? expected : ["everything"]);

describe("a question", () => {
  test("reads nothing of a folder that has not changed", async () => {
    await using followed = await followFolder(source);
    expect(await followed.ask()).toEqual(reads(all));
    expect(await followed.ask()).toEqual(reads([]));
    expect(await followed.open()).toEqual(await followed.lookOver());
  });

  test("reads only the directories with changes", async () => {
    await using followed = await followFolder(source);
    await followed.ask();
    writeFileSync(path.join(followed.folder.path, "src/deep/c.ts"), "edited\n");
    expect(await followed.ask()).toEqual(reads(["src/deep"]));
    expect(await followed.ask()).toEqual(reads([]));
  });

  test("looks over a single file each time", async () => {
    await using followed = await followFolder(source);
    for (let run = 0; run < 2; run++) expect(await followed.ask({ path: "a.ts" })).toEqual([]);
  });

  test("that was cancelled while it waited does not look, and the next one is right", async () => {
    await using followed = await followFolder(source);
    const leaving = new AbortController();
    const first = followed.ask();
    const cancelled = followed.ask({ signal: leaving.signal });
    leaving.abort();
    await expect(cancelled).rejects.toMatchObject({ name: "AbortError" });
    await first;
    expect(await followed.open()).toEqual(await followed.lookOver());
  });
});

/** Equal in size, so that only a stamp or an event shows the difference. */
const textOf = (run: number) => `${String(run).padStart(6, "0")}\n`;

describe("an edit just before the question is seen", () => {
  test("if this process made it", async () => {
    await using followed = await followFolder(source);
    for (let run = 0; run < 500; run++) {
      writeFileSync(path.join(followed.folder.path, "src/deep/c.ts"), textOf(run));
      expect(await followed.read("src/deep/c.ts")).toBe(textOf(run));
    }
  });

  test("if another process made it", async () => {
    await using followed = await followFolder(source);
    await using writer = startWriter(path.join(followed.folder.path, "lib/deep/d.ts"));
    for (let run = 0; run < 500; run++) {
      await writer.write(textOf(run));
      expect(await followed.read("lib/deep/d.ts")).toBe(textOf(run));
    }
  });

  test("if questions run at the same time", async () => {
    await using followed = await followFolder(source);
    for (let run = 0; run < 100; run++) {
      writeFileSync(path.join(followed.folder.path, "a.ts"), textOf(2 * run));
      const first = followed.read("a.ts").catch(() => "changed");
      writeFileSync(path.join(followed.folder.path, "a.ts"), textOf(2 * run + 1));
      expect(await followed.read("a.ts")).toBe(textOf(2 * run + 1));
      expect([textOf(2 * run + 1), "changed"]).toContain(await first);
    }
  });
});

/** A process that writes a file and reports when the call has returned. */
function startWriter(file: string) {
  const program = `process.stdin.on("data", (text) => {
    require("node:fs").writeFileSync(${JSON.stringify(file)}, text);
    process.stdout.write("written\\n");
  });`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async write(text: string) {
      child.stdin.write(text);
      await lines.next();
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await once(child, "close");
    },
  };
}

/** Changes of a folder of `source`; `at` makes an absolute path. */
const changes: Record<string, (at: (name: string) => string) => void> = {
  "a new file": (at) => writeFileSync(at("src/new.ts"), "new\n"),
  "an appended line": (at) => appendFileSync(at("src/b.ts"), "more\n"),
  "an emptied file": (at) => truncateSync(at("src/b.ts")),
  "a removed file": (at) => unlinkSync(at("src/b.ts")),
  "a renamed file": (at) => renameSync(at("src/b.ts"), at("lib/b.ts")),
  "a file saved by renaming": (at) => {
    writeFileSync(at("src/b.ts.tmp"), "saved\n");
    renameSync(at("src/b.ts.tmp"), at("src/b.ts"));
  },
  "an edit with the old time": (at) => {
    writeFileSync(at("src/b.ts"), "X\n");
    utimesSync(at("src/b.ts"), 1, 1);
  },
  "a file without permissions": (at) => chmodSync(at("src/b.ts"), 0),
  "a directory without permissions": (at) => chmodSync(at("src/deep"), 0),
  "new directories": (at) => {
    mkdirSync(at("x/y/z"), { recursive: true });
    writeFileSync(at("x/y/z/e.ts"), "E\n");
  },
  "a removed directory": (at) => rmSync(at("src"), { recursive: true }),
  "a directory made again": (at) => {
    rmSync(at("src"), { recursive: true });
    mkdirSync(at("src/deep"), { recursive: true });
    writeFileSync(at("src/deep/c.ts"), "again\n");
  },
  "a renamed directory": (at) => renameSync(at("src"), at("source")),
  "two directories that changed places": (at) => {
    renameSync(at("src"), at("other"));
    renameSync(at("lib"), at("src"));
    renameSync(at("other"), at("lib"));
  },
  "a directory moved into another": (at) => renameSync(at("src"), at("lib/src")),
  "a directory that became a file": (at) => {
    rmSync(at("src/deep"), { recursive: true });
    writeFileSync(at("src/deep"), "a file\n");
  },
  "a file that became a directory": (at) => {
    rmSync(at("a.ts"));
    mkdirSync(at("a.ts"));
    writeFileSync(at("a.ts/a.ts"), "A\n");
  },
  "a directory that became a link": (at) => {
    renameSync(at("src/deep"), at("src/moved"));
    symlinkSync("moved", at("src/deep"));
  },
  "a new link": (at) => symlinkSync("../a.ts", at("src/link.ts")),
  "a new ignore file": (at) => writeFileSync(at(".gitignore"), "deep/\n"),
  "a new ignore file below": (at) => writeFileSync(at("src/.ignore"), "*.ts\n"),
  "a new ignore file above": (at) => writeFileSync(at("../.gitignore"), "b.ts\n"),
  "excludes of the repository above": (at) => writeFileSync(at("../.git/info/exclude"), "c.ts\n"),
  "a new repository": (at) => mkdirSync(at(".git")),
  "installed packages": (at) => {
    mkdirSync(at("node_modules/x"), { recursive: true });
    writeFileSync(at("node_modules/x/i.js"), "");
  },
  "another folder in its place": (at) => {
    renameSync(at("."), at("../aside"));
    mkdirSync(at("src"), { recursive: true });
    writeFileSync(at("src/b.ts"), "another\n");
  },
};

describe("a followed folder has what looking over finds, after", () => {
  test.each(Object.entries(changes))("%s", async (_name, change) => {
    const inRepository = `//- .git/info/exclude\n${source.replaceAll("//- ", "//- root/")}`;
    await using followed = await followFolder(inRepository, { path: "root" });
    const at = (name: string) => path.join(followed.folder.path, "root", name);
    await followed.ask();
    change(at);
    expect(await followed.open()).toEqual(await followed.lookOver());
    // The watches are in the right places again.
    for (const { path: file } of (await followed.open()).files) {
      appendFileSync(at(file), "once more\n");
      expect(await followed.open()).toEqual(await followed.lookOver());
    }
  });

  test("an ignore file that is edited and removed", async () => {
    await using followed = await followFolder(`//- .gitignore\ndeep/\n${source}`);
    for (const change of ["b.ts\n", "lib/\n", undefined]) {
      await followed.ask();
      const file = path.join(followed.folder.path, ".gitignore");
      if (change === undefined) rmSync(file);
      else writeFileSync(file, change);
      expect(await followed.open()).toEqual(await followed.lookOver());
    }
  });

  test("a write by another name of the file", async () => {
    await using followed = await followFolder(source);
    await using outside = await temporaryFolder();
    const other = path.join(outside.path, "c.ts");
    linkSync(path.join(followed.folder.path, "src/deep/c.ts"), other);
    await followed.ask();
    for (let run = 0; run < 20; run++) {
      writeFileSync(other, textOf(run));
      expect(await followed.read("src/deep/c.ts")).toBe(textOf(run));
    }
  });

  test("a link that leads elsewhere through a folder that is not read", async () => {
    await using followed = await followFolder(`//- .gitignore\nhidden\n//- hidden/x\n${source}`);
    const at = (name: string) => path.join(followed.folder.path, name);
    symlinkSync("../a.ts", at("hidden/link"));
    symlinkSync("hidden/link", at("link.ts"));
    await followed.ask();
    rmSync(at("hidden/link"));
    symlinkSync("../src/b.ts", at("hidden/link"));
    expect(await followed.read("link.ts")).toBe("B\n");
  });

  test("a checkout of another branch", async () => {
    await using followed = await followFolder(source);
    const git = (...args: string[]) =>
      spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: followed.folder.path });
    git("init", "-q");
    git("add", ".");
    git("commit", "-q", "-m", "one");
    git("checkout", "-q", "-b", "two");
    git("mv", "src", "moved");
    git("commit", "-q", "-a", "-m", "two");
    await followed.ask();
    for (const branch of ["-", "-", "-"]) {
      git("checkout", "-q", branch);
      expect(await followed.open()).toEqual(await followed.lookOver());
    }
  });

  test("any changes", async () => {
    const name = fc.constantFrom("a", "b", "c", "a/b", "b/a", "a/b/c", "c/a/b", ".gitignore", "a/.gitignore");
    const operation = fc.record({ type: fc.constantFrom(...Object.keys(operations)), name, other: name });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(operation, { maxLength: 4 }), { maxLength: 8 }), async (rounds) => {
        await using followed = await followFolder("");
        for (const [index, round] of rounds.entries()) {
          // A new hard link has no event: see below.
          const possible = round.filter(({ type }) => index === 0 || type !== "hardLink");
          for (const { type, name, other } of possible) apply(type, followed.folder.path, name, other);
          expect(await followed.open()).toEqual(await followed.lookOver());
        }
      }),
      { numRuns: 150 },
    );
  });
});

const operations: Record<string, (one: string, other: string) => void> = {
  write: (one) => writeFileSync(one, one.endsWith("ignore") ? "b\n" : `${Math.random()}`),
  append: (one) => appendFileSync(one, "c\n"),
  makeDirectory: (one) => mkdirSync(one, { recursive: true }),
  remove: (one) => rmSync(one, { recursive: true }),
  rename: (one, other) => renameSync(one, other),
  link: (one, other) => symlinkSync(other, one),
  hardLink: (one, other) => linkSync(one, other),
};

/** Most changes are not possible most of the time. */
function apply(type: string, root: string, name: string, other: string): void {
  try {
    operations[type]?.(path.join(root, name), path.join(root, other));
  } catch {
    return;
  }
}

test("a change without an event is seen by the question after the one that met it", async () => {
  await using followed = await followFolder(source);
  await using outside = await temporaryFolder();
  await followed.ask();
  // Changes the status time of the file, in no directory that is watched.
  linkSync(path.join(followed.folder.path, "a.ts"), path.join(outside.path, "a.ts"));
  const reading = followed.read("a.ts");
  if (canFollow) await expect(reading).rejects.toMatchObject({ tag: "FileNotReadable" });
  else await reading;
  expect(await followed.read("a.ts")).toBe("A\n");
});

describe("watches", () => {
  /** The watched ones of these directories. */
  const watched = (root: string) => watchedAmong(all.map((name) => path.join(root, name)));
  const allWatched = (root: string) => (canFollow ? all.map((name) => path.join(root, name)) : []);

  test("are on all directories that are read, until the end", async () => {
    await using followed = await followFolder(`//- .gitignore\nbuild\n//- build/x.ts\n${source}`);
    const root = followed.folder.path;
    await followed.ask();
    expect(watched(root)).toEqual(allWatched(root));
    expect(watchedAmong([path.join(root, "build")])).toEqual([]);
    followed.follower[Symbol.dispose]();
    expect(watched(root)).toEqual([]);
  });

  test("end when nothing has been asked for a while", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await using followed = await followFolder(source);
    await followed.ask();
    await vi.runAllTimersAsync();
    await expect.poll(() => watched(followed.folder.path)).toEqual([]);
    expect(await followed.ask()).toEqual(reads(all));
  });

  test("are taken from the folder that was asked least recently", async () => {
    await using followed = await followFolder(source);
    const root = followed.folder.path;
    await followed.ask();
    for (let other = 0; other < 8; other++) {
      expect(watched(root)).toEqual(allWatched(root));
      const name = path.basename(mkdtempSync(path.join(root, "src/deep", "other-")));
      await followed.ask({ path: `src/deep/${name}` });
    }
    await expect.poll(() => watchedAmong([path.join(root, "lib/deep")])).toEqual([]);
  });

  test("are limited: a folder with more directories is looked over each time", async () => {
    const limits = { watches: 4, queuedEvents: 1000 };
    await using followed = await followFolder(source, { limits });
    for (let run = 0; run < 2; run++) {
      await followed.ask();
      expect(watched(followed.folder.path).length).toBeLessThanOrEqual(4);
    }
    expect(await followed.ask()).toEqual(["everything"]);
    expect(await followed.ask({ path: "src" })).toEqual(reads(["", "deep"]));
    expect(await followed.ask({ path: "src" })).toEqual(reads([]));
  });

  test("that may have lost events are not relied on", async () => {
    await using followed = await followFolder(source, { limits: { watches: 100, queuedEvents: 40 } });
    await followed.ask();
    for (let run = 0; run < 4; run++) appendFileSync(path.join(followed.folder.path, "a.ts"), "few\n");
    expect(await followed.ask()).toEqual(reads([""]));
    for (let run = 0; run < 40; run++) {
      appendFileSync(path.join(followed.folder.path, "a.ts"), "many\n");
      appendFileSync(path.join(followed.folder.path, "src/b.ts"), "many\n");
    }
    expect(await followed.ask()).toEqual(reads(all));
  });

  test("are checked by a complete look from time to time, for writes through a memory map", async () => {
    let now = Date.now();
    await using followed = await followFolder(source, { now: () => now });
    await followed.ask();
    now += 9 * 60_000;
    expect(await followed.ask()).toEqual(reads([]));
    now += 60_000;
    expect(await followed.ask()).toEqual(reads(all));
  });

  test("report what changed", async () => {
    await using followed = await followFolder(source);
    const reported: string[] = [];
    using _watch = followed.follower.watchFolder(followed.folder.path, (files) => reported.push(...files));
    await followed.ask();
    writeFileSync(path.join(followed.folder.path, "src/deep/c.ts"), "edited\n");
    await followed.ask();
    expect([...new Set(reported)]).toEqual(canFollow ? ["src/deep/c.ts"] : []);
  });
});
