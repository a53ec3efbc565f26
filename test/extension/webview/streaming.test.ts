import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chatState, turn } from "../../support/chat-states.ts";
import { launchBrowser } from "../../support/editor/browser.ts";
import { openWebview } from "../../support/editor/webview-page.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** 2,000 lines with everything that Markdown has, in pieces as a model sends them. */
const sections = Array.from({ length: 200 }, (_, index) =>
  [
    `## Part ${index}`,
    "",
    `A paragraph with **bold** words and \`code\`, number ${index}.`,
    "",
    "1. one",
    "2. two",
    "",
    "```js",
    `const part = ${index};`,
    "```",
  ].join("\n"),
);
const text = `${sections.join("\n\n")}\n\nThe end.`;
const running = turn({ status: "running" });

const distanceToEnd = (page: Page) =>
  page.locator(".log").evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight);

test("2,000 lines stream in without moving or redrawing what is above", async () => {
  await using webview = await openWebview(browser, { state: chatState({ turns: [running] }) });
  const { page } = webview;
  await page.locator(".pulse").waitFor();
  const half = text.slice(0, text.length / 2);
  await webview.post({ type: "event", event: { type: "text.delta", delta: half } });
  await page.getByRole("heading", { name: "Part 90" }).waitFor();
  // The colours of code come when the page is idle; the last block may be incomplete.
  await expect.poll(() => page.locator("figure.code:not(:has(.hljs-keyword))").count()).toBeLessThan(2);
  await page.locator(".log").evaluate((log) => log.scrollTo(0, 600));
  await page.getByRole("button", { name: "Jump to latest" }).waitFor();
  const measure = () =>
    page.evaluate<number[]>(
      "[document.querySelector('.log').scrollTop, ...[...document.querySelectorAll('.block')].slice(0, 60).map((block) => block.getBoundingClientRect().top)]",
    );
  const before = await measure();
  await page.evaluate(
    "window.changed = new Set(); window.watched = new MutationObserver((all) => { for (const { target } of all) { const block = (target.nodeType === 1 ? target : target.parentElement).closest('.block'); if (block) changed.add([...block.parentElement.children].indexOf(block)); } }); watched.observe(document.querySelector('.markdown'), { subtree: true, childList: true, characterData: true })",
  );
  for (const delta of pieces(text.slice(half.length))) {
    await webview.post({ type: "event", event: { type: "text.delta", delta } });
  }
  await webview.post({ type: "event", event: { type: "done", ...running.answer, text } });
  await page.getByText("The end.").waitFor();
  expect(await measure()).toEqual(before);
  const first = await page.evaluate<number>("Math.min(...changed)");
  expect(first).toBeGreaterThan(300);

  await page.getByRole("button", { name: "Jump to latest" }).click();
  await expect.poll(() => distanceToEnd(page)).toBeLessThan(2);
});

test("an answer is followed until its question is at the top, also when it has ended", async () => {
  const before = turn({ id: "before", answer: { text: text.slice(0, 4000) } });
  await using webview = await openWebview(browser, { state: chatState({ turns: [before] }) });
  const { page } = webview;
  const top = () =>
    page.evaluate<number>(
      "document.querySelector('[data-turn=now]').getBoundingClientRect().top - document.querySelector('.log').getBoundingClientRect().top",
    );
  const now = turn({ id: "now", status: "running" });
  await webview.post({ type: "started", turn: now });
  await webview.post({ type: "event", event: { type: "text.delta", delta: "The first line." } });
  await page.getByText("The first line.").waitFor();
  await expect.poll(() => distanceToEnd(page)).toBeLessThan(2);
  for (const delta of pieces(text.slice(0, 8000))) {
    await webview.post({ type: "event", event: { type: "text.delta", delta } });
  }
  await page.locator("[data-turn=now]").getByRole("heading", { name: "Part 40" }).waitFor({ state: "attached" });
  await expect.poll(top).toBeLessThan(20);
  expect(await top()).toBeGreaterThanOrEqual(0);
  await webview.post({ type: "event", event: { type: "done", ...now.answer, text: text.slice(0, 8000) } });
  await webview.post({ type: "ended", outcome: { status: "done" } });
  await page.locator("[data-turn=now] .answer-footer").waitFor({ state: "attached" });
  expect(await top()).toBeLessThan(20);
  await page.getByRole("button", { name: "Jump to latest" }).waitFor();
});

test("what follows the last answer is not waited for", async () => {
  const followUps = ["Who calls `next`?", "Where is `next` tested?", "How does `handle` work?"];
  const state = chatState({ turns: [turn({ answer: { text: "The first line." } })], followUps });
  await using webview = await openWebview(browser, { state, height: 330 });
  await webview.page.getByRole("button", { name: "Who calls `next`?" }).waitFor({ state: "attached" });
  await expect.poll(() => distanceToEnd(webview.page)).toBeGreaterThan(32);
  await expect.poll(() => webview.page.getByRole("button", { name: "Jump to latest" }).count()).toBe(0);
});

test("a conversation that is opened shows its last question at the top", async () => {
  const turns = ["one", "two", "three"].map((id) => turn({ id, answer: { text: text.slice(0, 6000) } }));
  await using webview = await openWebview(browser, { state: chatState({ turns }) });
  const { page } = webview;
  await page.locator("[data-turn=three] .question-text").waitFor();
  await expect
    .poll(() =>
      page.evaluate<number>(
        "Math.abs(document.querySelector('[data-turn=three]').getBoundingClientRect().top - document.querySelector('.log').getBoundingClientRect().top)",
      ),
    )
    .toBeLessThan(20);
});

test("the end is followed while the reader is there", async () => {
  await using webview = await openWebview(browser, { state: chatState({ turns: [running] }) });
  await webview.post({ type: "event", event: { type: "text.delta", delta: text.slice(0, 4000) } });
  await webview.page.getByRole("button", { name: "Jump to latest" }).click();
  for (const delta of pieces(text.slice(4000, 8000))) {
    await webview.post({ type: "event", event: { type: "text.delta", delta } });
  }
  await webview.page.getByRole("heading", { name: "Part 40" }).waitFor();
  await expect.poll(() => distanceToEnd(webview.page)).toBeLessThan(2);
});

test("text that comes in pieces reads as text that comes at once", async () => {
  const markdown = `${sections[0]}\n\n1. a\n\n2. b\n   - c\n\n3. d\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n${Array.from({ length: 30 }, (_, index) => `- item ${index}`).join("\n")}\n\n[ref]: https://a.test\n\n[ref] ~~~\n\n> q\n\n\`\`\`\nopen`;
  await using inPieces = await openWebview(browser, { state: chatState({ turns: [running] }) });
  await inPieces.page.locator(".pulse").waitFor();
  for (const delta of pieces(markdown)) {
    await inPieces.post({ type: "event", event: { type: "text.delta", delta } });
  }
  await using atOnce = await openWebview(browser, {
    state: chatState({ turns: [turn({ status: "running", answer: { text: markdown } })] }),
  });
  const read = (page: typeof atOnce) => page.page.locator(".markdown").innerText();
  await atOnce.page.locator("pre", { hasText: "open" }).waitFor();
  await expect.poll(() => read(inPieces)).toBe(await read(atOnce));
});

test("a hostile answer does nothing but show as text", async () => {
  const hostile = [
    "<script>window.hit = 1</script><img src=x onerror='window.hit = 2'> <b onclick=hit()>b</b>",
    "<iframe src='javascript:hit()'></iframe>",
    "[command](command:workbench.action.quit) [js](javascript:window.hit=3) [data](data:text/html,hi) <javascript:alert(1)>",
    "![picture](https://evil.test/pixel.png)",
    "right‮to-left​ and \u{E0041}tags",
    "x".repeat(20_000),
    "```html\n<script>window.hit = 4</script>\n```",
    "`<img src=x onerror=window.hit=5>` &lt;script&gt; &#x202e;",
  ].join("\n\n");
  await using webview = await openWebview(browser, {
    state: chatState({ turns: [turn({ question: "<img src=x>‮", answer: { text: hostile, reasoning: "<b>x</b>" } })] }),
  });
  const requests: string[] = [];
  webview.page.on("request", (request) => requests.push(request.url()));
  const answer = webview.page.locator(".markdown");
  await answer.getByText("Image, not loaded: picture https://evil.test/pixel.png").waitFor();
  const shown = await answer.innerText();
  for (const text of [
    "<script>window.hit = 1</script>",
    "command (command:workbench.action.quit)",
    "js (javascript:window.hit=3)",
    "right‹U+202E›to-left‹U+200B› and ‹U+E0041›tags",
  ]) {
    expect(shown).toContain(text);
  }
  expect(shown).not.toMatch(/[‮​]/);
  expect(await webview.page.evaluate("window.hit")).toBeUndefined();
  expect(await webview.page.locator("#root :is(script, img, iframe, b, [onclick])").count()).toBe(0);
  expect(await answer.locator("a").count()).toBe(0);
  expect(requests.filter((url) => !url.includes("/dist/webview"))).toEqual([]);
  expect(
    await webview.page.evaluate(
      "document.querySelector('.log').scrollWidth - document.querySelector('.log').clientWidth",
    ),
  ).toBe(0);
});

function pieces(all: string): string[] {
  return all.match(/[\s\S]{1,149}/g) ?? [];
}
