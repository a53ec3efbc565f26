import { appendFile, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openHistory } from "../../../cli/prompt/history.ts";
import { temporaryFolder } from "../../support/folder.ts";

test("what was typed is there in the next session, newest first, each line once", async () => {
  await using folder = await temporaryFolder();
  const first = await openHistory(path.join(folder.path, "data"));
  for (const line of ["one", "two\nlines", "one", "one"]) await first.add(line);
  expect(first.lines).toEqual(["one", "two\nlines"]);
  expect((await openHistory(path.join(folder.path, "data"))).lines).toEqual(["one", "two\nlines"]);
});

test("only the user can read it", async () => {
  await using folder = await temporaryFolder();
  await (await openHistory(folder.path)).add("secret");
  expect((await stat(path.join(folder.path, "repl-history.jsonl"))).mode & 0o777).toBe(0o600);
});

test("it is bounded, on disk as well, and a very long line is not kept", async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, "repl-history.jsonl");
  await writeFile(file, Array.from({ length: 1500 }, (_, index) => `"${index}"\n`).join(""));
  const history = await openHistory(folder.path);
  expect(history.lines).toHaveLength(500);
  expect(history.lines[0]).toBe("1499");
  await history.add("x".repeat(10_000));
  expect((await readFile(file, "utf8")).split("\n")).toHaveLength(501);
});

test("damaged lines are passed over, and half of one spoils only the next", async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, "repl-history.jsonl");
  await appendFile(file, '"one"\n{}\nnull\n"two"\n"hal');
  const history = await openHistory(folder.path);
  expect(history.lines).toEqual(["two", "one"]);
  await history.add("lost");
  await history.add("three");
  expect((await openHistory(folder.path)).lines).toEqual(["three", "two", "one"]);
});

test("a folder that cannot be made is no fault", async () => {
  await using folder = await temporaryFolder("//- data\n");
  const history = await openHistory(path.join(folder.path, "data"));
  await history.add("one");
  expect(history.lines).toEqual(["one"]);
});
