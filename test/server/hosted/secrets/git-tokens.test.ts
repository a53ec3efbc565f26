import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../server/errors.ts";
import {
  credentialVariables,
  findAccess,
  type GitAccess,
  readGitAccess,
} from "../../../../server/hosted/secrets/git-access.ts";
import {
  addGitToken,
  listGitTokens,
  removeGitToken,
  replaceGitToken,
} from "../../../../server/hosted/secrets/git-tokens.ts";
import { findUnreadable, rotateSecrets } from "../../../../server/hosted/secrets/reseal.ts";
import { openSealingKeys } from "../../../../server/hosted/secrets/sealing-keys.ts";
import { createWebhook, openWebhookSecret } from "../../../../server/hosted/secrets/webhooks.ts";
import { writeBackup } from "../../../../server/hosted/store/backup.ts";
import { moveTables } from "../../../../server/hosted/store/move.ts";
import type { Store } from "../../../../server/hosted/store/store.ts";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import type { Project } from "../../../../server/protocol/hosted.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";

const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
const keyText = () => randomBytes(32).toString("base64");
const oldKey = keyText();
const withKeys = (...texts: string[]) =>
  openSealingKeys({ text: texts.join(","), directory: "/there/is/nothing", mayCreate: false });
const engines = testEngines();

describe.each(engines)("tokens for git hosts on $name", (engine) => {
  const keys = withKeys(oldKey);
  let store: Store;
  let project: Project;
  let other: Project;
  beforeAll(async () => {
    store = await openTestStore(engine);
    project = await createProject(store, "team");
    other = await createProject(store, "other");
  });
  afterAll(() => store.close());

  const servicesOf = (of: Project) => ({ store, keys, project: of, actor: "account:ada" });
  const credentialsOf = async (of: Project, opening = keys) =>
    Promise.all((await readGitAccess(store, { keys: opening, project: of.id })).map(openAccess));

  test("are listed without the token, used by their project only, replaced and removed", async () => {
    const added = await addGitToken(servicesOf(project), { host: "https://GitHub.com/", name: "ci", token });
    expect(added).toMatchObject({ host: "github.com", name: "ci", hint: "ghp_", lastUsedAt: null, failingSince: null });
    expect(await listGitTokens(store, project)).toEqual([added]);
    expect(await listGitTokens(store, other)).toEqual([]);
    expect(await credentialsOf(project)).toEqual([`x-access-token:${token}`]);
    expect(await credentialsOf(other)).toEqual([]);
    await expect(addGitToken(servicesOf(project), { host: "github.com", name: "again", token })).rejects.toMatchObject({
      tag: "AlreadyExists",
    });
    await replaceGitToken(servicesOf(project), { host: "github.com", token: "short" });
    expect(await listGitTokens(store, project)).toMatchObject([{ id: added.id, name: "ci", hint: "" }]);
    expect(await credentialsOf(project)).toEqual(["x-access-token:short"]);
    await expect(removeGitToken(servicesOf(other), "github.com")).rejects.toMatchObject({ tag: "TokenNotFound" });
    await removeGitToken(servicesOf(project), "github.com");
    expect(await listGitTokens(store, project)).toEqual([]);
    const audit = await listAudit(store, project.id);
    expect(audit.slice(0, 3)).toMatchObject([
      { action: "token.removed", target: "github.com" },
      { action: "token.replaced", target: "github.com" },
      { action: "token.added", actor: "account:ada", target: "github.com", detail: { name: "ci" } },
    ]);
    expect(JSON.stringify(audit)).not.toContain(token);
  });

  test("several for one host have paths, and each is found by its own", async () => {
    const places = ["github.com", "https://github.com/Acme/", "github.com/acme/lib.git"];
    for (const host of places) await addGitToken(servicesOf(project), { host, name: host, token: host });
    expect((await listGitTokens(store, project)).map(({ host, path: below }) => [host, below])).toEqual([
      ["github.com", ""],
      ["github.com", "Acme"],
      ["github.com", "acme/lib"],
    ]);
    const again = addGitToken(servicesOf(project), { host: "github.com/ACME", name: "again", token });
    await expect(again).rejects.toMatchObject({ message: "a token for github.com/ACME already exists" });
    const accesses = await readGitAccess(store, { keys, project: project.id });
    const usedFor = async (url: string) =>
      (await openAccess(findAccess(accesses, url)))?.replace("x-access-token:", "");
    expect(await usedFor("https://github.com/acme/lib.git")).toBe(places[2]);
    expect(await usedFor("https://github.com/acme/library")).toBe(places[1]);
    expect(await usedFor("https://github.com/other/lib")).toBe(places[0]);
    await replaceGitToken(servicesOf(project), { host: "github.com/acme", token: "next" });
    await removeGitToken(servicesOf(project), "github.com");
    expect((await listGitTokens(store, project)).map(({ path: below, hint }) => [below, hint])).toEqual([
      ["Acme", ""],
      ["acme/lib", "gith"],
    ]);
    const audit = await listAudit(store, project.id);
    expect(audit[0]).toMatchObject({ action: "token.removed", target: "github.com" });
    await store.query("delete from git_token");
  });

  test.each([
    [{ host: "", name: "x", token }, "host"],
    [{ host: "github.com/a//b", name: "x", token }, "host"],
    [{ host: "github.com/a?b", name: "x", token }, "host"],
    [{ host: `github.com/${"a".repeat(300)}`, name: "x", token }, "host"],
    [{ host: "*.github.com", name: "x", token }, "host"],
    [{ host: "user@github.com", name: "x", token }, "host"],
    [{ host: "github.com", name: "", token }, "name"],
    [{ host: "github.com", name: "x", token: "" }, "token"],
    [{ host: "github.com", name: "x", token: `${token} ${token}` }, "token"],
    [{ host: "github.com", name: "x", token: `${token}\nX-Other: 1` }, "token"],
    [{ host: "github.com", name: "x", token: token.repeat(200) }, "token"],
    [{ host: "github.com", name: "x", token, username: "a:b" }, "username"],
  ])("that are not described well are refused, without the token in the message: %#", async (input, field) => {
    const error = await addGitToken(servicesOf(project), input).catch(toErrorBody);
    expect(error).toMatchObject({ tag: "InvalidRequest", error: expect.stringMatching(new RegExp(`^${field}: `)) });
    expect(JSON.stringify(error)).not.toContain(token);
  });

  test("cannot be read or moved to another project by the role of a project", async () => {
    await addGitToken(servicesOf(project), { host: "git.example", name: "ci", token });
    const seen = await store.asProject(other.id, ({ query }) => query("select from git_token"));
    expect(seen.count).toBe(0);
    const stolen = store.asProject(other.id, ({ query }) =>
      query("update git_token set project = $1 where host = 'git.example'", [other.id]),
    );
    expect((await stolen).count).toBe(0);
    // Who can write the table anyway moves a ciphertext that does not open.
    await store.query("update git_token set project = $1 where host = 'git.example'", [other.id]);
    await expect(credentialsOf(other)).rejects.toMatchObject({ tag: "SecretsKeyInvalid" });
    await store.query("delete from git_token");
  });

  test("are only ciphertext in a backup and after a move, where they open", async () => {
    await using folder = await temporaryFolder();
    await addGitToken(servicesOf(project), { host: "git.example", name: "ci", token });
    const { secret } = await createWebhook(store, { keys, project, actor: "operator" });
    const file = path.join(folder.path, "backup.ndjson.gz");
    await writeBackup(store, file);
    const backup = gunzipSync(await readFile(file)).toString();
    expect(backup).toContain("git.example");
    for (const text of [token, secret, Buffer.from(token).toString("hex"), Buffer.from(token).toString("base64")]) {
      expect(backup).not.toContain(text);
    }
    for (const next of engines) {
      await using moved = await openTestStore(next);
      await moveTables(store, moved);
      const [access] = await readGitAccess(moved, { keys, project: project.id });
      expect(await openAccess(access)).toBe(`x-access-token:${token}`);
      expect(await openWebhookSecret(moved, { keys, project: project.id })).toBe(secret);
    }
    await store.query("delete from git_token");
  });

  test("are sealed again with a new key; then the old one is needed no more", async () => {
    const newKey = keyText();
    await addGitToken(servicesOf(project), { host: "git.example", name: "ci", token });
    expect(await findUnreadable(store, keys)).toBeUndefined();
    expect(await findUnreadable(store, withKeys(newKey))).toMatchObject({
      tag: "SecretsKeyInvalid",
      message: expect.stringContaining("CITEWELL_SECRETS_KEY"),
    });
    await expect(rotateSecrets(store, withKeys(newKey))).rejects.toMatchObject({ tag: "SecretsKeyInvalid" });
    expect(await credentialsOf(project)).toEqual([`x-access-token:${token}`]);
    // The token and the webhook's secret of the test before.
    expect(await rotateSecrets(store, withKeys(newKey, oldKey))).toMatchObject({ resealed: 2 });
    expect(await rotateSecrets(store, withKeys(newKey, oldKey))).toMatchObject({ resealed: 0 });
    expect(await findUnreadable(store, withKeys(newKey))).toBeUndefined();
    expect(await credentialsOf(project, withKeys(newKey))).toEqual([`x-access-token:${token}`]);
    await expect(credentialsOf(project)).rejects.toMatchObject({ tag: "SecretsKeyInvalid" });
    await store.query("delete from git_token");
  });

  test("added during a rotation of our own file are sealed with the key that stays", async () => {
    await using folder = await temporaryFolder();
    const own = openSealingKeys({ text: undefined, directory: folder.path, mayCreate: true });
    await store.query("delete from webhook");
    const hosts = Array.from({ length: 10 }, (_, index) => `git${index}.example`);
    const adding = hosts.map((host) => addGitToken({ ...servicesOf(project), keys: own }, { host, name: "ci", token }));
    await Promise.all([...adding, rotateSecrets(store, own)]);
    expect(await own.read()).toHaveLength(1);
    expect(await credentialsOf(project, own)).toHaveLength(hosts.length);
    await store.query("delete from git_token");
  });
});

test("git gets a credential for its own host only, in variables", () => {
  expect(credentialVariables({ host: "localhost:8443", credential: "ada:b" })).toEqual({
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "http.https://localhost:8443/.extraHeader",
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from("ada:b").toString("base64")}`,
  });
});

test("of several credentials, a repository is read with the one of the longest path", () => {
  const scopes = [
    { host: "github.com", path: "" },
    { host: "github.com", path: "acme" },
    { host: "github.com", path: "acme/deep" },
    { host: "example.com", path: "acme" },
  ];
  const pathFor = (url: string) => findAccess(scopes, url)?.path;
  expect(pathFor("https://github.com/acme/lib")).toBe("acme");
  expect(pathFor("https://github.com/ACME/deep/lib.git")).toBe("acme/deep");
  expect(pathFor("https://github.com/acme/deep.git/")).toBe("acme/deep");
  expect(pathFor("https://github.com/acme-other/lib")).toBe("");
  expect(pathFor("https://example.com/other/lib")).toBeUndefined();
  expect(pathFor("https://github.com.example.com/acme/lib")).toBeUndefined();
});

async function openAccess(access: GitAccess | undefined): Promise<string | undefined> {
  return access?.open(`https://${access.host}/a/b`, { signal: new AbortController().signal });
}
