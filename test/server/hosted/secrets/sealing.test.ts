import { randomBytes, randomUUID } from "node:crypto";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../server/errors.ts";
import { seal, type Sealed, type SealedPlace, unseal } from "../../../../server/hosted/secrets/sealing.ts";
import { openSealingKeys, type SealingKeys } from "../../../../server/hosted/secrets/sealing-keys.ts";
import { type Folder, temporaryFolder } from "../../../support/folder.ts";

const oldKey = randomBytes(32).toString("base64");
const newKey = randomBytes(32).toString("base64");
const place: SealedPlace = { table: "git_token", project: randomUUID(), id: randomUUID() };
/** The lock of the rotation is the database's; `git-tokens.test.ts` takes it. */
const noLock = { query: async () => ({ rows: [], count: 0 }) };

let folder: Folder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const withText = (text: string | undefined, mayCreate = false): SealingKeys =>
  openSealingKeys({ text, directory: folder.path, mayCreate });
const sealed = (keys = withText(oldKey)) => seal(noLock, { keys, secret: "ghp_secret", place });

describe("a sealed secret", () => {
  test("opens with its key, also after another one was put before it", async () => {
    const one = await sealed();
    expect(Buffer.from(one.sealed).includes("ghp_secret")).toBe(false);
    expect(await unseal(withText(oldKey), one, place)).toBe("ghp_secret");
    expect(await unseal(withText(`${newKey}, ${oldKey}`), one, place)).toBe("ghp_secret");
    expect(one.keyVersion).not.toBe((await sealed(withText(`${newKey},${oldKey}`))).keyVersion);
  });

  test.each<[string, Partial<SealedPlace>]>([
    ["another project", { project: randomUUID() }],
    ["another row", { id: randomUUID() }],
    ["another table", { table: "webhook" }],
  ])("does not open in %s", async (_where, other) => {
    const opened = unseal(withText(oldKey), await sealed(), { ...place, ...other });
    await expect(opened).rejects.toMatchObject({
      tag: "SecretsKeyInvalid",
      message: expect.stringMatching(/^a stored/),
    });
  });

  test.each<[string, (bytes: Uint8Array) => Uint8Array]>([
    ["cut off", (bytes) => bytes.subarray(0, 20)],
    ["empty", () => new Uint8Array()],
    ["changed", (bytes) => bytes.map((byte, index) => (index === bytes.length - 1 ? byte ^ 1 : byte))],
  ])("does not open when it was %s", async (_how, change) => {
    const { keyVersion, sealed: bytes } = await sealed();
    const opened = unseal(withText(oldKey), { keyVersion, sealed: change(bytes) }, place);
    await expect(opened).rejects.toMatchObject({ tag: "SecretsKeyInvalid" });
  });

  test("without its key, the error names the setting and the key that is needed", async () => {
    const one: Sealed = await sealed();
    const lost = await unseal(withText(newKey), one, place).catch(toErrorBody);
    expect(lost).toMatchObject({
      error: "stored secrets were sealed with another key than those in CITEWELL_SECRETS_KEY",
      hint: expect.stringContaining(`the key ${one.keyVersion} is needed`),
    });
    const missing = await unseal(withText(undefined), one, place).catch(toErrorBody);
    expect(missing).toMatchObject({ error: "stored secrets cannot be opened: CITEWELL_SECRETS_KEY is not set" });
    expect(JSON.stringify([lost, missing])).not.toContain(oldKey);
  });
});

describe("keys", () => {
  test.each(["short", Buffer.alloc(31, 1).toString("base64"), `${oldKey}x`, `${oldKey},nonsense`])(
    "of the wrong form are refused and not repeated: %s",
    async (text) => {
      const error = await withText(text).read().catch(toErrorBody);
      expect(error).toMatchObject({
        tag: "SecretsKeyInvalid",
        error: "CITEWELL_SECRETS_KEY does not contain 32 bytes in base64",
      });
      expect(JSON.stringify(error)).not.toContain(text);
    },
  );

  test("are not made for a database that other nodes may use", async () => {
    const error = await sealed(withText(undefined)).catch(toErrorBody);
    expect(error).toMatchObject({ error: "secrets cannot be stored: CITEWELL_SECRETS_KEY is not set" });
  });

  test("are made on first use in a file that only its owner can read, and stay", async () => {
    const file = path.join(folder.path, "secrets.key");
    const keys = withText(undefined, true);
    expect(await keys.read()).toEqual([]);
    const one = await sealed(keys);
    if (process.platform !== "win32") expect((await stat(file)).mode & 0o777).toBe(0o600);
    // After a move to PostgreSQL the same file is used.
    expect(await unseal(withText(undefined), one, place)).toBe("ghp_secret");
    expect(await readFile(file, "utf8")).toMatch(/^[\w+/]{43}=\n$/);
  });

  test.skipIf(process.platform === "win32")("in a file that others can read are refused", async () => {
    await using open = await temporaryFolder();
    const file = path.join(open.path, "secrets.key");
    await writeFile(file, `${oldKey}\n`);
    await chmod(file, 0o644);
    const keys = openSealingKeys({ text: undefined, directory: open.path, mayCreate: true });
    await expect(keys.read()).rejects.toMatchObject({
      tag: "SecretsKeyInvalid",
      message: "other users of the computer can read secrets.key",
    });
  });

  test("in the file are kept until a rotation has sealed everything again", async () => {
    await using own = await temporaryFolder();
    const keys = openSealingKeys({ text: undefined, directory: own.path, mayCreate: true });
    const before = await keys.current();
    const replaced = (await keys.renewal?.begin()) ?? [];
    expect(replaced).toEqual([before.version]);
    const versions = (await keys.read()).map(({ version }) => version);
    expect(versions).toEqual([(await keys.current()).version, before.version]);
    await keys.renewal?.end(replaced);
    expect((await keys.read()).map(({ version }) => version)).toEqual([versions[0]]);
  });
});
