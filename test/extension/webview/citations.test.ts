import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chatState, chatStates, citation, everyState, turn } from "../../support/chat-states.ts";
import { launchBrowser } from "../../support/editor/browser.ts";
import { openWebview } from "../../support/editor/webview-page.ts";
import { locateCitations } from "../../support/locate-citations.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const everyStateShown = chatState({ turns: [turn({ answer: everyState })] });

test("each state is a chip with its word, and the note behind it is gone", async () => {
  await using webview = await openWebview(browser, { state: everyStateShown });
  const chips = webview.page.locator(".markdown .chip");
  await chips.first().waitFor();
  expect(await chips.evaluateAll((found) => found.map((chip) => chip.getAttribute("aria-label")))).toEqual([
    "router.js:10-24 verified: citation of lib/router.js, lines 10 to 24, in express.",
    "layer.js:31-33 relocated: citation of lib/layer.js, lines 31 to 33, in express.",
    "application.js:7 not read in this run: citation of lib/application.js, line 7, in express.",
    "view.js:1-3 mismatch: citation of lib/view.js, lines 1 to 3, in express; the quoted text is not in the file.",
    "utils.js:900-910 out of range: citation of lib/utils.js, lines 900 to 910, in express; the file has 271 lines.",
    "nowhere.js:1-2 missing: citation of lib/nowhere.js, lines 1 to 2, in express; no such file in express.",
  ]);
  expect(await webview.page.locator(".markdown").textContent()).not.toContain("(");
});

test("a click opens, Enter and a double click go there, Ctrl and the middle button open to the side", async () => {
  await using webview = await openWebview(browser, { state: everyStateShown });
  const chip = webview.page.getByRole("button", { name: /^router\.js:10-24 / });
  await chip.click();
  expect(await webview.nextSent("openCitation")).toEqual({
    type: "openCitation",
    turn: "t1",
    citation: "c1",
    toSide: false,
    takesFocus: false,
  });
  await chip.press("Space");
  expect(await webview.nextSent("openCitation")).toMatchObject({ toSide: false, takesFocus: false });
  await chip.press("Enter");
  expect(await webview.nextSent("openCitation")).toMatchObject({ toSide: false, takesFocus: true });
  await chip.press("Control+Enter");
  expect(await webview.nextSent("openCitation")).toMatchObject({ toSide: true, takesFocus: true });
  await chip.click({ button: "middle" });
  expect(await webview.nextSent("openCitation")).toMatchObject({ toSide: true, takesFocus: false });
  await chip.dblclick();
  expect(await webview.nextSent("openCitation")).toMatchObject({ takesFocus: false });
  expect(await webview.nextSent("openCitation")).toMatchObject({ takesFocus: true });
  expect(webview.sent().filter(({ type }) => type === "openCitation").length).toBe(7);
});

test("focus shows the cited lines, Escape puts them away", async () => {
  await using webview = await openWebview(browser, { state: everyStateShown });
  await webview.page.getByRole("button", { name: /^layer\.js:31-33 / }).focus();
  expect(await webview.nextSent("previewCitation")).toEqual({ type: "previewCitation", turn: "t1", citation: "c2" });
  await webview.post({
    type: "preview",
    turn: "t1",
    citation: "c2",
    text: "function match() {\n  return <b>\n}",
    startLine: 31,
  });
  const card = webview.page.getByRole("tooltip");
  await card.getByText("return <b>").waitFor();
  await card.getByText("The model cited lines 28 to 30.").waitFor();
  await webview.page.keyboard.press("Escape");
  await card.waitFor({ state: "detached" });
});

test("who types has read enough", async () => {
  await using webview = await openWebview(browser, { state: everyStateShown });
  await webview.page.locator(".markdown .chip").first().hover();
  await webview.page.getByRole("tooltip").waitFor();
  await webview.page.getByRole("textbox").pressSequentially("/");
  await webview.page.getByRole("listbox").waitFor();
  await expect.poll(() => webview.page.getByRole("tooltip").count()).toBe(0);
});

test("a pointer may rest on the card", async () => {
  await using webview = await openWebview(browser, { state: everyStateShown });
  await webview.page.getByRole("button", { name: /^router\.js:10-24 / }).hover();
  const card = webview.page.getByRole("tooltip");
  await card.hover();
  expect(await card.isVisible()).toBe(true);
  await webview.page.mouse.move(1, 1);
  await card.waitFor({ state: "detached" });
});

test("a citation that scrolls under a resting pointer opens no card; moving the pointer does", async () => {
  const written = "[lib/router.js:10-24](https://host.test/lib#L10)";
  const lines = "A line.\n\n".repeat(60);
  const text = `${lines}See ${written}.\n\n${lines}`;
  const answer = { text, citations: locateCitations(text, [[citation({ id: "c1" }), written]]) };
  await using webview = await openWebview(browser, { state: chatState({ turns: [turn({ answer })] }) });
  const { page } = webview;
  const [chip, card] = [page.locator(".markdown .chip"), page.getByRole("tooltip")];
  await chip.waitFor();
  await page.clock.install();
  const scrollChipTo = (y: number) =>
    chip.evaluate((element, wanted) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      element.closest(".log")?.scrollBy(0, top + height / 2 - wanted);
      return left + width / 2;
    }, y);
  const y = 300;
  const x = await scrollChipTo(y + 200);
  await page.mouse.move(x, y);
  await chip.evaluate((element) =>
    element.addEventListener("mouseenter", () => element.setAttribute("data-entered", "")),
  );
  await scrollChipTo(y);
  await page.locator(".chip[data-entered]").waitFor();
  // Longer than any delay of the card.
  await page.clock.runFor(5000);
  expect(await card.count()).toBe(0);
  await page.mouse.move(x + 1, y);
  await card.waitFor();
});

test("Escape closes the card without focus in the chat, until the pointer leaves and returns", async () => {
  await using webview = await openWebview(browser, { state: everyStateShown });
  const { page } = webview;
  const [chip, card] = [page.locator(".markdown .chip").first(), page.getByRole("tooltip")];
  await chip.waitFor();
  await page.clock.install();
  await chip.hover();
  await card.waitFor();
  await page.keyboard.press("Escape");
  await card.waitFor({ state: "detached" });
  await chip.hover({ position: { x: 5, y: 5 } });
  await page.clock.runFor(5000);
  expect(await card.count()).toBe(0);
  await page.mouse.move(1, 1);
  await chip.hover();
  await card.waitFor();
});

test("in a low view the card leaves the citation free, and a press that brings it up opens", async () => {
  await using webview = await openWebview(browser, { state: everyStateShown, height: 320 });
  const chip = webview.page.getByRole("button", { name: /^view\.js:1-3 / });
  await chip.hover();
  await webview.page.mouse.down();
  const card = webview.page.getByRole("tooltip");
  await webview.nextSent("previewCitation");
  await webview.post({ type: "preview", turn: "t1", citation: "c4", text: "a line\n".repeat(12), startLine: 1 });
  await card.getByText("a line").last().waitFor();
  const [under, over] = [await chip.boundingBox(), await card.boundingBox()];
  const isApart = bottomOf(over) <= topOf(under) || topOf(over) >= bottomOf(under);
  expect(isApart).toBe(true);
  await webview.page.mouse.up();
  expect(await webview.nextSent("openCitation")).toMatchObject({ citation: "c4" });
});

test("what is missing is not opened", async () => {
  await using webview = await openWebview(browser, { state: everyStateShown });
  await webview.page.getByRole("button", { name: /^nowhere\.js:1-2 / }).click();
  await webview.page.getByRole("tooltip").getByText("no such file in express").waitFor();
  expect(webview.sent().filter(({ type }) => type === "openCitation")).toEqual([]);
});

test("commands and n, p go from citation to citation, and the host knows whether keys reach the view", async () => {
  await using webview = await openWebview(browser, { state: everyStateShown });
  await webview.page.locator(".markdown .chip").first().waitFor();
  expect(await webview.nextSent("focus")).toEqual({ type: "focus", isInView: true });
  await webview.post({ type: "move", to: "next-citation" });
  await webview.page.locator("[data-citation=c1]:focus").waitFor();
  await webview.page.keyboard.press("n");
  await webview.page.locator("[data-citation=c2]:focus").waitFor();
  await webview.page.keyboard.press("p");
  await webview.page.locator("[data-citation=c1]:focus").waitFor();
  await webview.post({ type: "move", to: "previous-turn" });
  await webview.page.locator(".question-text:focus").waitFor();
});

test("the sources are counted, name their resource once, and say in a tooltip what verified does not mean", async () => {
  await using webview = await openWebview(browser, { state: chatStates.answered });
  await webview.page.locator(".sources .source").first().waitFor();
  expect(await webview.page.locator(".sources > summary .muted").textContent()).toBe(
    "6 citations: 1 verified, 1 relocated, 1 not read in this run, 1 mismatch, 1 out of range, 1 missing.",
  );
  const disclaimer = await webview.page.locator(".sources > summary .muted").getAttribute("title");
  expect(disclaimer).toContain("not that the claim is true");
  expect(await webview.page.locator(".sources").getByText("express main@4c1f00dbeef0").count()).toBe(1);
  expect(await webview.page.getByText("not that the claim is true").count()).toBe(0);
  await webview.page.locator(".sources .source").first().hover();
  await webview.page.getByRole("tooltip").getByText("not that the claim is true").waitFor();
});

test("a link of the model's own is never a chip", async () => {
  const text =
    "See [lib/router.js:10-24](https://evil.test/lib) and `lib/router.js:10-24`, then [lib/router.js:10-24](https://host.test/lib#L10).";
  const cited = citation({ id: "c1", url: "https://host.test/lib#L10" });
  const answer = {
    text,
    citations: locateCitations(text, [[cited, "[lib/router.js:10-24](https://host.test/lib#L10)"]]),
  };
  await using webview = await openWebview(browser, { state: chatState({ turns: [turn({ answer })] }) });
  await webview.page.getByRole("link", { name: "lib/router.js:10-24" }).click();
  expect(await webview.nextSent("openLink")).toEqual({ type: "openLink", url: "https://evil.test/lib" });
  expect(await webview.page.locator(".markdown").first().textContent()).toContain("lib/router.js:10-24 (evil.test)");
  expect(await webview.page.locator(".markdown .chip").count()).toBe(1);
});

test("citations become chips where they are in the text; in code and without a range they stay as they are", async () => {
  const written = [
    "[lib/a.js:1](file:///a.js#L1)",
    "lib/b.js:2 (missing)",
    "lib/c.js:3",
    "[lib/d.js:4](file:///d.js#L4)",
  ];
  const text = `\uFDD0 **${written[0]}**:\n\n| x |\n|---|\n| ${written[1]} |\n\n\`${written[2]}\` and ${written[3]}`;
  const [a, b, c, d] = locateCitations(
    text,
    written.map((piece, index) => [citation({ id: `c${index + 1}`, path: `lib/${index}.js` }), piece]),
  );
  const { textRange: _, ...withoutRange } = d ?? citation({ id: "c4" });
  const citations = [a, b, c && { ...c, inCode: true }, withoutRange].filter((one) => one !== undefined);
  await using webview = await openWebview(browser, {
    state: chatState({ turns: [turn({ answer: { text, citations } })] }),
  });
  await webview.page.locator(".markdown strong .chip[data-citation=c1]").waitFor();
  await webview.page.locator(".markdown td .chip[data-citation=c2]").waitFor();
  expect(await webview.page.locator(".markdown code").textContent()).toBe("lib/c.js:3");
  expect(await webview.page.locator(".markdown .chip").count()).toBe(2);
  expect(await webview.page.locator(".markdown").textContent()).toContain("\uFFFD ");
  expect(await webview.page.locator(".markdown").textContent()).toContain("lib/d.js:4 (file:///d.js#L4)");
});

type Box = Awaited<ReturnType<Locator["boundingBox"]>>;
const topOf = (box: Box) => box?.y ?? Number.NaN;
const bottomOf = (box: Box) => (box?.y ?? Number.NaN) + (box?.height ?? Number.NaN);
