import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createOwnerLink } from "../../../../server/hosted/tenants/links.ts";
import { createKey } from "../../../../server/hosted/tenants/keys.ts";
import { createPasswordLink } from "../../../../server/hosted/tenants/password-links.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import type { Project } from "../../../../server/protocol/hosted.ts";
import { packageReference, servedPackageTypes } from "../../../../server/protocol/kinds/names.ts";
import { violations } from "../../../support/axe.ts";
import { launchBrowser, openContext } from "../../../support/editor/browser.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { type PackageRegistries, startPackageRegistries } from "../../../support/package-registries.ts";
import { type ScriptedModel, scriptedModel } from "../../../support/scripted-model.ts";
import { signInProvider } from "../../../support/sign-in-provider.ts";
import { testEngines } from "../../../support/stores.ts";
import { testPassword } from "../../../support/visitor.ts";

// Chromium, a database and a model share the machine with the other tests.
vi.setConfig({ testTimeout: 240_000 });

const [engine] = testEngines();

describe("the web pages in Chromium", () => {
  let browser: Browser;
  let git: GitServer;
  let model: ScriptedModel;
  let registries: PackageRegistries;
  let service: TestService;
  let origin: string;
  beforeAll(async () => {
    if (engine === undefined) throw new Error("there is no database engine");
    browser = await launchBrowser();
    git = await startGitServer();
    const lines = Array.from({ length: 80 }, (_, index) => lineAt(index + 1));
    await git.commit("lib", { "retry.ts": `${lines.join("\n")}\n` });
    model = await scriptedModel(({ toolResults }) =>
      toolResults.length === 0
        ? { toolCalls: [{ name: "read", input: { path: "retry.ts" } }] }
        : {
            text: [
              "It retries ",
              "[[lib:retry.ts#L40-L42]].\n\n",
              "## Why\n\n`line40` says so. <img src=x onerror=alert(1)>\n\n",
              `\`\`\`ts\n${lines.slice(39, 42).join("\n")}\n\`\`\``,
            ],
          },
    );
    registries = await startPackageRegistries("how otters retry");
    service = await startService(await engine.createDatabase(), {
      registries: registries.urls,
      config: { ...model.config },
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
      snippetsFor: ({ url, key }) =>
        ["Editor", "Terminal"].map((client) => ({ client, file: `${client}.json`, text: `${client} ${url} ${key}` })),
    });
    ({ origin } = new URL(service.url));
    const key = await service.key();
    await service.call(key, "addResource", { type: "git", name: "lib", url: git.url("lib") });
    await service.untilFetched();
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
    await registries[Symbol.asyncDispose]();
    await browser.close();
  });

  async function openPage(
    options: { permissions?: string[]; javaScriptEnabled?: boolean; colorScheme?: "light" | "dark" } = {},
  ): Promise<Page> {
    const page = await (await openContext(browser, options)).newPage();
    page.on("pageerror", (error) => expect(error).toBeUndefined());
    return page;
  }

  /** With an account of its own: the attempts to sign in with one are limited. */
  async function signIn(page: Page, project: Project = service.project): Promise<void> {
    const { token } = await createOwnerLink(service.store, project);
    await page.goto(`${origin}/link/${token}`);
    await page.getByLabel("E-mail address").fill(`${crypto.randomUUID().slice(0, 8)}@example.com`);
    await page.getByLabel("Password").fill(testPassword);
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByRole("heading", { level: 1, name: project.name, exact: true }).waitFor();
  }

  async function makeKey(page: Page, name: string): Promise<string> {
    await page.getByRole("link", { name: "Keys" }).click();
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Create the key" }).click();
    return (await page.getByRole("group", { name: "The key", exact: true }).textContent())?.trim() ?? "";
  }

  test("the key is copied by a button", async () => {
    const page = await openPage({ permissions: ["clipboard-read", "clipboard-write"] });
    await signIn(page);
    const key = await makeKey(page, "copied");
    await page.getByRole("button", { name: "Copy The key" }).click();
    await page.getByText("Copied", { exact: true }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(key);
    await page.context().close();
  });

  const statusOf = async (key: string) => (await service.send(key, { jsonrpc: "2.0", id: 1, method: "ping" })).status;

  async function askAndOpen(page: Page): Promise<void> {
    await page.getByRole("link", { name: "Ask", exact: true }).click();
    await page.getByLabel("Question").fill("How often does it retry?");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByText("Answer complete. 1 citation: 1 verified.").waitFor();
    await page.getByRole("heading", { level: 3, name: "Why" }).waitFor();
    expect(await page.locator(".answer img").count()).toBe(0);
    await page.getByRole("link", { name: "retry.ts:40-42 (verified)" }).click();
    await page.getByRole("heading", { level: 1, name: "retry.ts" }).waitFor();
    expect(await page.locator("mark").allTextContents()).toEqual([40, 41, 42].map((n) => `${n}${lineAt(n)}\n`));
  }

  test.each([true, false])(
    "a newcomer signs in by the link, makes, uses, rotates and revokes a key, asks and opens a citation; script: %s",
    async (javaScriptEnabled) => {
      const page = await openPage({ javaScriptEnabled });
      await signIn(page);
      const name = `<b>agent ${crypto.randomUUID().slice(0, 8)}</b>`;
      const key = await makeKey(page, name);
      expect(await statusOf(key)).toBe(200);
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain(name);
      await page.getByRole("link", { name: "Back to the keys" }).click();
      const rotate = page.getByRole("button", { name: `Rotate ${name}` });
      await rotate.waitFor();
      expect(await page.content()).not.toContain(key);
      await rotate.click();
      const next = (await page.getByRole("group", { name: "The key", exact: true }).textContent())?.trim() ?? "";
      expect([await statusOf(key), await statusOf(next)]).toEqual([200, 200]);
      await page.getByRole("link", { name: "Back to the keys" }).click();
      await page
        .getByRole("button", { name: `Revoke ${name}` })
        .last()
        .click();
      const question = page.getByRole("alertdialog", { name: `Revoke ${name}?` });
      if (javaScriptEnabled) expect(await violations(page)).toEqual([]);
      expect(await page.locator(":focus").textContent()).toBe("Cancel");
      await page.keyboard.press("Enter");
      await question.waitFor({ state: "hidden" });
      expect(await statusOf(next)).toBe(200);
      await page
        .getByRole("button", { name: `Revoke ${name}` })
        .last()
        .click();
      await question.getByRole("button", { name: "Revoke" }).click();
      await page.getByText("The key is revoked").waitFor();
      expect(await statusOf(next)).toBe(401);
      await askAndOpen(page);
      // With script the cited lines are a dialog over the page.
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
      await page.context().close();
    },
  );

  test("an answer is copied as Markdown, when it has been streamed and when it is opened again", async () => {
    const page = await openPage({ permissions: ["clipboard-read", "clipboard-write"] });
    await signIn(page);
    await page.getByRole("link", { name: "Ask", exact: true }).click();
    await page.getByLabel("Question").fill("How often does it retry?");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload();
      await page.evaluate("navigator.clipboard.writeText('')");
      await page.getByRole("button", { name: "Copy the answer" }).click();
      await page.getByText("Copied", { exact: true }).waitFor();
      const copied = await page.evaluate("navigator.clipboard.readText()");
      expect(copied).toContain("> How often does it retry?");
      expect(copied).toContain("**Sources**");
    }
    await page.context().close();
  });

  test.each([true, false])("the key page shows the settings of one client; script: %s", async (javaScriptEnabled) => {
    const page = await openPage({ javaScriptEnabled });
    await page.setViewportSize({ width: 390, height: 800 });
    await signIn(page);
    await makeKey(page, "picked");
    const settings = page.getByRole("group", { name: /^Settings for/ });
    expect(await settings.allTextContents()).toEqual([expect.stringMatching(/^Editor /)]);
    await page.getByRole("radio", { name: "Editor" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await settings.allTextContents()).toEqual([expect.stringMatching(/^Terminal /)]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await page.context().close();
  });

  test("a long list is filtered where script is on; what is ticked stays in sight", async () => {
    const many = await createProject(service.store, `many-${crypto.randomUUID().slice(0, 8)}`);
    const { key } = await createKey(service.store, many, { name: "agent", scopes: ["manage"] });
    for (let index = 10; index < 22; index++) {
      await service.call(key, "addResource", { type: "git", name: `lib-${index}`, url: git.url("lib") });
    }
    const page = await openPage();
    await signIn(page, many);
    await page.goto(`${origin}/p/${many.name}/resources`);
    const rows = page.getByRole("region", { name: "Resources of this project" }).getByRole("button", { name: "Sync" });
    expect(await rows.count()).toBe(12);
    await page.getByRole("searchbox", { name: "Filter the resources" }).fill("LIB -21");
    await page.getByText("1 of 12", { exact: true }).waitFor();
    expect(await rows.count()).toBe(1);
    // What the buttons of a row say is no reason to find it.
    await page.getByRole("searchbox", { name: "Filter the resources" }).fill("remove");
    await page.getByText("0 of 12", { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goto(`${origin}/p/${many.name}/ask`);
    await page.getByRole("checkbox", { name: "lib-10" }).check();
    await page.getByRole("searchbox", { name: "Filter the resources" }).fill("lib-21");
    await page.keyboard.press("Enter");
    await page.getByText("2 of 12", { exact: true }).waitFor();
    expect(await page.getByRole("checkbox").count()).toBe(2);
    await page.goto(`${origin}/p/${many.name}/audit`);
    await page.getByRole("searchbox", { name: "Find entries" }).fill("LIB-13");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=LIB-13/);
    expect(await page.locator("tbody tr").count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await page.context().close();
    const plain = await openPage({ javaScriptEnabled: false });
    await signIn(plain, many);
    await plain.goto(`${origin}/p/${many.name}/resources`);
    await plain.getByRole("button", { name: "Sync lib-10" }).waitFor();
    expect(await plain.getByRole("searchbox").count()).toBe(0);
    await plain.context().close();
  });

  test.each([1280, 320])(
    "what begins a line begins at one edge, and nothing is off the screen at %i px",
    async (width) => {
      const page = await openPage();
      await page.setViewportSize({ width, height: 800 });
      await signIn(page);
      await askAndOpen(page);
      await page.getByRole("button", { name: "Close" }).click();
      await page.getByRole("button", { name: "Share this conversation" }).click();
      await page.getByRole("link", { name: "Still true?" }).click();
      await page.getByText("1 citation: 1 unchanged.").waitFor();
      expect(await violations(page)).toEqual([]);
      const shared = new URL(page.url()).pathname.split("/").slice(3).join("/");
      const access = "/resources/access?resource=lib";
      await page.goto(`${origin}/p/${service.project.name}${access}`);
      expect(await violations(page)).toEqual([]);
      for (const path of [
        "",
        "/ask",
        `/${shared}`,
        "/resources",
        access,
        "/keys",
        "/tokens",
        "/webhook",
        "/members",
        "/usage",
        "/audit",
      ]) {
        await page.goto(`${origin}/p/${service.project.name}${path}`);
        const edges = await page.evaluate<number[]>(
          "['.brand', 'nav a', 'h1'].map((part) => Math.round(document.querySelector(part).getBoundingClientRect().left))",
        );
        expect([path, new Set(edges).size]).toEqual([path, 1]);
        const cut = await page.evaluate<string[]>(
          `[...document.querySelectorAll("button, caption, th, td")].filter((part) => !part.closest("thead") && part.checkVisibility())
          .filter((part) => { const { left, right, width } = part.getBoundingClientRect(); return left < 0 || right > innerWidth || width < 20; })
          .map((part) => part.outerHTML)`,
        );
        expect([path, cut]).toEqual([path, []]);
      }
      await page.context().close();
    },
  );

  test("the answer is sent as a stream where script is on", async () => {
    const page = await openPage();
    await signIn(page);
    const streamed = page.waitForResponse((response) => response.url().endsWith("/ask/stream"));
    await askAndOpen(page);
    expect((await streamed).headers()["content-type"]).toBe("text/event-stream");
    await page.context().close();
  });

  test.each([true, false])(
    "a conversation goes on, is opened again and is deleted; script: %s",
    async (javaScriptEnabled) => {
      const page = await openPage({ javaScriptEnabled });
      await signIn(page);
      await page.getByRole("link", { name: "Ask", exact: true }).click();
      const turns = page.getByRole("article");
      for (const [index, question] of ["How often does it retry?", "And <then>?"].entries()) {
        await page.getByLabel(index === 0 ? "Question" : "Follow-up question").fill(question);
        await page.getByRole("button", { name: "Ask", exact: true }).click();
        await turns.nth(index).getByText("openai-compat/scripted").waitFor();
        await page.getByText("Answer complete. 1 citation").waitFor();
        expect(await turns.count()).toBe(index + 1);
      }
      expect(await turns.getByRole("heading", { level: 2 }).allTextContents()).toEqual([
        "How often does it retry?",
        "And <then>?",
      ]);
      expect(await page.getByLabel("Follow-up question").inputValue()).toBe("");
      if (javaScriptEnabled) await page.reload();
      else {
        await page.getByRole("link", { name: "New conversation" }).click();
        await page.getByRole("link", { name: "How often does it retry?" }).first().click();
      }
      await page.waitForURL(/\/ask\/[0-9a-f]{12}$/);
      expect(await turns.count()).toBe(2);
      expect(await page.getByRole("link", { name: "retry.ts:40-42 (verified)" }).count()).toBe(2);
      // axe runs as a script of the page.
      if (javaScriptEnabled) expect(await violations(page)).toEqual([]);
      await page.getByRole("button", { name: "Delete this conversation…" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Delete this conversation" }).click();
      await page.getByText("The conversation is deleted.").waitFor();
      await page.context().close();
    },
  );

  test("a citation opens over the conversation, which gets the focus back; its page can be opened", async () => {
    const page = await openPage();
    await signIn(page);
    await askAndOpen(page);
    const dialog = page.getByRole("dialog", { name: "Cited lines" });
    await dialog.getByRole("heading", { name: "retry.ts" }).waitFor();
    // The heading is scrolled away where the cited lines are far down.
    expect(await dialog.locator("#source-name").textContent()).toBe("retry.ts");
    expect(await page.locator(":focus").textContent()).toBe("Close");
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    expect(await page.locator(":focus").textContent()).toContain("retry.ts:40-42");
    await page.keyboard.press("Enter");
    await dialog.getByRole("link", { name: "Open as a page" }).click();
    await page.waitForURL(/\/source\?resource=lib/);
    expect(await page.locator("mark").count()).toBe(3);
    await page.context().close();
  });

  test.each(["a conversation", "what is shared"])(
    "the cited lines of %s are beside a citation by pointer and by keyboard, until Escape",
    async (kind) => {
      const page = await openPage();
      await page.setViewportSize({ width: 320, height: 640 });
      await signIn(page);
      await askAndOpen(page);
      await page.keyboard.press("Escape");
      if (kind === "what is shared") await page.getByRole("button", { name: "Share this conversation" }).click();
      const cite = page.getByRole("link", { name: "retry.ts:40-42 (verified)" });
      const preview = page.getByRole("tooltip");
      await page.mouse.move(0, 0);
      await preview.waitFor({ state: "hidden" });
      await cite.hover();
      await preview.getByText("retry.ts:40-42, verified").waitFor();
      expect(await preview.locator(".row").allTextContents()).toEqual([40, 41, 42].map((n) => `${n}${lineAt(n)}\n`));
      expect(await preview.locator(".keyword").first().textContent()).toBe("export");
      await preview.hover();
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      const { x = -1, width = 0 } = (await preview.boundingBox()) ?? {};
      expect([x >= 0, x + width <= 320]).toEqual([true, true]);
      await page.mouse.move(0, 0);
      await preview.waitFor({ state: "hidden" });
      // By keyboard: from what is before it.
      await page.locator("h2.question").focus();
      for (let tabs = 0; tabs < 40 && (await cite.getAttribute("aria-describedby")) === null; tabs++) {
        await page.keyboard.press("Tab");
        if ((await page.locator("a.cite:focus").count()) > 0) await preview.waitFor();
      }
      expect(await cite.getAttribute("aria-describedby")).toBe(await preview.getAttribute("id"));
      await page.keyboard.press("Escape");
      await preview.waitFor({ state: "hidden" });
      expect(await page.locator("a.cite:focus").count()).toBe(1);
      await page.context().close();
    },
  );

  test("the preview of lines that the reader may not see any more says so", async () => {
    const page = await openPage();
    await signIn(page);
    await askAndOpen(page);
    await page.keyboard.press("Escape");
    await page.reload();
    await page.route(/\/source\?/, (route) => route.continue({ url: route.request().url().replace("lib", "gone") }));
    await page.getByRole("link", { name: "retry.ts:40-42 (verified)" }).hover();
    const preview = page.getByRole("tooltip");
    await preview.waitFor();
    expect(await preview.textContent()).toBe('retry.ts:40-42, verifiedNo resource named "gone".');
    await page.context().close();
  });

  test("a question is asked again where its answer is; cited code is copied without the numbers of its lines", async () => {
    const page = await openPage({ permissions: ["clipboard-read", "clipboard-write"] });
    await signIn(page);
    await askAndOpen(page);
    await page.keyboard.press("Escape");
    const code = page.locator(".answer pre code");
    const numbers = "[...document.querySelectorAll('.answer [data-line]')].map((line) => line.dataset.line)";
    expect(await page.evaluate(numbers)).toEqual(["40", "41", "42"]);
    await page.evaluate("getSelection().selectAllChildren(document.querySelector('.answer pre code'))");
    await page.keyboard.press("ControlOrMeta+c");
    const copied = [40, 41, 42].map(lineAt).join("\n");
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(copied);
    await page.getByRole("button", { name: "Ask again How often does it retry?…" }).click();
    expect(await violations(page)).toEqual([]);
    const asked = page.waitForResponse((response) => response.url().endsWith("/ask/stream"));
    await page.getByRole("alertdialog").getByRole("button", { name: "Ask again" }).click();
    await asked;
    await page.getByText("Answer complete. 1 citation: 1 verified.").waitFor();
    await code.locator("[data-line]").first().waitFor();
    expect(await page.getByRole("article").count()).toBe(1);
    await page.reload();
    expect(await page.getByRole("article").count()).toBe(1);
    await page.context().close();
  });

  test("usage and limits fit a window of 320 px, and the chart needs no inline style", async () => {
    const page = await openPage();
    await signIn(page);
    await askAndOpen(page);
    await page.getByRole("button", { name: "Close" }).click();
    await page.setViewportSize({ width: 320, height: 640 });
    const faults: string[] = [];
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    await page.getByRole("link", { name: "Usage" }).click();
    await page.locator("figure svg rect[height='100']").first().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    // The label of a value ends before the value: a wider one would be written over it.
    const covered = await page.evaluate<string[]>(
      `[...document.querySelectorAll(".rows td")].filter((cell) => {
        const { width } = getComputedStyle(cell, "::before");
        return parseFloat(width) > parseFloat(getComputedStyle(cell).paddingLeft);
      }).map((cell) => cell.dataset.label)`,
    );
    expect(covered).toEqual([]);
    await page.getByText("Change the limits of this project").click();
    await page.getByRole("textbox", { name: "Questions a month" }).fill("1000");
    await page.getByRole("button", { name: "Save the limits" }).click();
    await page.getByText("The limits are saved.").waitFor();
    await page.getByRole("meter", { name: "Questions a month" }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test.each([true, false])(
    "the resources show how a fetch ends, and take what is pasted; script: %s",
    async (javaScriptEnabled) => {
      git.intercept(undefined);
      const project = await createProject(service.store, `fetched-${crypto.randomUUID().slice(0, 8)}`);
      const { key } = await createKey(service.store, project, { name: "agent", scopes: ["manage"] });
      await service.call(key, "addResource", { type: "git", name: "lib", url: git.url("lib") });
      await service.untilFetched(project.id);
      const page = await openPage({ javaScriptEnabled });
      await signIn(page, project);
      await page.getByRole("link", { name: "Resources" }).first().click();
      await page.getByText("All resources are fetched.").waitFor();
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      git.intercept(async (_request, response) => {
        await released;
        response.writeHead(503).end();
        return true;
      });
      const untilShown = async () => {
        if (javaScriptEnabled) return;
        await service.untilFetched(project.id);
        await page.reload();
      };
      const sync = page.getByRole("button", { name: "Sync lib" });
      await sync.click();
      await page.getByText("1 resource is being fetched.").waitFor();
      await page.getByText("Load this page again").waitFor({ state: javaScriptEnabled ? "hidden" : "visible" });
      if (javaScriptEnabled) await page.getByText("looking for the newest revision").waitFor();
      await sync.focus();
      release();
      await untilShown();
      await page.getByText("1 resource could not be fetched.").waitFor();
      await page.getByText("Questions are answered from the last snapshot. Fetching fails:").waitFor();
      if (javaScriptEnabled) {
        expect(await page.locator(":focus").getAttribute("aria-label")).toBe("Sync lib");
        expect(await violations(page)).toEqual([]);
      }
      git.intercept(undefined);
      await sync.click();
      await untilShown();
      await page.getByText("All resources are fetched.").waitFor();
      await page.getByRole("textbox", { name: "Address or package" }).fill(`git clone ${git.url("lib")}`);
      await page.getByRole("textbox", { name: "Name" }).fill("pasted");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("The resource is added and being fetched.").waitFor();
      await untilShown();
      await page.getByText("All resources are fetched.").waitFor();
      await page.getByRole("button", { name: "Remove pasted…" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
      await page.getByText("The resource is removed.").waitFor();
      await page.context().close();
    },
  );

  test.each(["light", "dark"] as const)(
    "a package of each ecosystem is added and asked about; %s",
    async (colorScheme) => {
      const page = await openPage({ colorScheme });
      const project = await createProject(service.store, `packages-${crypto.randomUUID().slice(0, 8)}`);
      await signIn(page, project);
      await page.goto(`${origin}/p/${project.name}/resources`);
      for (const { type, package: name } of registries.all) {
        await page.getByRole("textbox", { name: "Address or package" }).fill(packageReference(type, name));
        await page.getByRole("textbox", { name: "Name" }).fill(type);
        await page.getByRole("button", { name: "Add", exact: true }).click();
        await page.getByText("The resource is added and being fetched.").waitFor();
        await page.getByRole("row", { name: new RegExp(`^${type} .*${name}`) }).waitFor();
      }
      await page.getByText("All resources are fetched.").waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByRole("textbox", { name: "Address or package" }).fill("java:jdk");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("Add its repository instead: https://github.com/openjdk/jdk.").waitFor();
      await page.goto(`${origin}/p/${project.name}/ask`);
      for (const type of servedPackageTypes) await page.getByRole("checkbox", { name: type, exact: true }).waitFor();
      await page.context().close();
    },
  );

  test("a form on another port is refused, though the browser sends the cookie", async () => {
    await using other = await startService(await (engine ?? fail()).createDatabase());
    const page = await openPage();
    await signIn(page);
    const action = `${origin}/p/${service.project.name}/keys`;
    await page.route(`${new URL(other.url).origin}/form`, (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<form method="post" action="${action}"><input name="name" value="x"><input name="scopes" value="read"><button>Send</button></form>`,
      }),
    );
    await page.goto(`${new URL(other.url).origin}/form`);
    const refused = page.waitForResponse(action);
    await page.getByRole("button", { name: "Send" }).click();
    expect((await refused).status()).toBe(403);
    await page.context().close();
  });

  test("a newcomer signs in with the team's provider, and axe finds nothing on those pages", async () => {
    await using provider = await signInProvider();
    const { issuer, clientId, clientSecret } = provider;
    const oidc = { issuer, clientId, clientSecret, domains: ["example.com"] };
    await using team = await startService(await (engine ?? fail()).createDatabase(), { oidc });
    provider.person = { subject: "ann", email: "ann@example.com", isVerified: true };
    const page = await openPage();
    await page.goto(new URL(`/p/${team.project.name}/ask`, team.url).href);
    expect(await violationsInBoth(page)).toEqual([]);
    await page.getByRole("link", { name: `Sign in with ${new URL(issuer).host}` }).click();
    await page.getByRole("heading", { level: 1, name: "Ask" }).waitFor();
    await page.getByRole("link", { name: "ann@example.com" }).click();
    await page.getByText(`${issuer} as ann`).waitFor();
    expect(await violationsInBoth(page)).toEqual([]);
    await page.getByRole("link", { name: "Connect" }).click();
    await page.getByText("The provider is connected").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    provider.person = undefined;
    const { token } = await createPasswordLink(team.store, "ann@example.com");
    await page.goto(new URL(`/password/${token}`, team.url).href);
    expect(await violationsInBoth(page)).toEqual([]);
    await page.getByLabel("New password").fill(testPassword);
    await page.getByRole("button", { name: "Set the password" }).click();
    await page.getByRole("heading", { level: 1, name: team.project.name }).waitFor();
    await page.context().close();
  });

  async function violationsInBoth(page: Page): Promise<unknown[]> {
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await violations(page);
    await page.emulateMedia({ colorScheme: "light" });
    return [...dark, ...(await violations(page))];
  }

  test("script in the page does not run", async () => {
    const page = await openPage();
    await page.goto(`${origin}/sign-in`);
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.ran = true' }))",
    );
    expect(await page.evaluate("window.ran")).toBeUndefined();
    await page.context().close();
  });

  test.each(["light", "dark"] as const)("axe finds nothing in %s", async (colorScheme) => {
    const page = await openPage({ colorScheme });
    const { token } = await createOwnerLink(service.store, service.project);
    for (const path of ["sign-in", `link/${token}`, "absent"]) {
      await page.goto(`${origin}/${path}`);
      expect([path, await violations(page)]).toEqual([path, []]);
    }
    await page.goto(`${origin}/sign-in`);
    await page.getByLabel("E-mail address").fill("ada@example.com");
    await page.getByLabel("Password").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    expect(await violations(page)).toEqual([]);
    await signIn(page);
    expect(await violations(page)).toEqual([]);
    await makeKey(page, `axe ${colorScheme}`);
    await page.getByText("Editor", { exact: true }).click();
    expect(await violations(page)).toEqual([]);
    for (const path of [
      "keys",
      "resources",
      "resources?q=lib",
      "followed",
      "groups",
      "tokens",
      "webhook",
      "members",
      "usage",
      "audit",
      "ask",
    ]) {
      await page.goto(`${origin}/p/${service.project.name}/${path}`);
      expect([path, await violations(page)]).toEqual([path, []]);
    }
    await page.goto(`${origin}/p/${service.project.name}/keys`);
    await page.getByLabel("Name").fill("x".repeat(101));
    await page.getByRole("button", { name: "Create the key" }).click();
    await page.getByRole("alert").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("link", { name: "Ask", exact: true }).click();
    await page.getByLabel("Question").fill("How often does it retry?");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByText("Answer complete. 1 citation").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goto(`${origin}/p/${service.project.name}/ask`);
    await page.getByRole("button", { name: "Delete How often" }).first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("link", { name: "How often does it retry?" }).first().click();
    await page.getByRole("link", { name: "retry.ts:40-42" }).first().click();
    await page.locator("mark").first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.context().close();
  });
});

/** A line of the cited file, wider than a telephone. */
function lineAt(number: number): string {
  return `export const line${number} = ${number}; // How often a request is sent again after it has failed.`;
}

function fail(): never {
  throw new Error("there is no database engine");
}
