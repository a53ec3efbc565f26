import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { violations } from "../../../support/axe.ts";
import { launchBrowser, openContext } from "../../../support/editor/browser.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { createGitHubApi, type GitHubApi } from "../../../support/github-api.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";
import { signedIn, testPassword } from "../../../support/visitor.ts";

// Chromium and a database share the machine with the other tests.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const [engine] = testEngines();

describe("GitHub accounts in Chromium", () => {
  let browser: Browser;
  let git: GitServer;
  let github: GitHubApi;
  let service: TestService;
  beforeAll(async () => {
    if (engine === undefined) throw new Error("there is no database engine");
    browser = await launchBrowser();
    git = await startGitServer();
    const callback = () => new URL("/github/callback", service.url).href;
    // The browser resolves no names.
    github = createGitHubApi({ origin: git.origin.replace("localhost", "127.0.0.1"), callback });
    git.intercept((request, response) => github.answer(request, response));
    service = await startService(await engine.createDatabase(), {
      github: github.settings,
      env: { NODE_EXTRA_CA_CERTS: git.caFile },
    });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
    await browser.close();
  });

  test.each(["light", "dark"] as const)("an account is connected and disconnected, in %s", async (colorScheme) => {
    const id = crypto.randomUUID().slice(0, 8);
    const email = `${id}@example.com`;
    const project = await createProject(service.store, `team-${id}`);
    await signedIn({ ...service, project }, email);
    github.installations = [{ id: 1, account: "big", repositories: ["a", "b"], readable: 1 }];
    github.onInstall = () => github.installations.push({ id: 7, account: "acme", repositories: ["a"] });
    const context = await openContext(browser, { colorScheme, ignoreHTTPSErrors: true });
    const page = await context.newPage();
    const check = async () => expect(await violations(page)).toEqual([]);
    await page.goto(new URL(`/p/${project.name}/tokens`, service.url).href);
    await page.getByLabel("E-mail address").fill(email);
    await page.getByLabel("Password").fill(testPassword);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("link", { name: "Connect a GitHub account" }).click();
    await page.getByText("You may read 1 of its 2 repositories.").waitFor();
    await check();
    await page.getByRole("link", { name: "Install the app for an account" }).click();
    await page.getByRole("button", { name: "Connect acme" }).click();
    await page.getByText("The account is connected.").waitFor();
    await check();
    await page.getByRole("button", { name: "Disconnect acme…" }).click();
    await check();
    await page.getByRole("alertdialog").getByRole("button", { name: "Disconnect" }).click();
    await page.getByText("No account is connected.").waitFor();
    await check();
    await context.close();
  });
});
