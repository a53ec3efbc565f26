import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { violations } from "../../../support/axe.ts";
import { launchBrowser, openContext } from "../../../support/editor/browser.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { type MailServer, type ReceivedMail, startMailServer } from "../../../support/mail-server.ts";
import { testEngines } from "../../../support/stores.ts";
import { signedIn } from "../../../support/visitor.ts";

// Chromium and a database share the machine with the other tests.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const [engine] = testEngines();

describe("mail in Chromium", () => {
  let browser: Browser;
  let mails: MailServer;
  let service: TestService;
  beforeAll(async () => {
    if (engine === undefined) throw new Error("there is no database engine");
    browser = await launchBrowser();
    mails = await startMailServer();
    service = await startService(await engine.createDatabase(), {
      mail: { url: mails.url, from: "citewell@example.com" },
      env: { NODE_EXTRA_CA_CERTS: mails.caFile },
    });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await mails[Symbol.asyncDispose]();
    await browser.close();
  });

  /** The next one to this address; those of an earlier try were to others. */
  async function mailTo(address: string): Promise<ReceivedMail> {
    for (;;) {
      const mail = await mails.next();
      if (mail.to.includes(address)) return mail;
    }
  }

  test.each([
    { colorScheme: "light", javaScriptEnabled: true },
    { colorScheme: "dark", javaScriptEnabled: true },
    { colorScheme: "dark", javaScriptEnabled: false },
  ] as const)("an owner signs in by mail and invites: %j", async ({ colorScheme, javaScriptEnabled }) => {
    const id = crypto.randomUUID().slice(0, 8);
    const [email, guest] = [`${id}@example.com`, `guest-${id}@example.com`];
    await signedIn(service, email);
    const page = await (await openContext(browser, { colorScheme, javaScriptEnabled })).newPage();
    // Without script, axe does not run.
    const check = async () => expect(javaScriptEnabled ? await violations(page) : []).toEqual([]);
    await page.goto(new URL(`/p/${service.project.name}/members`, service.url).href);
    await check();
    await page.locator("#mail").fill(email);
    await page.getByRole("button", { name: "Send me a link" }).click();
    await page.getByRole("heading", { level: 1, name: "Check your mail" }).waitFor();
    await check();
    await page.goto((await mailTo(email)).link);
    await page.getByText("proves for the first time").waitFor();
    await check();
    await page.getByRole("button", { name: `Sign in as ${email}` }).click();
    await page.getByRole("heading", { level: 1, name: "Members" }).waitFor();
    await page.getByLabel("E-mail address").fill(guest);
    await page.getByRole("button", { name: "Invite" }).click();
    await page.getByText(`The invitation was sent to ${guest}`).waitFor();
    expect((await mailTo(guest)).to).toEqual([guest]);
    await check();
    await page.goto(new URL("/account", service.url).href);
    await page.getByRole("button", { name: "Send me a link" }).click();
    await page.getByText("A mail with a link to set a new password was sent.").waitFor();
    expect((await mailTo(email)).to).toEqual([email]);
    await check();
    await page.context().close();
  });
});
