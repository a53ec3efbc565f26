import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { toErrorBody } from "../../../server/errors.ts";
import { HistoryRequest, showHistory } from "../../../server/protocol/git-history.ts";
import { localApp } from "../../support/connect.ts";
import { openRepository, type Repository } from "../../support/repository.ts";

/** The history in words, or the error. */
async function read(folder: string, request: Partial<HistoryRequest>): Promise<string> {
  await using app = localApp(folder, {});
  return app.history(HistoryRequest.parse({ resource: folder, ...request })).then(
    (reply) => showHistory({ ...reply, resource: "work" }),
    (error: unknown) => {
      const { error: message, tag, hint } = toErrorBody(error);
      return `${tag}: ${message.replaceAll(folder, "work")} (${hint})`;
    },
  );
}

/** The lines below `|`, or the dates and authors, of a text of `read`. */
function messagesIn(text: string): string[] {
  return [...text.matchAll(/^ {2}\| (.*)$/gm)].map(([, message = ""]) => message);
}

function headsIn(text: string): string[] {
  return [...text.matchAll(/^[0-9a-f]{7,} (.*)$/gm)].map(([, head = ""]) => head);
}

interface RawCommit {
  message: Uint8Array;
  /** As in the commit: seconds and a zone. */
  date?: string;
  encoding?: string;
  author?: string;
  files: readonly (readonly [name: Uint8Array, text: string | Uint8Array])[];
}

/** Writes commits that `git commit` would refuse, each on the one before. */
function writeRaw(repository: Repository, commits: readonly RawCommit[]): string[] {
  const git = (args: string[], input: string | Uint8Array) =>
    execFileSync("git", args, { cwd: repository.path, input, encoding: "utf8" }).trim();
  const ids: string[] = [];
  for (const { message, date = "1700000000 +0000", encoding, author = "A", files } of commits) {
    const entries = files.flatMap(([name, text]) => [
      Buffer.from(`100644 blob ${git(["hash-object", "-w", "--stdin"], text)}\t`),
      name,
      Buffer.from([0]),
    ]);
    const head = [
      `tree ${git(["mktree", "-z"], Buffer.concat(entries))}`,
      ...ids.slice(-1).map((id) => `parent ${id}`),
      `author ${author} <a@example.com> ${date}`,
      `committer ${author} <a@example.com> ${date}`,
      ...(encoding === undefined ? [] : [`encoding ${encoding}`]),
    ];
    const text = Buffer.concat([Buffer.from(`${head.join("\n")}\n\n`), message, Buffer.from("\n")]);
    ids.push(git(["hash-object", "-w", "--literally", "-t", "commit", "--stdin"], text));
  }
  repository.git("update-ref", "refs/heads/main", ids.at(-1) ?? "");
  repository.git("reset", "--quiet", "--hard");
  return ids;
}

function bytes(text: string): Buffer {
  return Buffer.from(text);
}

describe("what a commit says of itself", () => {
  test("messages and lines in other encodings, with and without a header", async () => {
    await using repository = await openRepository();
    const latin = (text: string) => Buffer.from(text, "latin1");
    const name = bytes("a.txt");
    writeRaw(repository, [
      { message: latin("caf\u00e9 with a header"), encoding: "ISO-8859-1", files: [[name, latin("\u00fcber\n")]] },
      { message: latin("caf\u00e9 without"), files: [[name, latin("\u00fcber\nall\u00e9s\n")]] },
      { message: bytes("caf\u00e9 of none"), encoding: "x-none", files: [[name, "\u00fcber\nall\u00e9s\n"]] },
    ]);
    const text = await read(repository.path, { place: "a.txt" });
    expect(messagesIn(text)).toEqual(["caf\u00e9 of none", "caf\u00e9 without", "caf\u00e9 with a header"]);
    expect(text).toContain("-2|all\u00e9s\n    +1|\u00fcber");
    expect(text).toContain("added\n    +1|\u00fcber");
  });

  test("lines with uncommitted edits are found in a file that is no UTF-8", async () => {
    await using repository = await openRepository();
    const lines = ["\u00e4", "\u00f6", "\u00fc", ""].join("\n");
    writeRaw(repository, [{ message: bytes("x"), files: [[bytes("a.txt"), Buffer.from(lines, "latin1")]] }]);
    await writeFile(path.join(repository.path, "a.txt"), Buffer.from(`new\n${lines}`, "latin1"));
    expect(await read(repository.path, { place: "a.txt:3" })).toContain("these are lines 2 of the committed file");
    expect(await read(repository.path, { place: "a.txt:1" })).toMatch(/^FileNotFound: a\.txt:1 is not committed/);
  });

  test("dates in the future, before 1970, in odd zones, and none", async () => {
    await using repository = await openRepository();
    const dates = ["4102444800 +0000", "999999999999 +0000", "-86400 +0000", "1700000000 +9999", "", "yesterday"];
    const ids = writeRaw(
      repository,
      dates.map((date) => ({ message: bytes(`at ${date}`), date, files: [[bytes("a.txt"), `${date}\n`]] })),
    );
    repository.git("tag", "v1.0.0", ids[4] ?? "");
    // As early versions of git wrote it: without a tagger.
    const tag = `object ${ids[5]}\ntype commit\ntag v1.1.0\n\nx\n`;
    const options = { cwd: repository.path, input: tag, encoding: "utf8" } as const;
    repository.git("tag", "v1.1.0", execFileSync("git", ["hash-object", "-w", "-t", "tag", "--stdin"], options).trim());
    const text = await read(repository.path, { place: "a.txt" });
    expect(headsIn(text)).toEqual([
      "undated by A, first in v1.1.0 (undated)",
      "undated by A, first in v1.0.0 (undated)",
      "2023-11-19 by A, first in v1.0.0 (undated)",
      "undated by A, first in v1.0.0 (undated)",
      "33658-09-27 by A, first in v1.0.0 (undated)",
      "2100-01-01 by A, first in v1.0.0 (undated), the first",
    ]);
    expect(text.match(/is dated \S+ in the future/g)).toEqual([
      "is dated 33658-09-27, in the future",
      "is dated 2100-01-01, in the future",
    ]);
  });

  test("what is since a date is asked for", async () => {
    await using repository = await openRepository();
    await repository.commit({ message: "Old", files: { "a.txt": "1\n" }, date: "1999-06-01" });
    await repository.commit({ message: "New", files: { "a.txt": "2\n" }, date: "2024-02-29" });
    const since = async (date: string) => {
      const text = await read(repository.path, { place: "a.txt", since: date });
      return messagesIn(text).length === 0 ? text.split(" (")[0] : messagesIn(text);
    };
    expect(await since("1960-01-01")).toEqual(["New", "Old"]);
    expect(await since("1970-01-01")).toEqual(["New", "Old"]);
    expect(await since("2000")).toEqual(["New"]);
    expect(await since("2024-02")).toEqual(["New"]);
    expect(await since("2024-02-29T11:00:00Z")).toEqual(["New"]);
    expect(await since("2024-02-29T13:30:00+01:00")).toContain("no commit touches a.txt since");
    expect(await since("3000-01-01")).toContain("no commit touches a.txt since 3000-01-01");
    expect(await since("2024-02-30")).toBe('InvalidRequest: "2024-02-30" is no date');
    expect(await since("9999-99-99")).toBe('InvalidRequest: "9999-99-99" is no date');
  });
});

test("paths with quotes, line ends, control characters and bytes that are no UTF-8", async () => {
  await using repository = await openRepository();
  const names = ['q"uote.txt', "new\nline.txt", "t\tab.txt", "b\\ack.txt", "esc\u001B[2J.txt", "\u202Ebidi.txt", " a "];
  const entries = [...names.map(bytes), Buffer.from("caf\u00e9.txt", "latin1")].sort(Buffer.compare);
  const files = (text: string): RawCommit["files"] => entries.map((name) => [name, text]);
  writeRaw(repository, [
    { message: bytes("One"), files: files("1\n") },
    { message: bytes("Two"), files: files("2\n") },
  ]);
  const text = await read(repository.path, { commit: "main" });
  expect(text.match(/^ {2}(?!\|).*$/gm)?.filter((line) => !/^ {4}[-+]/.test(line))).toEqual([
    "   a ",
    "  b\\ack.txt",
    "  caf\uFFFD.txt",
    "  esc‹U+001B›[2J.txt",
    "  new‹U+000A›line.txt",
    '  q"uote.txt',
    "  t‹U+0009›ab.txt",
    "  ‹U+202E›bidi.txt",
  ]);
  for (const place of names) {
    expect([place, messagesIn(await read(repository.path, { place }))]).toEqual([place, ["Two", "One"]]);
    expect([place, messagesIn(await read(repository.path, { place, blame: true }))]).toEqual([place, ["Two"]]);
  }
});

describe("an odd repository", () => {
  test("an id shows the commit that it names, whatever replaces it", async () => {
    await using repository = await openRepository();
    const ids: string[] = [];
    for (const text of ["one", "two", "false", "last"]) {
      ids.push(await repository.commit({ message: `Say ${text}`, files: { "a.txt": `${text}\n` } }));
    }
    const [, two = "", replacement = ""] = ids;
    const plain = await read(repository.path, { place: "a.txt" });
    expect(messagesIn(plain)).toHaveLength(4);
    const note = "\n\nNote: replaced and grafted commits are shown as they were made (git replace).";
    repository.git("replace", two, replacement);
    const noted = plain.replace(", the first", "") + note;
    expect(await read(repository.path, { place: "a.txt" })).toBe(noted);
    expect(messagesIn(await read(repository.path, { commit: two }))).toEqual(["Say two"]);
    repository.git("replace", "--delete", two);
    expect(await read(repository.path, { place: "a.txt" })).toBe(plain);
    await writeFile(path.join(repository.path, ".git/info/grafts"), `${two}\n`);
    expect(await read(repository.path, { place: "a.txt" })).toBe(noted);
    repository.git("worktree", "add", "--quiet", "../tree");
    expect(await read(path.join(repository.path, "../tree"), { place: "a.txt" })).toBe(noted);
  });

  test("a partial clone reaches no host, and says what it lacks", async () => {
    await using repository = await openRepository();
    await repository.commit({ message: "One", files: { "a.txt": "1\n" } });
    await repository.commit({ message: "Two", files: { "a.txt": "2\n" } });
    repository.git("config", "uploadpack.allowFilter", "true");
    repository.git("clone", "--quiet", "--filter=blob:none", `file://${repository.path}`, "../partial");
    const partial = path.join(repository.path, "../partial");
    const lacking =
      "NotReadyYet: contents of the history of work are not on disk: it is a partial clone (run git fetch --refetch --no-filter in it)";
    const requests = [
      { place: "a.txt" },
      { place: "a.txt:1" },
      { place: "a.txt", blame: true },
      { text: "1" },
      { commit: "HEAD~1" },
    ] as const;
    for (const request of requests) expect([request, await read(partial, request)]).toEqual([request, lacking]);
    repository.git("-C", partial, "fetch", "--quiet", "--refetch", "--no-filter");
    for (const request of requests) expect(messagesIn(await read(partial, request))).not.toEqual([]);
  });

  test("without a HEAD, with a broken one, and with a broken configuration", async () => {
    await using repository = await openRepository();
    await repository.commit({ message: "One", files: { "a.txt": "1\n" } });
    const write = (file: string, text: string) => writeFile(path.join(repository.path, ".git", file), text);
    const asked = () => read(repository.path, { place: "a.txt" });
    await write("HEAD", "ref: refs/heads/gone\n");
    expect(await asked()).toMatch(/^RepositoryNotFound: the repository of work has no commit yet/);
    const refused = /^RepositoryFailed: git could not read the repository of work: .* \(run git status in it\)$/;
    await write("HEAD", "broken\n");
    expect(await asked()).toMatch(refused);
    await write("HEAD", "ref: refs/heads/main\n");
    await write("config", "[core\nbroken");
    expect(await asked()).toMatch(refused);
    await write("config", "[core]\nrepositoryFormatVersion = 7\n");
    expect(await asked()).toMatch(refused);
    await write("config", "");
    expect(messagesIn(await asked())).toEqual(["One"]);
  });

  test("a renamed branch and a detached HEAD", async () => {
    await using repository = await openRepository();
    const one = await repository.commit({ message: "One", files: { "a.txt": "1\n" } });
    await repository.commit({ message: "Two", files: { "a.txt": "2\n" } });
    repository.git("branch", "--move", "main", "trunk");
    expect(messagesIn(await read(repository.path, { place: "a.txt" }))).toEqual(["Two", "One"]);
    expect(await read(repository.path, { place: "a.txt", revision: "main" })).toMatch(/^BranchNotFound: /);
    repository.git("checkout", "--quiet", "--detach", one);
    expect(messagesIn(await read(repository.path, { place: "a.txt" }))).toEqual(["One"]);
  });

  test("settings of the repository change nothing in a reply", async () => {
    await using repository = await openRepository();
    await repository.commit({ message: "One", files: { "a.txt": "const a = 1;\nb\n" }, tags: ["v1.0.0", "v1.0.1"] });
    const files = { "a.txt": "const a = 2;\nb\n", "b.txt": "2\n" };
    const two = await repository.commit({ message: "Two", files, tags: ["v1.1.0"] });
    const ignored = path.join(repository.path, ".git/ignored");
    await writeFile(ignored, `${two}\n`);
    const requests = [
      { place: "a.txt" },
      { place: "a.txt:2" },
      { place: "a.txt", blame: true },
      { text: "2" },
      { commit: "HEAD" },
    ] as const;
    const all = async () => {
      const texts: string[] = [];
      for (const request of requests) texts.push(await read(repository.path, request));
      return texts;
    };
    const before = await all();
    const settings = {
      "core.abbrev": "4",
      "core.quotePath": "true",
      "core.useReplaceRefs": "true",
      "column.ui": "always",
      "column.tag": "always",
      "tag.sort": "-taggerdate",
      "color.ui": "always",
      "log.showRoot": "false",
      "log.date": "relative",
      "log.decorate": "full",
      "log.diffMerges": "combined",
      "log.follow": "true",
      "log.mailmap": "true",
      "format.pretty": "oneline",
      "i18n.logOutputEncoding": "UTF-16",
      "diff.noprefix": "true",
      "diff.mnemonicPrefix": "true",
      "diff.relative": "true",
      "diff.context": "9",
      "diff.interHunkContext": "9",
      "diff.renames": "false",
      "diff.colorMoved": "zebra",
      "diff.wsErrorHighlight": "all",
      "diff.submodule": "diff",
      "diff.orderFile": "/nowhere",
      "blame.coloring": "highlightRecent",
      "blame.showEmail": "true",
      "blame.ignoreRevsFile": ignored,
      "blame.markIgnoredLines": "true",
      "grep.patternType": "perl",
    };
    for (const [name, value] of Object.entries(settings)) repository.git("config", name, value);
    expect(await all()).toEqual(before);
  });
});
