import { readdir } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { Answer } from "../../server/protocol/ask.ts";
import { type CliOptions, runCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startGitServer } from "../support/git-server.ts";

test("a repository over HTTPS is added, asked, updated, asked again, and asked with its server gone", async () => {
  await using server = await startGitServer();
  const first = await server.commit("team/queue.git", {
    "src/retry.ts": "export function retryDelay(times: number) {\n  return 100 * times;\n}\n",
    "README.md": "# Queue\n\nRetries failed jobs.\n",
  });
  await using folder = await temporaryFolder(`//- .home/citewell.config.jsonc
{ "allowHosts": ["localhost"], "refresh": "always", "resources": [] }
`);
  const options: CliOptions = {
    cwd: folder.path,
    env: { NODE_EXTRA_CA_CERTS: server.caFile, SSL_CERT_FILE: server.caFile },
  };

  const added = await runCli(["add", server.url("team/queue.git"), "--name", "queue"], options);
  expect(added).toMatchObject({ code: 0, stderr: "" });

  const asked = await ask();
  expect(asked.answer.snapshots[0]).toMatchObject({ resource: "queue", revision: first, type: "git" });
  expect(asked.answer.text).toContain("return 100 * times;");
  expect(asked.stderr).toMatch(/queue/);
  for (const citation of asked.answer.citations) expect(citation).toMatchObject({ state: "verified", revision: first });

  const second = await server.commit("team/queue.git", {
    "src/retry.ts": "export function retryDelay(times: number) {\n  return 250 * times;\n}\n",
  });
  const again = await ask();
  expect(again.answer.snapshots[0]?.revision).toBe(second);
  expect(again.answer.text).toContain("return 250 * times;");

  await server.stop();
  const offline = await ask();
  expect(offline.answer.snapshots[0]?.revision).toBe(second);
  expect(offline.answer.snapshots[0]?.stale).toMatch(/fetched .*(ago|just now)/);
  expect(offline.answer.text).toContain("return 250 * times;");

  async function ask(): Promise<{ answer: Answer; stderr: string }> {
    const question = ["-q", "What is retryDelay?", "-r", "queue"];
    const { code, stdout, stderr } = await runCli(["ask", ...question, "--json"], options);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining("error") });
    return { answer: JSON.parse(stdout), stderr };
  }
});

test("a one-off URL is asked at the first usual branch and answers again with its server gone", async () => {
  await using server = await startGitServer();
  await server.commit(
    "tool.git",
    { "main.py": "def retry_delay(times):\n    return 100 * times\n" },
    { branch: "trunk" },
  );
  await using folder = await temporaryFolder(`//- .home/citewell.config.jsonc\n{ "allowHosts": ["localhost"] }\n`);
  const options: CliOptions = {
    cwd: folder.path,
    env: { NODE_EXTRA_CA_CERTS: server.caFile, SSL_CERT_FILE: server.caFile },
  };
  const url = server.url("tool.git");

  const asked = ["ask", "-q", "What is retry_delay?", "-r", url, "--json"];
  const { code, stdout } = await runCli(asked, options);
  expect(code).toBe(0);
  const answer: Answer = JSON.parse(stdout);
  expect(answer.resources).toEqual([url]);
  expect(answer.snapshots[0]?.label).toContain("trunk");
  expect(answer.citations[0]).toMatchObject({ resource: url, path: "main.py", state: "verified" });
  expect(answer.text).toMatch(/\(citewell:\/https%3A%2F%2Flocalhost/);
  expect(await readdir(path.join(folder.path, ".home/data/resources/one-offs/temporary"))).toEqual([]);

  await server.stop();
  const offline = await runCli(asked, options);
  expect(JSON.parse(offline.stdout)).toMatchObject({ text: answer.text, citations: answer.citations });
  expect((await runCli(["clear", "--yes"], options)).code).toBe(0);
  expect((await runCli(asked, options)).code).not.toBe(0);
});

test("a repository with none of the usual branches asks to be added by name", async () => {
  await using server = await startGitServer();
  await server.commit("tool.git", { "a.txt": "a\n" }, { branch: "release" });
  await using folder = await temporaryFolder(`//- .home/citewell.config.jsonc\n{ "allowHosts": ["localhost"] }\n`);
  const options: CliOptions = {
    cwd: folder.path,
    env: { NODE_EXTRA_CA_CERTS: server.caFile, SSL_CERT_FILE: server.caFile },
  };
  const { code, stderr } = await runCli(["ask", "-q", "What?", "-r", server.url("tool.git")], options);
  expect(code).toBe(7);
  expect(stderr).toMatch(/hint: .*citewell add .*--branch/);
});
