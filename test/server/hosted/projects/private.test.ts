import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { addGitToken, listGitTokens, removeGitToken } from "../../../../server/hosted/secrets/git-tokens.ts";
import { openStore } from "../../../../server/hosted/store/store.ts";
import { listTables, readRows } from "../../../../server/hosted/store/tables.ts";
import { createKey } from "../../../../server/hosted/tenants/keys.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { createLog, silentLog } from "../../../../server/lib/log.ts";
import type { Project } from "../../../../server/protocol/hosted.ts";
import { readCommandLines } from "../../../support/command-lines.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";
import { signedIn, type Visitor } from "../../../support/visitor.ts";

// Opening an embedded database takes seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const firstToken = "ghp_first0123456789abcdefghijklmnopqr";
const secondToken = "ghp_second123456789abcdefghijklmnopqr";
const oneLine = { query: "otters", mode: "exact" };

describe.each(testEngines())("private repositories on $name", (engine) => {
  let git: GitServer;
  let host: string;
  let service: TestService;
  let owner: Visitor;
  let key: string;
  let base: string;
  /** Repositories that the host shows only with this token. */
  const isPrivate = new Set(["secret"]);
  let accepted = firstToken;
  /** The command lines of all processes, at each request of git. */
  const commandLines: string[] = [];
  const logged: string[] = [];

  beforeAll(async () => {
    git = await startGitServer();
    host = new URL(git.origin).host;
    await git.commit("secret", { "a.js": "// otters\n" });
    await git.commit("open", { "a.js": "// otters\n" });
    git.intercept(async (request, response) => {
      commandLines.push(...(await readCommandLines()));
      const [, repository = ""] = /^\/([\w-]+)/.exec(request.url ?? "") ?? [];
      if (repository === "moved") {
        response
          .writeHead(301, { location: `${git.url("secret")}${(request.url ?? "").slice("/moved".length)}` })
          .end();
        return true;
      }
      if (!isPrivate.has(repository) || tokenOf(request) === accepted) return false;
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return true;
    });
    service = await startService(await engine.createDatabase(), {
      config: { allowHosts: ["localhost", "127.0.0.1"] },
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
      log: createLog("debug", (line) => logged.push(line)),
    });
    owner = await signedIn(service);
    key = await service.key();
    base = `/p/${service.project.name}`;
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  const keyOf = async (project: Project) =>
    (await createKey(service.store, project, { name: "agent", scopes: ["ask", "read", "manage"] })).key;
  const add = (name: string, url: string, by = key) => service.call(by, "addResource", { type: "git", name, url });
  const search = async (resource: string, by = key) => {
    const { isError, content } = await service.call(by, "search", { ...oneLine, resources: [resource] });
    return isError ? "error" : content.map(({ text }) => text).join("\n");
  };
  const stateOf = async (name: string, by = key) => {
    const { resources } = (await service.call(by, "listResources")).structuredContent ?? {};
    return Array.isArray(resources) ? resources.find((one) => one.name === name) : undefined;
  };
  const sharedSnapshots = () => namesIn(path.join(service.dataDirectory, "resources", "snapshots"));
  const privateSnapshots = ({ id }: Project = service.project) =>
    namesBelow(path.join(service.dataDirectory, "projects", id), "snapshot.json");

  test("a repository that needs a token says so, with a link; with the token it is read", async () => {
    await add("secret", git.url("secret"));
    await service.untilFetched();
    expect(await stateOf("secret")).toMatchObject({ revision: null, fetch: { state: "failed", needsToken: host } });
    const page = await owner.open(`${base}/resources`);
    expect(page.text).toContain(`href="${base}/tokens?host=${encodeURIComponent(host)}"`);
    expect(page.text).toContain(`Add a token for ${host}`);
    const tokens = await owner.open(`${base}/tokens?host=${encodeURIComponent(host)}`);
    expect(tokens.text).toContain(`value="${host}"`);

    const added = await owner.send(`${base}/tokens`, { host, name: "ci", token: firstToken, username: "" });
    expect([added.status, added.text]).toEqual([200, expect.stringContaining("The token is stored.")]);
    await service.untilFetched();
    expect(await stateOf("secret")).toMatchObject({ state: "ready", fetch: { state: "ready", needsToken: null } });
    expect(await search("secret")).toContain("otters");
    expect(await listGitTokens(service.store, service.project)).toMatchObject([
      { host, failure: null, lastUsedAt: expect.any(String) },
    ]);
  });

  test("what was fetched with a token is the project's own, also of a public repository", async () => {
    await add("open", git.url("open"));
    await service.untilFetched();
    expect(await privateSnapshots()).toHaveLength(2);
    expect(await sharedSnapshots()).toEqual([]);
    const other = await createProject(service.store, "other");
    const otherKey = await keyOf(other);
    await add("theirs", git.url("secret"), otherKey);
    await service.untilFetched(other.id);
    expect(await stateOf("theirs", otherKey)).toMatchObject({ revision: null, fetch: { state: "failed" } });
    expect(await search("theirs", otherKey)).toBe("error");
    expect(await privateSnapshots(other)).toEqual([]);
  });

  test("a public address that leads to a private repository is fetched without the token", async () => {
    const { port } = new URL(git.origin);
    await add("moved", `https://127.0.0.1:${port}/moved`);
    await service.untilFetched();
    expect(await stateOf("moved")).toMatchObject({
      revision: null,
      fetch: { state: "failed", needsToken: `127.0.0.1:${port}` },
    });
    expect(await sharedSnapshots()).toEqual([]);
  });

  test("a token that the host refuses is shown; answers come from the last snapshot, and a new token works", async () => {
    accepted = secondToken;
    await service.call(key, "sync", { resource: "secret" });
    await service.untilFetched();
    expect(await stateOf("secret")).toMatchObject({
      revision: expect.any(String),
      fetch: { state: "failed", needsToken: null, failure: expect.stringMatching(/refused the project's token "ci"/) },
    });
    expect(await search("secret")).toContain("otters");
    const failing = await owner.open(`${base}/tokens`);
    expect(failing.text).toMatch(/failing since .*refused the project&#39;s token &quot;ci&quot;/s);
    const [, action = ""] = /href="([^"]*\/tokens\/[\w-]+)"/.exec(failing.text) ?? [];
    expect((await owner.open(action)).text).toContain(`Replace the token for ${host}`);
    const empty = await owner.send(action, { token: " " });
    expect([empty.status, empty.text]).toEqual([400, expect.stringContaining("the token is missing")]);
    const replaced = await owner.send(action, { token: secondToken });
    expect(replaced.text).toContain("The token is replaced.");
    await service.untilFetched();
    expect(await stateOf("secret")).toMatchObject({ fetch: { state: "ready", failure: null } });
    expect(await listGitTokens(service.store, service.project)).toMatchObject([{ failure: null, failingSince: null }]);
  });

  test("a token is in no log, page, row or command line", async () => {
    const pages = await Promise.all(
      ["tokens", "resources", "audit", "audit.ndjson"].map(async (page) => (await owner.open(`${base}/${page}`)).text),
    );
    // A refused form is sent back without it.
    const refused = await owner.send(`${base}/tokens`, { host: "a b", name: "ci", token: firstToken });
    expect(refused.status).toBe(400);
    const rows: string[] = [];
    await service.store.tx(async (queries) => {
      for (const table of await listTables(queries)) {
        for await (const some of readRows(queries, table)) rows.push(...some);
      }
    });
    if (existsSync("/proc/self/cmdline")) expect(commandLines.some((line) => line.includes("ls-remote"))).toBe(true);
    expect(logged.length).toBeGreaterThan(0);
    const everything = [...pages, refused.text, ...rows, ...logged, ...commandLines].join("\n");
    for (const token of [firstToken, secondToken]) {
      const credential = Buffer.from(`x-access-token:${token}`);
      for (const text of [token, credential.toString("base64"), Buffer.from(token).toString("hex")]) {
        expect(everything.includes(text)).toBe(false);
      }
    }
  });

  test("a removed token takes what was fetched with it along", async () => {
    const held = (await listGitTokens(service.store, service.project))[0];
    const removed = await owner.send(`${base}/tokens/${held?.id}/remove`);
    expect(removed.text).toContain("There are no tokens yet");
    await service.untilFetched();
    await vi.waitFor(async () => expect(await privateSnapshots()).toEqual([]), { timeout: 60_000 });
    expect(await search("secret")).toBe("error");
    expect(await stateOf("secret")).toMatchObject({ revision: null, fetch: { needsToken: host } });
    // The public one is fetched again, now for everyone.
    expect(await search("open")).toContain("otters");
    expect(await sharedSnapshots()).toHaveLength(1);
  });

  test("a repository that went private is read by no project that has no token, not even from the disk", async () => {
    const [first, second] = [await createProject(service.store, "first"), await createProject(service.store, "second")];
    const keys = [await keyOf(first), await keyOf(second)];
    await git.commit("went", { "a.js": "// otters\n" });
    for (const one of keys) await add("went", git.url("went"), one);
    await Promise.all([first, second].map(({ id }) => service.untilFetched(id)));
    for (const one of keys) expect(await search("went", one)).toContain("otters");
    const before = await sharedSnapshots();
    isPrivate.add("went");
    await service.call(keys[1] ?? "", "sync", { resource: "went" });
    await service.untilFetched(second.id);
    for (const one of keys) {
      expect(await search("went", one)).toBe("error");
      expect(await stateOf("went", one)).toMatchObject({ revision: null });
    }
    expect((await sharedSnapshots()).length).toBe(before.length - 1);
    await addGitToken(
      { store: service.store, keys: service.keys, project: first, actor: "operator" },
      { host, name: "ci", token: secondToken },
    );
    await service.untilFetched(first.id);
    expect(await search("went", keys[0])).toContain("otters");
    expect(await search("went", keys[1])).toBe("error");
    await removeGitToken({ store: service.store, project: first, actor: "operator" }, host);
  });

  test("a token that was removed while the node was away opens nothing any more, nor does another one", async () => {
    await using folder = await temporaryFolder();
    const location = await engine.createDatabase();
    const options = {
      config: { dataDirectory: folder.path },
      keys: service.keys,
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
    };
    const project = await (async () => {
      await using before = await startService(location, options);
      const change = { store: before.store, keys: service.keys, project: before.project, actor: "operator" };
      await addGitToken(change, { host, name: "ci", token: accepted });
      await before.call(await before.key(), "addResource", { type: "git", name: "secret", url: git.url("secret") });
      await before.untilFetched();
      return before.project;
    })();
    const snapshots = async () => namesBelow(path.join(folder.path, "projects", project.id), "snapshot.json");
    expect(await snapshots()).toHaveLength(1);
    {
      await using store = await openStore(location, { log: silentLog });
      const change = { store, keys: service.keys, project, actor: "operator" };
      await removeGitToken(change, host);
      await addGitToken(change, { host, name: "ci", token: "another-token-that-may-not-read-it" });
    }
    await using after = await startService(location, options);
    const by = (await createKey(after.store, project, { name: "agent", scopes: ["read"] })).key;
    expect(await after.call(by, "search", { ...oneLine, resources: ["secret"] })).toMatchObject({ isError: true });
    await vi.waitFor(async () => expect(await snapshots()).toEqual([]), { timeout: 60_000 });
  });
});

function tokenOf({ headers }: IncomingMessage): string | undefined {
  const [, credential = ""] = /^Basic (.+)$/.exec(headers.authorization ?? "") ?? [];
  return Buffer.from(credential, "base64").toString().split(":")[1];
}

/** The paths of the files of a name. */
async function namesBelow(folder: string, name: string): Promise<string[]> {
  const paths = await readdir(folder, { recursive: true }).catch(() => []);
  return paths.filter((one) => path.basename(one) === name);
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
