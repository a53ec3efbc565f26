import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { connect } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../server/errors.ts";
import { silentLog } from "../../../../server/lib/log.ts";
import { createGitRoutes } from "../../../../server/resources/git/git-routes.ts";
import { createGit, type GitOptions, type GitSpec } from "../../../../server/resources/git/git.ts";
import { createGitRunner } from "../../../../server/resources/git/run-git.ts";
import type { Progress } from "../../../../server/resources/source.ts";
import { createStore } from "../../../../server/resources/store.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { type GitServer, type Intercept, startGitServer } from "../../../support/git-server.ts";

let server: GitServer;
beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  server.intercept(undefined);
  server.requests.length = 0;
  redirects.clear();
});

describe("the branches of a repository", () => {
  test("are listed with its tags and its default branch", async () => {
    await using sandbox = await openSandbox();
    await server.commit("listed", { "a.ts": "1" });
    await server.git("listed", ["branch", "also"]);
    await server.git("listed", ["-c", "user.name=a", "-c", "user.email=a@b", "tag", "-a", "v1", "-m", "v1", "main"]);
    expect(await sandbox.listBranches(server.url("listed"))).toEqual({
      main: "main",
      branches: ["also", "main"],
      tags: ["v1"],
    });
  });

  test("are none if it is empty", async () => {
    await using sandbox = await openSandbox();
    await server.createRepository("empty-list");
    expect(await sandbox.listBranches(server.url("empty-list"))).toEqual({ main: null, branches: [], tags: [] });
  });

  test("are not requested from a private address", async () => {
    await using sandbox = await openSandbox({ allowHosts: [] });
    await expect(sandbox.listBranches(server.url("listed"))).rejects.toMatchObject({ tag: "AddressNotAllowed" });
    expect(server.requests).toEqual([]);
  });
});

describe("a repository", () => {
  test("is read at the newest commit of its branch, with a label and a date", async () => {
    await using sandbox = await openSandbox();
    const commit = await server.commit("plain", { "src/a.ts": "hello\n", "b.md": "# b\n" });
    await server.commit("plain", { "other.ts": "" }, { branch: "other" });
    await using snapshot = await sandbox.open({ url: server.url("plain"), branch: "main", notes: "read b.md first" });
    expect(snapshot.revision).toBe(commit);
    expect(snapshot.files.map((file) => file.path)).toEqual(["b.md", "src/a.ts"]);
    expect((await snapshot.read("src/a.ts")).text).toBe("hello\n");
    expect(snapshot.notes).toBe("read b.md first");
    expect(snapshot.info).toEqual({
      resource: "demo",
      type: "git",
      revision: commit,
      label: `${server.url("plain")} at ${commit.slice(0, 7)} (main), fetched just now`,
      fetchedAt: "2026-01-01T00:00:00.000Z",
      fileCount: 2,
      skippedCount: 0,
    });
    expect(snapshot.permalink("b.md", { startLine: 1, endLine: 1 })).toBeUndefined();
    expect(snapshot.pathOnDisk("b.md")).toBeUndefined();
  });

  test("is fetched without history, tags and a repository that could reach the network", async () => {
    await using sandbox = await openSandbox();
    await server.commit("history", { "a.ts": "1" });
    const commit = await server.commit("history", { "a.ts": "2" });
    await server.git("history", ["tag", "v1", "HEAD~1"]);
    await using snapshot = await sandbox.open({ url: server.url("history"), branch: "main" });
    expect(snapshot.revision).toBe(commit);
    const [name = ""] = await sandbox.list("snapshots");
    expect(await sandbox.list(path.join("snapshots", name, "tree"))).toEqual(["a.ts"]);
    expect(await readFile(path.join(sandbox.directory, "snapshots", name, "snapshot.json"), "utf8")).not.toContain(
      sandbox.directory,
    );
  });

  test("is updated when its branch moves, and the old revision is removed", async () => {
    await using sandbox = await openSandbox();
    await server.commit("moving", { "a.ts": "old" });
    await (await sandbox.open({ url: server.url("moving"), branch: "main" }))[Symbol.asyncDispose]();
    const commit = await server.commit("moving", { "a.ts": "new" });
    await using snapshot = await sandbox.open({ url: server.url("moving"), branch: "main" });
    expect(snapshot.revision).toBe(commit);
    expect((await snapshot.read("a.ts")).text).toBe("new");
    expect(await sandbox.list("snapshots")).toHaveLength(1);
  });

  test("answers from disk when its host is unreachable, with its age", async () => {
    await using own = await startGitServer();
    await using sandbox = await openSandbox({}, own);
    const commit = await own.commit("demo", { "a.ts": "a" });
    await sandbox.open({ url: own.url("demo"), branch: "main" });
    await own.stop();
    sandbox.advance(3 * 24 * 3600 * 1000);
    await using snapshot = await sandbox.open({ url: own.url("demo"), branch: "main" });
    expect(snapshot.info).toMatchObject({
      revision: commit,
      stale: `fetched 3 days ago; ${new URL(own.origin).host} could not be reached`,
    });
    expect((await snapshot.read("a.ts")).text).toBe("a");
  });

  test("is fetched once for two concurrent questions", async () => {
    await using sandbox = await openSandbox();
    await server.commit("shared", { "a.ts": "a" });
    const spec = { url: server.url("shared"), branch: "main" };
    const snapshots = await Promise.all([sandbox.open(spec), sandbox.open(spec)]);
    expect(snapshots.map((snapshot) => snapshot.files.length)).toEqual([1, 1]);
    // One request lists the branches, one fetches; each follows the first contact of the protocol.
    expect(server.requests.map((request) => request.split("?")[0])).toEqual([
      "GET /shared/info/refs",
      "POST /shared/git-upload-pack",
      "GET /shared/info/refs",
      "POST /shared/git-upload-pack",
    ]);
  });

  test("reports progress", async () => {
    await using sandbox = await openSandbox();
    await server.commit("progress", { "a.ts": "a" });
    const seen: Progress[] = [];
    await sandbox.open(
      { url: server.url("progress"), branch: "main" },
      { onProgress: (progress) => seen.push(progress) },
    );
    expect([...new Set(seen.map(({ phase }) => phase))]).toEqual(["resolve", "fetch", "index"]);
    expect(seen).toContainEqual({ phase: "fetch", fraction: 1, message: "receiving files" });
  });

  test("keeps every byte: line ends, encodings, keywords, under any attributes", async () => {
    await using sandbox = await openSandbox();
    const files = {
      ".gitattributes": "* text=auto eol=crlf\n*.id ident\n*.u16 working-tree-encoding=UTF-16\n*.lfs filter=lfs\n",
      "crlf.txt": "a\r\nb\r\n",
      "lf.txt": "a\nb\n",
      "a.id": "$Id$\n",
      "a.u16": "plain\n",
      "a.lfs": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    };
    await server.commit("bytes", files);
    await using snapshot = await sandbox.open({ url: server.url("bytes"), branch: "main" });
    for (const [name, text] of Object.entries(files)) expect((await snapshot.read(name)).text).toBe(text);
  });

  test("may contain binary files, odd names, links and submodules; unread files are listed", async () => {
    await using sandbox = await openSandbox();
    await server.commit("odd", {
      "-n": "dash\n",
      "two words.md": "words\n",
      "line\nend.txt": "end\n",
      "logo.png": Buffer.from([0x89, 0, 1]),
      "latin.txt": Buffer.from([0xe9]),
      "in.md": { link: "two words.md" },
      "out.txt": { link: "/etc/passwd" },
      loop: { link: "loop" },
      "vendor/lib": { submodule: "1".repeat(40) },
    });
    await using snapshot = await sandbox.open({ url: server.url("odd"), branch: "main" });
    expect(snapshot.files.map((file) => file.path)).toEqual([
      "-n",
      "in.md",
      "latin.txt",
      "line\nend.txt",
      "logo.png",
      "two words.md",
    ]);
    expect((await snapshot.read("in.md")).text).toBe("words\n");
    expect((await snapshot.read("line\nend.txt")).text).toBe("end\n");
    expect((await snapshot.read("latin.txt")).text).toBe("é");
    await expect(snapshot.read("logo.png")).rejects.toMatchObject({ tag: "FileNotReadable" });
    expect(snapshot.skipped).toEqual([
      { path: "loop", reason: "a link that leads back to itself" },
      { path: "out.txt", reason: "a link that leaves the tree" },
      { path: "vendor/lib", reason: "a submodule, not fetched" },
    ]);
  });

  test.each([
    ["with a command", '[submodule "lib"]\n\tpath = vendor/lib\n\turl = ../lib.git\n\tupdate = !touch /tmp/owned\n'],
    ["with invalid values", '[submodule "lib"]\n\tpath = vendor/lib\n\tignore = x\n\tfetchRecurseSubmodules = x\n'],
    ["with options in the URL", '[submodule "lib"]\n\tpath = vendor/lib\n\turl = -u./payload\n\tshallow = maybe\n'],
    ["with names out of the repository", '[submodule "../../x"]\n\tpath = vendor/lib\n\turl = https://127.0.0.1/x\n'],
    ["that is no configuration", "[submodule \nvendor = \u0000\n"],
  ])("with a .gitmodules %s is read, and it is a file like others", async (_what, gitmodules) => {
    await using sandbox = await openSandbox();
    const repository = `modules-${crypto.randomUUID()}`;
    await server.commit(repository, {
      ".gitmodules": gitmodules,
      "src/a.ts": "a",
      "vendor/lib": { submodule: "1".repeat(40) },
    });
    const url = server.url(repository);
    await using snapshot = await sandbox.open({ url, branch: "main" });
    expect(snapshot.files.map((file) => file.path)).toEqual([".gitmodules", "src/a.ts"]);
    await using part = await sandbox.open({ url, branch: "main", searchPaths: ["src", "vendor"] });
    expect(part.files.map((file) => file.path)).toEqual(["src/a.ts"]);
  });

  test.each([["true"], ["false"]])(
    "with a file too large to read is fetched without it (filters: %s)",
    async (filters) => {
      await using sandbox = await openSandbox();
      const repository = `large-${filters}`;
      const large = {
        "a.ts": "a",
        "data [1]*.bin": Buffer.alloc(9_000_000, "x"),
        "more\n.bin": Buffer.alloc(9_000_000, "y"),
      };
      await server.commit(repository, large);
      await server.git(repository, ["config", "uploadpack.allowFilter", filters]);
      await using snapshot = await sandbox.open({ url: server.url(repository), branch: "main" });
      expect(snapshot.files.map((file) => file.path)).toEqual(["a.ts"]);
      const reason = filters === "true" ? "over the limit of 8 MB, not fetched" : "9 MB, over the limit of 8 MB";
      expect(snapshot.skipped).toEqual([
        { path: "data [1]*.bin", reason },
        { path: "more\n.bin", reason },
      ]);
    },
  );
});

describe("the branch", () => {
  test("may be a tag, annotated or not, or a branch with a slash", async () => {
    await using sandbox = await openSandbox();
    const first = await server.commit("tags", { "a.ts": "1" });
    await server.git("tags", ["tag", "light", first]);
    await server.git("tags", [
      "-c",
      "user.name=T",
      "-c",
      "user.email=t@example.com",
      "tag",
      "-m",
      "x",
      "v1.0.0",
      first,
    ]);
    const second = await server.commit("tags", { "a.ts": "2" }, { branch: "feature/x" });
    const revisions = ["light", "v1.0.0", "feature/x"].map(async (branch) => {
      await using snapshot = await sandbox.open({ url: server.url("tags"), branch });
      return snapshot.revision;
    });
    expect(await Promise.all(revisions)).toEqual([first, first, second]);
  });

  test("may be a full commit id: that is fetched once and never refreshed", async () => {
    await using sandbox = await openSandbox();
    const pinned = await server.commit("pinned", { "a.ts": "1" });
    await server.commit("pinned", { "a.ts": "2" });
    await (await sandbox.open({ url: server.url("pinned"), branch: pinned }))[Symbol.asyncDispose]();
    server.requests.length = 0;
    sandbox.advance(365 * 24 * 3600 * 1000);
    await using snapshot = await sandbox.open({ url: server.url("pinned"), branch: pinned.toUpperCase() });
    expect((await snapshot.read("a.ts")).text).toBe("1");
    expect(snapshot.info.label).toBe(`${server.url("pinned")} at ${pinned.slice(0, 7)} (pinned), fetched 1 year ago`);
    expect(server.requests).toEqual([]);
  });

  test("that is not a commit of the repository is reported", async () => {
    await using sandbox = await openSandbox();
    await server.commit("pinned", { "a.ts": "1" });
    const error = await sandbox.open({ url: server.url("pinned"), branch: "0".repeat(40) }).catch(toErrorBody);
    expect(error).toMatchObject({
      tag: "BranchNotFound",
      hint: "name a branch, a tag, or the full id of a commit that is on one",
    });
  });

  test("that does not exist is reported with the existing ones, the most similar first", async () => {
    await using sandbox = await openSandbox();
    await server.commit("branches", { "a.ts": "1" }, { branch: "main" });
    for (const branch of ["alpha", "beta", "develop"]) await server.commit("branches", { b: branch }, { branch });
    const error = await sandbox.open({ url: server.url("branches"), branch: "develp" }).catch(toErrorBody);
    expect(error).toEqual({
      error: `${server.url("branches")} has no branch or tag "develp"`,
      tag: "BranchNotFound",
      hint: "branches: develop, main, alpha, beta",
    });
  });

  test("of an empty repository is reported", async () => {
    await using sandbox = await openSandbox();
    await server.createRepository("empty");
    const error = await sandbox.open({ url: server.url("empty"), branch: "main" }).catch(toErrorBody);
    expect(error).toEqual({
      error: `${server.url("empty")} is empty: it has no branch yet`,
      tag: "BranchNotFound",
      hint: "push a commit to it, or give another URL",
    });
  });
});

describe("a one-off", () => {
  test.each([
    [["dev", "trunk", "master", "main"], "main"],
    [["dev", "trunk", "master"], "master"],
    [["dev", "trunk", "zeta"], "trunk"],
    [["dev", "feature/main"], "dev"],
  ])("of a repository with %j is read at %s, and its temporary folder is removed", async (branches, expected) => {
    await using sandbox = await openSandbox();
    const repository = `one-off-${expected}`;
    for (const branch of branches) await server.commit(repository, { "a.ts": branch }, { branch });
    server.requests.length = 0;
    const snapshot = await sandbox.open({ url: server.url(repository), branch: undefined }, { isOneOff: true });
    expect((await snapshot.read("a.ts")).text).toBe(expected);
    expect(snapshot.info.label).toContain(`(${expected})`);
    // All four are asked for at once.
    expect(server.requests.filter((request) => request.startsWith("POST"))).toHaveLength(2);
    await snapshot[Symbol.asyncDispose]();
    expect(await sandbox.list("temporary")).toEqual([]);
    expect(await sandbox.list("snapshots")).toEqual([]);
    expect(await sandbox.list("one-offs/temporary")).toEqual([]);
  });

  test("at a commit is fetched once and never checked again", async () => {
    await using sandbox = await openSandbox();
    const url = server.url("one-off-pinned");
    const branch = await server.commit("one-off-pinned", { "a.ts": "1" });
    await (await sandbox.open({ url, branch }, { isOneOff: true }))[Symbol.asyncDispose]();
    server.requests.length = 0;
    await using again = await sandbox.open({ url, branch }, { isOneOff: true });
    expect(again.revision).toBe(branch);
    expect(server.requests).toEqual([]);
  });

  test("without any of them fails with how to add it", async () => {
    await using sandbox = await openSandbox();
    await server.commit("other-names", { "a.ts": "1" }, { branch: "production" });
    const url = server.url("other-names");
    const error = await sandbox.open({ url, branch: undefined }, { isOneOff: true }).catch(toErrorBody);
    expect(error).toEqual({
      error: `${url} has none of the branches main, master, trunk, dev`,
      tag: "BranchNotFound",
      hint: `add it as a named resource: citewell add ${url} --branch NAME, where NAME is one of production`,
    });
  });
});

describe("search paths", () => {
  const files = {
    "docs/en/a.md": "en",
    "docs/fr/a.md": "fr",
    "src/a.ts": "a",
    "lib [1]/a b.ts": "lib",
    "README.md": "read",
  };

  test.each([["true"], ["false"]])("are all that is fetched and read (filters: %s)", async (filters) => {
    await using sandbox = await openSandbox();
    const repository = `sparse-${filters}`;
    await server.commit(repository, files);
    await server.git(repository, ["config", "uploadpack.allowFilter", filters]);
    const searchPaths = ["docs/en", "README.md", "lib [1]"];
    await using snapshot = await sandbox.open({ url: server.url(repository), branch: "main", searchPaths });
    expect(snapshot.files.map((file) => file.path)).toEqual(["README.md", "docs/en/a.md", "lib [1]/a b.ts"]);
    const [name = ""] = await sandbox.list("snapshots");
    expect(await sandbox.list(path.join("snapshots", name, "tree"))).toEqual(["README.md", "docs", "lib [1]"]);
    // Nothing of the repository is left that could fetch what is missing.
    server.intercept(() => {
      throw new Error("a read reached the network");
    });
    expect((await snapshot.read("docs/en/a.md")).text).toBe("en");
    await expect(snapshot.read("src/a.ts")).rejects.toMatchObject({ tag: "FileNotFound" });
  });

  test.each([
    ["docs/de", "folders in docs: en/, fr/"],
    ["doc/en", "folders in the root: docs/, lib [1]/, src/"],
    ["src/a.ts/x", "src has no folders"],
  ])("%s is not there: %s", async (searchPath, hint) => {
    await using sandbox = await openSandbox();
    await server.commit("sparse", files);
    const spec = { url: server.url("sparse"), branch: "main", searchPaths: [searchPath] };
    const error = await sandbox.open(spec).catch(toErrorBody);
    expect(error).toEqual({
      error: `no search path ${JSON.stringify(searchPath)} at this revision`,
      tag: "SearchPathNotFound",
      hint,
    });
    expect(await sandbox.list("temporary")).toEqual([]);
  });
});

describe("a repository that cannot be fetched", () => {
  test("because it does not exist", async () => {
    await using sandbox = await openSandbox();
    const error = await sandbox.open({ url: server.url("none"), branch: "main" }).catch(toErrorBody);
    expect(error).toMatchObject({
      error: `there is no repository at ${server.url("none")}`,
      tag: "RepositoryNotFound",
    });
  });

  test("because it needs a login that git does not have: no prompt, and a hint", async () => {
    await using sandbox = await openSandbox();
    await server.commit("private", { "a.ts": "a" });
    server.intercept(requireLogin);
    const error = await sandbox.open({ url: server.url("private"), branch: "main" }).catch(toErrorBody);
    expect(error).toEqual({
      error: `${server.url("private")} does not exist, or needs a login`,
      tag: "RepositoryNotFound",
      hint: "check the URL; for a private repository sign in with git first, so that its credential helper knows the login",
    });
  });

  test.each([
    [503, "RepositoryFailed", "failed with HTTP status 503"],
    [429, "RepositoryFailed", "too many requests"],
    [403, "RepositoryNotFound", "needs a login"],
  ])("because the host answers %d", async (status, tag, said) => {
    await using sandbox = await openSandbox();
    server.intercept((_request, response) => {
      response.writeHead(status).end();
      return true;
    });
    const error = await sandbox.open({ url: server.url("plain"), branch: "main" }).catch(toErrorBody);
    expect(error).toMatchObject({ tag, error: expect.stringContaining(said) });
  });

  test("because its certificate is not trusted", async () => {
    await using sandbox = await openSandbox();
    await using strangers = await openSandbox({ environment: { ...sandbox.environment, GIT_SSL_CAINFO: "/dev/null" } });
    const error = await strangers.open({ url: server.url("plain"), branch: "main" }).catch(toErrorBody);
    expect(error).toMatchObject({
      tag: "RepositoryFailed",
      error: expect.stringContaining("certificate is not trusted"),
    });
  });

  test.each([
    ["its branches", "/info/refs", "listing"],
    ["its files", "/git-upload-pack", "fetching"],
  ])("because the host does not answer for %s: a timeout, without remaining processes", async (_what, at, said) => {
    const limit = { silentMs: 1000, totalMs: 1000 };
    await using sandbox = await openSandbox({ limits: { ask: limit, fetch: limit } });
    const branch = await server.commit("hanging", { "a.ts": "a" });
    server.intercept((request) => request.url?.split("?")[0]?.endsWith(at) ?? false);
    const spec = { url: server.url("hanging"), branch: at === "/info/refs" ? "main" : branch };
    const error = await sandbox.open(spec).catch(toErrorBody);
    expect(error).toMatchObject({
      tag: "RepositoryTimeout",
      error: expect.stringMatching(new RegExp(`^${said} .* 1 s$`)),
    });
    expect(await gitProcesses()).toEqual([]);
  });

  test("because git is missing", async () => {
    await using sandbox = await openSandbox({ environment: { PATH: "/none" } });
    const error = await sandbox.open({ url: server.url("plain"), branch: "main" }).catch(toErrorBody);
    expect(error).toEqual({
      error: "git is not installed, or not in PATH",
      tag: "ToolMissing",
      hint: "install git 2.37 or later (https://git-scm.com)",
    });
  });

  test("because git is too old", async () => {
    await using folder = await temporaryFolder();
    await writeFile(path.join(folder.path, "git"), "#!/bin/sh\necho git version 2.34.1\n", { mode: 0o755 });
    await using sandbox = await openSandbox({ environment: { PATH: folder.path } });
    const error = await sandbox.open({ url: server.url("plain"), branch: "main" }).catch(toErrorBody);
    expect(error).toMatchObject({ error: "git 2.34.1 is too old: 2.37 or later is needed", tag: "ToolMissing" });
  });
});

describe("cancelling", () => {
  test.each([["/info/refs"], ["/git-upload-pack"]])(
    "while the host is asked for %s leaves nothing, and no process",
    async (at) => {
      await using sandbox = await openSandbox();
      const commit = await server.commit("cancelled", { "a.ts": "a" });
      const cancelled = new AbortController();
      server.intercept((request) => {
        if (request.url?.split("?")[0]?.endsWith(at)) cancelled.abort();
        return cancelled.signal.aborted;
      });
      const opening = sandbox.open({ url: server.url("cancelled"), branch: commit }, { signal: cancelled.signal });
      await expect(opening).rejects.toThrow("aborted");
      expect(await gitProcesses()).toEqual([]);
      expect(await sandbox.list("temporary")).toEqual([]);
      expect(await sandbox.list("snapshots")).toEqual([]);
      server.intercept(undefined);
      await using snapshot = await sandbox.open({ url: server.url("cancelled"), branch: commit });
      expect(snapshot.revision).toBe(commit);
    },
  );
});

describe("the user's own git", () => {
  test("provides credential helper, certificates and includes, and no other settings", async () => {
    await using own = await startGitServer();
    await using folder = await temporaryFolder(`//- .gitconfig
[include]
  path = company.inc
[http]
  sslCAInfo = ${own.caFile}
[credential "${own.origin}"]
  helper = "!f() { test -f $HOME/company.inc && echo username=ann && echo password=secret; }; f"
[url "https://elsewhere.invalid/"]
  insteadOf = ${own.origin}/
[core]
  hooksPath = hooks
//- company.inc
[filter "x"]
  smudge = touch ${own.caFile}.smudged
`);
    await own.commit("private", { ".gitattributes": "* filter=x\n", "a.ts": "a" });
    own.intercept(requireLogin);
    const environment = { PATH: process.env["PATH"] ?? "", HOME: folder.path };
    await using sandbox = await openSandbox({ environment }, own);
    await using snapshot = await sandbox.open({ url: own.url("private"), branch: "main" });
    expect((await snapshot.read("a.ts")).text).toBe("a");
    await expect(readFile(`${own.caFile}.smudged`)).rejects.toThrow("ENOENT");
  });

  test("may have settings for reaching a host in variables", async () => {
    await using own = await startGitServer();
    await own.commit("private", { "a.ts": "a" });
    own.intercept(requireLogin);
    const environment = {
      PATH: process.env["PATH"] ?? "",
      HOME: "/nowhere",
      HTTPS_PROXY: "http://127.0.0.1:1",
      GIT_CONFIG_COUNT: "4",
      GIT_CONFIG_KEY_0: "HTTP.sslCAInfo",
      GIT_CONFIG_VALUE_0: own.caFile,
      GIT_CONFIG_KEY_1: `http.${own.origin}/.extraHeader`,
      GIT_CONFIG_VALUE_1: `Authorization: Basic ${Buffer.from("ann:secret").toString("base64")}`,
      GIT_CONFIG_KEY_2: "http.proxy",
      GIT_CONFIG_VALUE_2: "http://127.0.0.1:1",
      GIT_CONFIG_KEY_3: `http.${own.origin}.proxy`,
      GIT_CONFIG_VALUE_3: "",
    };
    await using sandbox = await openSandbox({ environment }, own);
    await using snapshot = await sandbox.open({ url: own.url("private"), branch: "main" });
    expect((await snapshot.read("a.ts")).text).toBe("a");
  });

  test("has no effect through the working directory's repository and its variables", async () => {
    await server.commit("plain", { "src/a.ts": "hello\n" });
    const environment = {
      PATH: process.env["PATH"] ?? "",
      HOME: "/nowhere",
      GIT_SSL_CAINFO: server.caFile,
      GIT_DIR: "/nowhere",
      GIT_WORK_TREE: "/nowhere",
      GIT_ASKPASS: "/nowhere",
      SSH_ASKPASS: "/nowhere",
      EDITOR: "/nowhere",
      GIT_EDITOR: "/nowhere",
      VISUAL: "/nowhere",
      PAGER: "/nowhere",
      GIT_PAGER: "/nowhere",
      GIT_SSH_COMMAND: "/nowhere",
      GIT_EXTERNAL_DIFF: "/nowhere",
      GIT_TEMPLATE_DIR: "/nowhere",
      GIT_EXEC_PATH: "/nowhere",
      GIT_ALLOW_PROTOCOL: "file",
      GIT_CONFIG_COUNT: "3",
      GIT_CONFIG_KEY_0: "core.autocrlf",
      GIT_CONFIG_VALUE_0: "true",
      GIT_CONFIG_KEY_1: "core.editor",
      GIT_CONFIG_VALUE_1: "/nowhere",
      GIT_CONFIG_KEY_2: "url.https://elsewhere.invalid/.insteadOf",
      GIT_CONFIG_VALUE_2: server.origin,
    };
    await using sandbox = await openSandbox({ environment });
    await using snapshot = await sandbox.open({ url: server.url("plain"), branch: "main" });
    expect((await snapshot.read("src/a.ts")).text).toBe("hello\n");
  });
});

describe("redirects", () => {
  test("to the new place of a repository are followed, with each address checked", async () => {
    await using sandbox = await openSandbox();
    const commit = await server.commit("renamed", { "a.ts": "a" });
    redirect("/old", `${server.origin}/newer`);
    redirect("/newer", `${server.origin}/renamed`);
    await using snapshot = await sandbox.open({ url: server.url("old"), branch: "main" });
    expect(snapshot.revision).toBe(commit);
    expect(snapshot.info.label).toContain(server.url("old"));
  });

  test.each([
    [
      "a private address",
      "https://10.0.0.1/renamed",
      "AddressNotAllowed",
      "/trap redirects to an address that is not public",
    ],
    ["this computer", "https://[::1]/renamed", "AddressNotAllowed", "/trap redirects to an address that is not public"],
    [
      "an address with credentials",
      "https://ann:secret@localhost/renamed",
      "RepositoryFailed",
      "must not contain credentials",
    ],
    ["plain HTTP", "http://localhost/renamed", "RepositoryFailed", "must use https"],
  ])("to %s are refused", async (_what, target, tag, said) => {
    await using sandbox = await openSandbox();
    redirect("/trap", target);
    const error = await sandbox.open({ url: server.url("trap"), branch: "main" }).catch(toErrorBody);
    expect(error).toMatchObject({ tag, error: expect.stringContaining(said) });
    expect(JSON.stringify(error)).not.toMatch(/secret|10\.0\.0\.1|::1/);
  });

  test("to a page, such as a login, are reported as such", async () => {
    await using sandbox = await openSandbox();
    server.intercept((_request, response) => {
      response.writeHead(302, { location: "/login?next=x" }).end();
      return true;
    });
    const error = await sandbox.open({ url: server.url("plain"), branch: "main" }).catch(toErrorBody);
    expect(error).toMatchObject({
      error: `${server.url("plain")} does not exist, or needs a login`,
      tag: "RepositoryNotFound",
    });
  });

  test("without an end are aborted", async () => {
    await using sandbox = await openSandbox();
    redirect("/a", `${server.origin}/a`);
    const error = await sandbox.open({ url: server.url("a"), branch: "main" }).catch(toErrorBody);
    expect(error).toMatchObject({ error: `${server.url("a")} redirects more than 5 times`, tag: "RepositoryFailed" });
  });
});

describe("a proxy", () => {
  test("is used and resolves names; literal addresses are still checked", async () => {
    await using proxy = await startProxy();
    const environment = {
      PATH: process.env["PATH"] ?? "",
      HOME: "/nowhere",
      GIT_SSL_CAINFO: server.caFile,
      HTTPS_PROXY: proxy.url,
    };
    const lookup = () => Promise.reject(new Error("names are the proxy's"));
    await using sandbox = await openSandbox({
      environment: { ...environment, NO_PROXY: "other.example" },
      allowHosts: [],
      lookup,
    });
    await server.commit("proxied", { "a.ts": "a" });
    redirect("/moved", `https://git.example:${new URL(server.origin).port}/proxied`);
    const port = new URL(server.origin).port;
    await using snapshot = await sandbox.open({ url: `https://git.example:${port}/moved`, branch: "main" });
    expect((await snapshot.read("a.ts")).text).toBe("a");
    expect(new Set(proxy.targets)).toEqual(new Set([`git.example:${port}`]));
    const refused = await sandbox.open({ url: `https://127.0.0.1:${port}/proxied`, branch: "main" }).catch(toErrorBody);
    expect(refused).toMatchObject({ tag: "AddressNotAllowed" });
  });
});

test("is not used for a host in NO_PROXY", async () => {
  const environment = {
    PATH: process.env["PATH"] ?? "",
    GIT_SSL_CAINFO: server.caFile,
    HTTPS_PROXY: "http://127.0.0.1:1",
    NO_PROXY: "elsewhere.example, localhost",
  };
  await using sandbox = await openSandbox({ environment });
  const commit = await server.commit("past-the-proxy", { "a.ts": "a" });
  await using snapshot = await sandbox.open({ url: server.url("past-the-proxy"), branch: "main" });
  expect(snapshot.revision).toBe(commit);
});

test("git connects to the checked address", async () => {
  await server.commit("pinned-address", { "a.ts": "a" });
  const { port } = new URL(server.origin);
  const user = { PATH: process.env["PATH"] ?? "", GIT_SSL_CAINFO: server.caFile };
  const reached: string[] = [];
  const routes = createGitRoutes({
    runner: createGitRunner(),
    rule: { checkText: (text) => new URL(text), resolve: async () => ["127.0.0.1"] },
    environmentFor: async () => user,
    answerMs: 30_000,
  });
  const signal = new AbortController().signal;
  await routes.reach(
    `https://git.example:${port}/pinned-address`,
    async ({ url, environment }) => {
      const { stdout } = await execute("git", ["ls-remote", url], { env: environment });
      reached.push(stdout);
      return { code: 0, stdout, stderr: "" };
    },
    { signal },
  );
  expect(reached[0]).toContain("refs/heads/main");
});

const execute = promisify(execFile);

const requireLogin: Intercept = (request, response) => {
  if (request.headers.authorization === `Basic ${Buffer.from("ann:secret").toString("base64")}`) return false;
  response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
  return true;
};

/** Adds to the redirects there are: what lies below `from` is below `to` now. */
const redirects = new Map<string, string>();
function redirect(from: string, to: string): void {
  redirects.set(from, to);
  server.intercept((request, response) => {
    const [, repository = "", rest = ""] = /^(\/[^/]+)(\/.*)$/.exec(request.url ?? "") ?? [];
    const target = redirects.get(repository);
    if (target === undefined) return false;
    response.writeHead(301, { location: `${target}${rest}` }).end();
    return true;
  });
}

/** Processes of git on this computer that talk to the test's server. */
async function gitProcesses(): Promise<string[]> {
  const { stdout } = await execute("ps", ["-A", "-o", "args="]);
  return stdout.split("\n").filter((line) => /^(\S*\/)?git/.test(line) && line.includes(server.origin));
}

/** A proxy that knows where `git.example` is. */
async function startProxy() {
  const targets: string[] = [];
  const proxy: Server = createServer();
  proxy.on("connect", (request, client, head) => {
    targets.push(request.url ?? "");
    const upstream = connect(Number(request.url?.split(":")[1]), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  return {
    targets,
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

/** Git over a store of its own, with a clock of its own; hosts of `of` are trusted. */
async function openSandbox(options: Partial<GitOptions> = {}, of = server) {
  const folder = await temporaryFolder();
  let time = Date.parse("2026-01-01");
  const now = () => time;
  const store = createStore({ directory: folder.path, log: silentLog, now });
  const environment = { PATH: process.env["PATH"] ?? "", HOME: folder.path, GIT_SSL_CAINFO: of.caFile };
  const git = createGit({ environment, allowHosts: ["localhost"], store, now, ...options });
  return {
    directory: folder.path,
    environment,
    advance(ms: number) {
      time += ms;
    },
    list: async (name: string) => readdir(path.join(folder.path, name)).catch(() => []),
    open: (
      spec: Partial<GitSpec> & Pick<GitSpec, "url">,
      {
        isOneOff = false,
        refresh = "always",
        signal = new AbortController().signal,
        onProgress,
      }: Partial<Parameters<typeof git.open>[1]> = {},
    ) => git.open({ name: "demo", searchPaths: [], ...spec }, { isOneOff, refresh, signal, onProgress }),
    listBranches: (url: string) => git.listBranches(url, { signal: new AbortController().signal }),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
