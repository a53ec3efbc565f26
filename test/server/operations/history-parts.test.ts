import { afterAll, beforeAll, expect, test } from "vitest";
import { runHere } from "../../support/cli-here.ts";
import { type Folder, temporaryFolder } from "../../support/folder.ts";
import { type GitServer, startGitServer } from "../../support/git-server.ts";
import { openRepository, type Repository } from "../../support/repository.ts";

let server: GitServer;
let folder: Folder;
let repository: Repository;
let ids: string[];
const moved = Array.from({ length: 8 }, (_, index) => `planted line ${index}\n`).join("");

beforeAll(async () => {
  [server, repository] = await Promise.all([startGitServer(), openRepository()]);
  const both = { "docs/a.md": "one\n", "src/b.js": "export const planted = 1;\n", "src/moved.md": moved };
  ids = [
    await repository.commit({ message: "Begin both", files: both, tags: ["v1.0.0"] }),
    await repository.commit({
      message: "planted-message about walruses",
      files: { "src/b.js": "export const planted = 2;\n" },
    }),
    await repository.commit({
      message: "Move it to the docs",
      files: { "src/moved.md": null, "docs/moved.md": `${moved}last\n` },
    }),
    await repository.commit({ message: "Two", files: { "docs/a.md": "two\n" }, tags: ["v2.0.0"] }),
  ];
  await server.createRepository("parts");
  await server.git("parts", ["fetch", "--quiet", repository.path, "+refs/*:refs/*"]);
  folder = await temporaryFolder(`//- .home/citewell.config.jsonc
{ "allowHosts": ["localhost"], "resources": [{ "type": "git", "name": "docs", "url": "${server.url("parts")}", "branch": "main", "searchPaths": ["docs"] }] }
`);
});
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
  await repository?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

const run = (...args: string[]) => {
  const env = { NODE_EXTRA_CA_CERTS: server.caFile, SSL_CERT_FILE: server.caFile, GIT_SSL_CAINFO: server.caFile };
  return runHere(args, { cwd: folder.path, env });
};
const history = async (...args: string[]) => {
  const { stdout, stderr } = await run("history", ...args, "-r", "docs");
  return (stdout || stderr).replaceAll(/^[0-9a-f]{7,}/gm, "ID");
};

test("a part of a repository has the commits that changed it, with its own changes alone", async () => {
  expect([...(await history(".")).matchAll(/^ID {2}(.*)$/gm)].map(([, subject]) => subject)).toEqual([
    "Two",
    "Move it to the docs",
    "Begin both",
  ]);
  const first = await history("--commit", ids[0] ?? "");
  expect(first).toContain("docs/a.md added");
  expect(first).not.toMatch(/src|planted/);
  expect(await history("docs/a.md:1")).toMatch(/Two[^]*Begin both/);
});

test("a file that was moved into it begins there", async () => {
  for (const asked of [["docs/moved.md"], ["docs/moved.md:1-3"], ["--text", "planted line 1"]]) {
    const text = await history(...asked);
    expect([...text.matchAll(/^ID {2}(.*)$/gm)].map(([, subject]) => subject)).toEqual(["Move it to the docs"]);
    expect(text).toContain("docs/moved.md added");
    expect(text).not.toContain("src/");
  }
  expect(await history("docs/moved.md", "--blame")).toMatch(/lines 1-9/);
});

test("what only other parts changed is not found, read or cited", async () => {
  const [, other = ""] = ids;
  for (const args of [
    ["history", "-r", "docs", "--text", "planted = 2"],
    ["history", "-r", "docs", "src/b.js"],
    ["history", "-r", "docs", "src/b.js", "--blame"],
    ["history", "-r", "docs", "src"],
    ["history", "-r", "docs", "--commit", other],
    ["history", "-r", "docs", "--text", "planted.*", "--regex"],
    ["ask", "--provider", "builtin", "-r", "docs", "-q", "When was `planted` added?"],
    ["ask", "--provider", "builtin", "-r", "docs", "-q", "Which commit added the walruses?"],
    ["compare", `docs@v1.0.0`, "v2.0.0", "--diff", "src/b.js"],
  ]) {
    const { stdout, stderr } = await run(...args);
    expect({ args, found: /planted-message|= [12];|^\s+src\//m.exec(stdout + stderr)?.input }).toEqual({ args });
  }
  const at = {
    docs: `[[docs@${ids[0]}:docs/a.md#L1 "one"]]`,
    src: `[[docs@${ids[0]}:src/b.js#L1]]`,
    other: `[[docs@${other}]]`,
  };
  await using texts = await temporaryFolder(`//- a.md\n${at.docs}\n\n${at.src}\n\n${at.other}\n`);
  expect((await run("verify", `${texts.path}/a.md`)).stdout).toMatch(/3 citations: 1 verified/);
});

test("two revisions are compared in it", async () => {
  const { stdout } = await run("compare", "docs@v1.0.0", "v2.0.0", "--json");
  const { files } = JSON.parse(stdout);
  expect(files.map(({ path, change }: { path: string; change: string }) => `${change} ${path}`)).toEqual([
    "changed docs/a.md",
    "added docs/moved.md",
  ]);
});
