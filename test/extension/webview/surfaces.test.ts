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
    const {
      tally,
      making,
      steps = "",
      results = [],
      places = [],
      origins = [],
      before = [],
      configuration = "",
      after = "",
    } = asked.says;
    for (const words of [
      tally,
      ...making,
      steps,
      ...results.flat(),
      ...places,
      ...origins,
      ...before,
      configuration,
      after,
    ])
      expect(shown).toContain(words);
  }
  const file = path.resolve(import.meta.dirname, "../../../docs/development/surfaces.md");
  await expect(await surfacesPage(chat)).toMatchFileSnapshot(file);
});

/** Opens every fold. */
async function textOfChat(
  browser: Awaited<ReturnType<typeof launchBrowser>>,
  asked: AnsweredQuestion,
): Promise<string> {
  const state = chatState({ turns: [Turn.parse(turnOf(asked))] });
  await using webview = await openWebview(browser, { state, width: 800 });
  const turn = webview.page.locator("[data-turn]");
  await turn.waitFor();
  const folded = turn.locator("details:not(:has(> .fold-body))");
  while ((await folded.count()) > 0) {
    const fold = await folded.first().elementHandle();
    await (await fold?.$("summary"))?.click();
    // What unfolds may have folds of its own.
    await fold?.waitForSelector(":scope > .fold-body");
  }
  return await turn.innerText();
}
