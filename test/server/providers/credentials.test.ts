import { once } from "node:events";
import { chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createLog, silentLog } from "../../../server/lib/log.ts";
import { createCredentials } from "../../../server/providers/credentials.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { bundle } from "../../support/run-bundled.ts";

const foreign = `{
  "some-other": { "type": "wellknown", "key": "K", "token": "T" },
  "future":     { "type": "passkey", "big": 12345678901234567890 },
  "anthropic": { "type": "api", "key": "old", "note": "mine" }
}
`;

/** A store over a temporary `auth.json`. */
async function setUp(text?: string) {
  const folder = await temporaryFolder();
  const file = path.join(folder.path, "opencode", "auth.json");
  if (text !== undefined) {
    await mkdir(path.dirname(file));
    await writeFile(file, text);
  }
  const lines: string[] = [];
  const log = createLog("debug", (line) => lines.push(line));
  const connectionsFile = path.join(folder.path, "data", "connections.json");
  const open = (env: Record<string, string> = {}) => createCredentials({ file, connectionsFile, env, log });
  const read = () => readFile(file, "utf8");
  const dispose = () => folder[Symbol.asyncDispose]();
  return { folder: folder.path, file, connectionsFile, open, read, lines, [Symbol.asyncDispose]: dispose };
}

const connection = { baseURL: "https://example.com/v1" };

describe("set", () => {
  test("creates the file with mode 0600 and its folder with mode 0700", async () => {
    await using store = await setUp();
    await store.open().set("anthropic", { type: "api", key: "K" }, connection);
    expect(JSON.parse(await store.read())).toEqual({ anthropic: { type: "api", key: "K" } });
    const modes = await Promise.all(
      [store.file, path.dirname(store.file), store.connectionsFile].map(
        async (name) => (await stat(name)).mode & 0o777,
      ),
    );
    expect(modes).toEqual([0o600, 0o700, 0o600]);
  });

  test("restricts the mode of an existing file", async () => {
    await using store = await setUp(foreign);
    await chmod(store.file, 0o644);
    await store.open().set("openai", { type: "api", key: "K" }, connection);
    expect((await stat(store.file)).mode & 0o777).toBe(0o600);
  });

  test("preserves the bytes of other entries", async () => {
    await using store = await setUp(foreign);
    await store.open().set("anthropic", { type: "api", key: "new" }, connection);
    const before = foreign.slice(0, foreign.indexOf('"anthropic"'));
    expect((await store.read()).startsWith(before)).toBe(true);
    expect(JSON.parse(await store.read())).toMatchObject({ anthropic: { type: "api", key: "new" } });
  });

  test("writes through a symbolic link", async () => {
    await using store = await setUp();
    const target = path.join(store.folder, "elsewhere.json");
    await writeFile(target, foreign);
    await mkdir(path.dirname(store.file));
    await symlink(target, store.file);
    await store.open().set("openai", { type: "api", key: "K" }, connection);
    expect(Object.keys(JSON.parse(await readFile(target, "utf8")))).toContain("openai");
  });
});

describe("get", () => {
  test("returns opencode's entries without a connection", async () => {
    await using store = await setUp(foreign);
    expect(await store.open().get("anthropic")).toEqual({
      credential: { type: "api", key: "old", note: "mine" },
      connection: undefined,
    });
  });

  test("returns our entries with their server", async () => {
    await using store = await setUp();
    await store.open().set("anthropic", { type: "api", key: "K" }, connection);
    expect(await store.open().get("anthropic")).toEqual({ credential: { type: "api", key: "K" }, connection });
  });

  test("treats a credential replaced by another program as that program's", async () => {
    await using store = await setUp();
    await store.open().set("anthropic", { type: "api", key: "K" }, connection);
    await writeFile(store.file, '{"anthropic":{"type":"api","key":"another"}}');
    expect(await store.open().get("anthropic")).toMatchObject({ connection: undefined });
  });

  test.each(["some-other", "future"])("skips and logs an unsupported entry: %s", async (provider) => {
    await using store = await setUp(foreign);
    expect(await store.open().get(provider)).toBeUndefined();
    expect(store.lines.join("")).toContain(`credential-not-usable provider=${provider}`);
  });

  test.each([undefined, "", "{}", "\uFEFF{}"])("finds nothing in %j", async (text) => {
    await using store = await setUp(text);
    expect(await store.open().get("anthropic")).toBeUndefined();
    expect(await store.open().list()).toEqual([]);
  });
});

describe("a broken file", () => {
  test.each(['{"anthropic": {"type":"api","key":"sk-secret"', "[]", "null", '"x"'])(
    "is reported without its content and never overwritten: %s",
    async (text) => {
      await using store = await setUp(text);
      const fault = {
        tag: "CredentialsInvalid",
        message: `the keys in ${store.file} cannot be read: it is not a JSON object`,
      };
      await expect(store.open().get("anthropic")).rejects.toMatchObject(fault);
      await expect(store.open().set("x", { type: "api", key: "K" }, connection)).rejects.toMatchObject(fault);
      expect(await store.read()).toBe(text);
    },
  );

  test("reports a folder in place of the file", async () => {
    await using store = await setUp();
    await mkdir(store.file, { recursive: true });
    await expect(store.open().list()).rejects.toMatchObject({ tag: "CredentialsInvalid" });
  });
});

describe("remove", () => {
  test("removes one entry and nothing else", async () => {
    await using store = await setUp(foreign);
    expect(await store.open().remove("anthropic")).toBe(true);
    expect(await store.open().list()).toEqual(["some-other", "future"]);
    expect(await store.open().remove("anthropic")).toBe(false);
  });

  test("does not create a missing file", async () => {
    await using store = await setUp();
    expect(await store.open().remove("anthropic")).toBe(false);
    await expect(stat(store.file)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

test("two processes can store keys at once without losing entries", async () => {
  await using script = await bundle("store-keys.ts");
  await using folder = await temporaryFolder(`//- auth.json\n${foreign}`);
  const children = ["a", "b"].map((prefix) => script.start({ folder: folder.path, prefix, count: 6 }).process);
  expect(await Promise.all(children.map((child) => once(child, "close")))).toEqual([
    [0, null],
    [0, null],
  ]);
  const credentials = createCredentials({
    file: path.join(folder.path, "auth.json"),
    connectionsFile: path.join(folder.path, "connections.json"),
    env: {},
    log: silentLog,
  });
  const stored = ["a", "b"].flatMap((prefix) => Array.from({ length: 6 }, (_, index) => `${prefix}${index}`));
  expect((await credentials.list()).toSorted()).toEqual([...stored, "anthropic", "future", "some-other"].toSorted());
  expect(await credentials.get("b5")).toMatchObject({ connection: { baseURL: "https://example.com" } });
});

test("an environment key is the first variable that is set, trimmed", async () => {
  await using store = await setUp();
  const credentials = store.open({ FIRST: " ", SECOND: "K\n" });
  expect(credentials.environmentKey(["MISSING", "FIRST", "SECOND"])).toBe("K");
  expect(credentials.environmentKey(["FIRST"])).toBeUndefined();
});
