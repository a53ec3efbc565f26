import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../../../../../server/lib/log.ts";
import { openLocalHistory } from "../../../../../server/resources/git/history/local-history.ts";
import type { GitRunner } from "../../../../../server/resources/git/run-git.ts";
import { createGitRunner } from "../../../../../server/resources/git/run-git.ts";
import { createStore } from "../../../../../server/resources/store.ts";
import { openRepository } from "../../../../support/repository.ts";

/** Git's own tests use this variable: the repository then seems to belong to another user. */
function asAnotherUser(runner: GitRunner): GitRunner {
  return {
    ...runner,
    run: (args, call) =>
      runner.run(args, { ...call, environment: { ...call.environment, GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" } }),
  };
}

test("a repository of another user is refused as git refuses it, unless the user trusts it", async () => {
  await using repository = await openRepository();
  await repository.commit({ message: "First", files: { "a.ts": "1\n" } });
  const home = path.dirname(repository.path);
  const environment = { PATH: process.env["PATH"] ?? "", HOME: home };
  const graphs = { store: createStore({ directory: path.join(home, "data"), log: silentLog }), isWriter: false };
  const { signal } = new AbortController();
  const open = () =>
    openLocalHistory(repository.path, { runner: asAnotherUser(createGitRunner()), environment, graphs, signal });
  await expect(open()).rejects.toMatchObject({
    tag: "RepositoryFailed",
    message: `git refuses the repository of ${repository.path}: it belongs to another user`,
    hint: expect.stringMatching(/^open it as its owner, or trust it: git config --global --add safe\.directory \S+$/),
  });
  await writeFile(path.join(home, ".gitconfig"), "[safe]\n\tdirectory = *\n");
  await using history = await open();
  expect(history.revision).toMatch(/^[0-9a-f]{40}$/);
});
