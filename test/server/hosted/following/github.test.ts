import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { followAccount, listFollowed, requestRun } from "../../../../server/hosted/following/accounts.ts";
import { connectGitHubAccount } from "../../../../server/hosted/github/installations.ts";
import { FollowFilters } from "../../../../server/protocol/followed-accounts.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { createGitHubApi, type GitHubApi } from "../../../support/github-api.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe.each(testEngines().slice(0, 1))("an account with the GitHub App on $name", (engine) => {
  let git: GitServer;
  let github: GitHubApi;
  let service: TestService;
  let host: string;
  beforeAll(async () => {
    git = await startGitServer();
    host = new URL(git.origin).host;
    for (const name of ["secret", "other"]) await git.commit(`Acme/${name}`, { "a.js": "// otters\n" });
    github = createGitHubApi({ origin: git.origin, callback: () => git.origin });
    git.intercept(async (request, response) => {
      if (await github.answer(request, response)) return true;
      const [, repository = ""] = /^\/([\w-]+\/[\w-]+)/.exec(request.url ?? "") ?? [];
      if (github.mayRead(request, repository)) return false;
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return true;
    });
    service = await startService(await engine.createDatabase(), {
      github: github.settings,
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
    });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  const followed = async () => {
    const [one] = await listFollowed(service.store, service.project);
    if (one === undefined) throw new Error("nothing is followed");
    return one;
  };

  test("its private repositories are listed and fetched by tokens of the installation; what it may not read is not there", async () => {
    const { store, project } = service;
    const services = { store, project, actor: "operator" };
    github.installations = [
      { id: 7, account: "Acme", repositories: ["secret", "other"] },
      { id: 8, account: "elsewhere", repositories: ["a", "b", "c"] },
    ];
    await connectGitHubAccount(services, { host, account: "Acme", installation: "7" });
    const filters = FollowFilters.parse({});
    const { id } = await followAccount(services, { kind: "github", host, account: "acme", group: "acme", filters });
    await vi.waitFor(async () => expect((await followed()).listedAt).not.toBeNull(), { timeout: 60_000 });
    await service.untilFetched();
    expect((await followed()).lastRun).toMatchObject({ listed: 2, leftOut: [] });
    const key = await service.key();
    const { structuredContent } = await service.call(key, "listResources", { filter: "@acme" });
    expect(structuredContent).toMatchObject({
      resources: [
        { name: "other", state: "ready" },
        { name: "secret", state: "ready" },
      ],
    });
    // The app was suspended: nothing is removed.
    const [installation] = github.installations;
    if (installation !== undefined) installation.isSuspended = true;
    await requestRun(store, project, id);
    await vi.waitFor(async () => expect((await followed()).failure).toContain("the GitHub App is suspended for Acme"), {
      timeout: 60_000,
    });
    expect((await service.call(key, "listResources")).structuredContent).toMatchObject({ resources: { length: 2 } });
  });
});
