import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chatStates, chatStateNames } from "../../support/chat-states.ts";
import { launchBrowser } from "../../support/editor/browser.ts";
import { openWebview, type WebviewPage } from "../../support/editor/webview-page.ts";

const themes = ["vscode-dark", "vscode-light", "vscode-high-contrast", "vscode-high-contrast-light"] as const;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

describe.each(chatStateNames)("axe finds nothing in the state %s:", (name) => {
  let webview: WebviewPage;
  beforeAll(async () => {
    webview = await openWebview(browser, { state: chatStates[name] });
    await webview.page.locator(".composer").waitFor();
    // At once: some open by themselves, and one that is no longer closed would be waited for.
    await webview.page.evaluate(
      `for (const fold of document.querySelectorAll(".fold:not([open]) > summary")) fold.click();`,
    );
  });
  afterAll(() => webview[Symbol.asyncDispose]());

  test.each(themes)("%s", async (theme) => {
    await webview.setTheme(theme);
    expect(await violations(webview.page)).toEqual([]);
  });
});

describe.each(themes)("axe finds nothing in %s:", (theme) => {
  test("completion and preview", async () => {
    await using webview = await openWebview(browser, { state: chatStates.answered, theme });
    const { page } = webview;
    await page.getByRole("button", { name: /^layer\.js:31-33 / }).focus();
    await page.getByRole("tooltip").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("textbox").pressSequentially("/");
    await page.getByRole("listbox").waitFor();
    expect(await violations(page)).toEqual([]);
  });
});

/** The side bar's colour lies behind the view in VS Code. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate("document.body.style.background = 'var(--vscode-sideBar-background)'");
  await page.evaluate(axe.source);
  const found = await page.evaluate<string[]>(
    "axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`)))",
  );
  return found;
}
