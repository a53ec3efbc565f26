import path from "node:path";
import { expect, test } from "vitest";
import { Turn } from "../../../extension/webview/messages.ts";
import { chatState } from "../../support/chat-states.ts";
import { launchBrowser } from "../../support/editor/browser.ts";
import { openWebview } from "../../support/editor/webview-page.ts";
import { type AnsweredQuestion, answeredQuestions, turnOf } from "../../support/surfaces/answers.ts";
import { surfacesPage } from "../../support/surfaces/page.ts";

test("the chat says what the other clients say, and docs/development/surfaces.md shows them side by side", async () => {
  await using browser = await launchBrowser();
  const chat = new Map<string, string>();
  for (const [name, asked] of Object.entries(answeredQuestions)) {
    const text = await textOfChat(browser, asked);
    chat.set(name, text);
    const shown = text.replace(/\s+/g, " ");
    const { tally, making, steps = "", results = [], origins = [], before = [], after = "" } = asked.says;
    for (const words of [tally, ...making, steps, ...results.flat(), ...origins, ...before, after])
      expect(shown).toContain(words);
  }
  const file = path.resolve(import.meta.dirname, "../../../docs/development/surfaces.md");
  await expect(await surfacesPage(chat)).toMatchFileSnapshot(file);
});

/** With every fold open. */
async function textOfChat(
  browser: Awaited<ReturnType<typeof launchBrowser>>,
  asked: AnsweredQuestion,
): Promise<string> {
  const state = chatState({ turns: [Turn.parse(turnOf(asked))] });
  await using webview = await openWebview(browser, { state, width: 800 });
  const turn = webview.page.locator("[data-turn]");
  await turn.waitFor();
  const closed = turn.locator("details:not([open]) > summary");
  while ((await closed.count()) > 0) await closed.first().click();
  return await turn.innerText();
}
