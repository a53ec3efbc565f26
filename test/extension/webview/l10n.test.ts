import { readFileSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { chatStateNames, chatStates } from "../../support/chat-states.ts";
import { launchBrowser } from "../../support/editor/browser.ts";
import { openWebview } from "../../support/editor/webview-page.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const bundle = readFileSync(path.resolve(import.meta.dirname, "../../../l10n/bundle.l10n.json"), "utf8");
const english = Object.keys(z.record(z.string(), z.string()).parse(JSON.parse(bundle)));
/** A language whose sentences are all longer than the English ones, and told from them at a glance. */
const pseudo = Object.fromEntries(english.map((sentence) => [sentence, `⟦${sentence} ~~~~⟧`]));

test.each(chatStateNames)("in another language nothing of the page stays English: %s", async (name) => {
  await using webview = await openWebview(browser, { state: chatStates[name], translations: pseudo });
  await webview.page.getByRole("textbox").first().waitFor();
  const texts = z.array(z.string()).parse(
    await webview.page.evaluate(`[...document.body.querySelectorAll("*:not(script)")].flatMap((element) => [
      ...["aria-label", "title", "placeholder"].map((name) => element.getAttribute(name) ?? ""),
      ...[...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.textContent.trim()),
    ])`),
  );
  expect(texts.some((text) => text.includes("⟦"))).toBe(true);
  expect(texts.filter((text) => english.includes(text))).toEqual([]);
});
