import { once } from "node:events";
import { mkdir, readFile, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { editConfigFile, readConfigFile } from "../../../server/config/file.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { bundle } from "../../support/run-bundled.ts";

async function setUp() {
  const folder = await temporaryFolder();
  const file = path.join(folder.path, ".config/citewell/citewell.config.jsonc");
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, '{\n  // kept\n  "resources": []\n}\n');
  return { home: folder.path, file, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

async function namesIn(file: string): Promise<string[]> {
  return ((await readConfigFile(file)).value.resources ?? []).map(({ name }) => name);
}

describe("concurrent processes", () => {
  test("keep each other's additions and the comment", async () => {
    await using script = await bundle("add-resources.ts");
    await using config = await setUp();
    const children = ["a", "b"].map((prefix) => script.start({ home: config.home, prefix, count: 12 }).process);
    const ends = await Promise.all(children.map((child) => once(child, "close")));
    expect(ends).toEqual([
      [0, null],
      [0, null],
    ]);
    const expected = ["a", "b"].flatMap((prefix) => Array.from({ length: 12 }, (_, index) => `${prefix}${index}`));
    expect((await namesIn(config.file)).toSorted()).toEqual(expected.toSorted());
    expect(await readFile(config.file, "utf8")).toContain("// kept");
  });

  test("leave a complete file when killed, and their lock is taken over", async () => {
    await using script = await bundle("add-resources.ts");
    await using config = await setUp();
    for (const [round, afterNames] of [1, 4, 9].entries()) {
      const { process: child } = script.start({ home: config.home, prefix: `r${round}-`, count: 100_000 });
      if (child.stdout === null) throw new Error("the child has no output");
      const reported: string[] = [];
      for await (const line of createInterface(child.stdout)) {
        reported.push(line);
        if (reported.length === afterNames) child.kill("SIGKILL");
      }
      expect(await namesIn(config.file)).toEqual(expect.arrayContaining(reported));
      // The lock is old, as if the system had taken a while to start the next one.
      await mkdir(`${config.file}.lock`, { recursive: true });
      await utimes(`${config.file}.lock`, 0, 0);
    }
    const { process: next } = script.start({ home: config.home, prefix: "next", count: 1 });
    expect(next.stdout && (await text(next.stdout))).toBe("next0\n");
  });
});

test("fail with LockTimeout if a lock is renewed and never released; the file is unchanged", async () => {
  await using config = await setUp();
  await mkdir(`${config.file}.lock`);
  const renewed = new Date(Date.now() + 3_600_000);
  await utimes(`${config.file}.lock`, renewed, renewed);
  await expect(editConfigFile(config.file, () => "{}")).rejects.toMatchObject({ tag: "LockTimeout" });
  expect(await namesIn(config.file)).toEqual([]);
});

describe("writing a file", () => {
  test("never writes an unreadable text", async () => {
    await using config = await setUp();
    await expect(editConfigFile(config.file, () => '{ "maxSteps": 0 }')).rejects.toMatchObject({
      tag: "ConfigInvalid",
    });
    expect(await readFile(config.file, "utf8")).toContain("// kept");
  });

  test("writes nothing if the edit fails, and releases the lock", async () => {
    await using config = await setUp();
    const failing = editConfigFile(config.file, () => {
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    await editConfigFile(config.file, ({ text: before }) => before.replace("kept", "changed"));
    expect(await readFile(config.file, "utf8")).toContain("// changed");
  });
});
