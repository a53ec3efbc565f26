import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chatState, chatStates, everyState, fullTurn, chatStateNames, turn } from "../../support/chat-states.ts";
import { launchBrowser } from "../../support/editor/browser.ts";
import { openWebview } from "../../support/editor/webview-page.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const running = turn({ status: "running" });

describe("an answer without a model", () => {
  const builtIn = (state: ReturnType<typeof chatState>) => ({
    ...state,
    turns: state.turns.map((one) => ({
      ...one,
      answer: { ...one.answer, model: { provider: "builtin", model: "extractive" } },
    })),
  });

  test("offers one step to a model; an answer of a model does not", async () => {
    await using webview = await openWebview(browser, { state: builtIn(chatState({ turns: [fullTurn] })) });
    await webview.page.getByRole("button", { name: "Explain with a model…" }).click();
    expect(await webview.nextSent("explain")).toEqual({ type: "explain", turn: fullTurn.id });
    await webview.post({ type: "state", state: chatState({ turns: [fullTurn] }) });
    await webview.page.getByRole("button", { name: "Explain with a model…" }).waitFor({ state: "detached" });
  });
});

describe("asking", () => {
  test("a first question by keyboard alone", async () => {
    await using webview = await openWebview(browser, { state: chatState() });
    await webview.post({ type: "compose" });
    await webview.page.getByRole("textbox", { name: "Question" }).and(webview.page.locator(":focus")).waitFor();
    await webview.page.keyboard.type("How are");
    await webview.page.keyboard.press("Shift+Enter");
    await webview.page.keyboard.type("routes matched?");
    await webview.page.keyboard.press("Enter");
    expect(await webview.nextSent("ask")).toEqual({ type: "ask", question: "How are\nroutes matched?" });
    expect(await webview.page.getByRole("textbox").inputValue()).toBe("");
  });

  test("what is typed while the cursor is put into the box stays", async () => {
    await using webview = await openWebview(browser, { state: chatState() });
    const box = webview.page.getByRole("textbox");
    await box.waitFor();
    // In the frame that draws the message, after it.
    await webview.page.evaluate(`new Promise((resolve) => {
      window.dispatchEvent(new MessageEvent("message", { data: { type: "compose" } }));
      requestAnimationFrame(() => {
        const box = document.querySelector("textarea");
        box.value = "How are routes matched?";
        box.dispatchEvent(new InputEvent("input", { bubbles: true }));
        resolve();
      });
    })`);
    await box.and(webview.page.locator(":focus")).press("Enter");
    expect(await webview.nextSent("ask")).toEqual({ type: "ask", question: "How are routes matched?" });
  });

  test("the cursor that is asked for before the box is there is put into it then", async () => {
    await using webview = await openWebview(browser);
    await webview.post({ type: "compose", text: "How are " });
    await webview.page.getByText("Loading").waitFor({ state: "attached" });
    await webview.post({ type: "state", state: chatState() });
    const box = webview.page.getByRole("textbox");
    await box.and(webview.page.locator(":focus")).waitFor();
    expect(await box.inputValue()).toBe("How are ");
  });

  test("texts that are put into the box at once are both there", async () => {
    await using webview = await openWebview(browser, { state: chatState() });
    const box = webview.page.getByRole("textbox");
    await box.waitFor();
    await webview.page.evaluate(`for (const text of ["@express ", "@zod "]) {
      window.dispatchEvent(new MessageEvent("message", { data: { type: "compose", text } }));
    }`);
    await box.and(webview.page.locator(":focus")).waitFor();
    expect(await box.inputValue()).toBe("@zod @express ");
  });

  test("Enter that ends a word of an input method does not send", async () => {
    await using webview = await openWebview(browser, { state: chatState() });
    const box = webview.page.getByRole("textbox");
    await box.fill("質問");
    await box.dispatchEvent("keydown", { key: "Enter", isComposing: true });
    await box.press("Enter");
    await webview.nextSent("ask");
    expect(webview.sent().filter(({ type }) => type === "ask")).toHaveLength(1);
  });

  test("resources complete behind @ and commands behind / by keyboard", async () => {
    await using webview = await openWebview(browser, { state: chatState() });
    const box = webview.page.getByRole("textbox");
    await box.pressSequentially("Compare @ex");
    await webview.page.getByRole("option", { name: "@express main@4c1f00d · 3 days", selected: true }).waitFor();
    await box.press("Enter");
    await box.pressSequentially("with @");
    await box.press("ArrowDown");
    await webview.page.getByRole("option", { name: /@zod/, selected: true }).waitFor();
    await box.press("Tab");
    expect(await box.inputValue()).toBe("Compare @express with @zod ");
    await box.fill("");
    await box.pressSequentially("/mod");
    await box.press("Enter");
    expect(await webview.nextSent("run")).toEqual({ type: "run", command: "chooseModel" });
    expect(await box.inputValue()).toBe("");
  });

  test("files complete behind # and @, and go along with the question", async () => {
    await using webview = await openWebview(browser, { state: chatState() });
    const { page } = webview;
    const box = page.getByRole("textbox");
    const files = (query: string, ...paths: string[]) =>
      webview.post({ type: "files", query, files: paths.map((path) => ({ resource: "demo", path })) });
    await box.pressSequentially("Why #");
    expect(await webview.nextSent("findFiles")).toEqual({ type: "findFiles", query: "" });
    await files("", "src/retry.ts", "src/delay.ts");
    await page.getByRole("option", { name: "retry.ts src", selected: true }).waitFor();
    await box.pressSequentially("del");
    await page.getByRole("option", { name: "delay.ts src", selected: true }).waitFor();
    await box.press("Enter");
    expect(await webview.nextSent("attachFile")).toEqual({
      type: "attachFile",
      resource: "demo",
      path: "src/delay.ts",
    });
    await page.getByRole("status").getByText("Added src/delay.ts.").waitFor();
    expect(await box.inputValue()).toBe("Why src/delay.ts ");
    await box.pressSequentially("and @ret");
    await files("ret", "src/retry.ts");
    await box.press("Tab");
    expect(await webview.nextSent("attachFile")).toEqual({
      type: "attachFile",
      resource: "demo",
      path: "src/retry.ts",
    });
    expect(await box.inputValue()).toBe("Why src/delay.ts and src/retry.ts ");
  });

  test("resources come before files, and a file whose letters lie apart does not take the place of a package", async () => {
    await using webview = await openWebview(browser, { state: chatState() });
    const box = webview.page.getByRole("textbox");
    await box.pressSequentially("@zod");
    await webview.post({ type: "files", query: "zod", files: [{ resource: "demo", path: "src/zod.ts" }] });
    await webview.page.getByRole("option", { name: "zod.ts src" }).waitFor();
    expect(await webview.page.getByRole("option").allInnerTexts()).toEqual(["@zod\n4.6.7", "zod.ts\nsrc"]);
    await box.fill("");
    await box.pressSequentially("@types/node");
    await webview.post({ type: "files", query: "types/node", files: [{ resource: "demo", path: "types/no-de.ts" }] });
    await box.press("Enter");
    expect(await webview.nextSent("ask")).toEqual({ type: "ask", question: "@types/node" });
  });

  test("the number of an issue is no file", async () => {
    await using webview = await openWebview(browser, { state: chatState() });
    const box = webview.page.getByRole("textbox");
    await box.pressSequentially("Where is the fix of #12");
    await webview.post({ type: "files", query: "1", files: [{ resource: "demo", path: "12.ts" }] });
    await box.press("Enter");
    expect(await webview.nextSent("ask")).toEqual({ type: "ask", question: "Where is the fix of #12" });
  });

  test("a button begins the word that lists the files", async () => {
    await using webview = await openWebview(browser, { state: chatState() });
    const { page } = webview;
    const box = page.getByRole("textbox");
    await box.fill("Why");
    for (const _ of ["once", "twice"]) {
      await page.getByRole("button", { name: "Add a file (#)" }).click();
      await webview.post({ type: "files", query: "", files: [{ resource: "demo", path: "src/retry.ts" }] });
      await page.getByRole("option", { name: "retry.ts src" }).waitFor();
      expect(await box.inputValue()).toBe("Why #");
    }
  });

  test("a follow-up is asked as it is, and leaves what is in the box", async () => {
    await using webview = await openWebview(browser, { state: chatStates.answered });
    await webview.page.getByRole("textbox").fill("half a quest");
    const followUps = webview.page.getByRole("region", { name: "Follow-up questions" });
    await followUps.getByRole("button", { name: "Who calls `next`?" }).click();
    expect(await webview.nextSent("followUp")).toEqual({ type: "followUp", question: "Who calls `next`?" });
    expect(await webview.page.getByRole("textbox").inputValue()).toBe("half a quest");
    await webview.post({ type: "state", state: { ...chatStates.running, followUps: ["Who calls `next`?"] } });
    await followUps.waitFor({ state: "detached" });
  });

  test("Up in the empty box recalls the last question", async () => {
    await using webview = await openWebview(browser, { state: chatStates.answered });
    const box = webview.page.getByRole("textbox");
    await box.press("ArrowUp");
    expect(await box.inputValue()).toBe("How does routing work?");
  });

  test("a draft survives a reload", async () => {
    await using webview = await openWebview(browser, { state: chatState() });
    await webview.page.getByRole("textbox").fill("half a quest");
    await webview.reload();
    expect(await webview.page.getByRole("textbox").inputValue()).toBe("half a quest");
  });

  test("an attachment can be removed", async () => {
    await using webview = await openWebview(browser, { state: chatStates.answered });
    await webview.page.getByRole("button", { name: "Remove retry.ts:10-20" }).click();
    const detached = { type: "detach", label: "retry.ts:10-20", path: "src/retry.ts" };
    expect(await webview.nextSent("detach")).toEqual(detached);
    await webview.page.getByRole("textbox").and(webview.page.locator(":focus")).waitFor();
  });
});

describe("a running answer", () => {
  test("stops by the button, and by Escape only when pressed twice", async () => {
    await using webview = await openWebview(browser, { state: chatState({ turns: [running] }) });
    await webview.page.getByRole("button", { name: "Stop" }).click();
    await webview.nextSent("stop");
    await webview.page.keyboard.press("Escape");
    await webview.page.getByRole("status").getByText("Press Escape again to stop the answer.").waitFor();
    await webview.page.keyboard.press("Escape");
    await webview.nextSent("stop");
    expect(webview.sent().filter(({ type }) => type === "stop")).toHaveLength(2);
  });

  test("says what goes on in few words, and never the text", async () => {
    await using webview = await openWebview(browser, { state: chatState() });
    const status = webview.page.getByRole("status");
    await webview.post({ type: "state", state: chatState({ turns: [running] }) });
    await status.getByText("Question sent.").waitFor();
    await webview.post({
      type: "event",
      event: { type: "progress", resource: "express", phase: "fetch", fraction: 0.4, message: "Cloning express" },
    });
    await status.getByText("Fetching express.").waitFor();
    await webview.page.getByText("Cloning express").waitFor();
    const { snapshots, model, resources, collection } = fullTurn.answer;
    await webview.post({ type: "event", event: { type: "meta", snapshots, model, resources, collection } });
    const [, read] = fullTurn.answer.tools;
    if (read !== undefined) await webview.post({ type: "event", event: { type: "tool.updated", ...read } });
    await status.getByText("Reading 1 file.").waitFor();
    await webview.post({
      type: "event",
      event: { type: "text.delta", delta: everyState.text, citations: everyState.citations },
    });
    await webview.page.getByText("Routes are kept").waitFor();
    expect(await status.textContent()).toBe("Reading 1 file.");
    await webview.post({ type: "event", event: { type: "done", ...fullTurn.answer } });
    await webview.post({ type: "ended", outcome: { status: "done" } });
    await status
      .getByText(
        "Answer complete. 6 citations: 1 verified, 1 relocated, 1 not read in this run, 1 mismatch, 1 out of range, 1 missing.",
      )
      .waitFor();
  });

  test("an error in the middle keeps what had arrived and leads on", async () => {
    await using webview = await openWebview(browser, { state: chatState({ turns: [running] }) });
    await webview.post({ type: "event", event: { type: "text.delta", delta: "Half an answer" } });
    const error = { tag: "ProviderRefused", error: "the key was refused", hint: "Connect anew." };
    await webview.post({ type: "ended", outcome: { status: "failed", error } });
    await webview.page.getByText("The key was refused.", { exact: true }).waitFor();
    await webview.page.getByText("Half an answer").waitFor();
    await webview.page.getByRole("button", { name: "Connect provider" }).click();
    expect(await webview.nextSent("run")).toEqual({ type: "run", command: "connectProvider" });
    await webview.page
      .getByRole("region", { name: "The question could not be answered" })
      .getByRole("button", { name: "Ask again" })
      .click();
    expect(await webview.nextSent("retry")).toEqual({ type: "retry", turn: "t1" });
  });
});

describe("a finished turn", () => {
  test("is edited and asked again, or left as it was by Escape", async () => {
    await using webview = await openWebview(browser, { state: chatStates.answered });
    const edit = webview.page.getByRole("button", { name: "Edit and ask again" });
    await edit.press("Enter");
    await webview.page.getByRole("textbox", { name: "Edit the question" }).press("Escape");
    await webview.page.locator(":focus").and(edit).waitFor();
    await edit.press("Enter");
    await webview.page.getByRole("textbox", { name: "Edit the question" }).fill("How are errors routed?");
    await webview.page.keyboard.press("Enter");
    expect(await webview.nextSent("edit")).toEqual({ type: "edit", turn: "t1", question: "How are errors routed?" });
  });

  test("is asked again, copied and exported", async () => {
    await using webview = await openWebview(browser, { state: chatStates.answered });
    await webview.page.locator(".answer-footer").getByRole("button", { name: "Ask again" }).click();
    expect(await webview.nextSent("retry")).toEqual({ type: "retry", turn: "t1" });
    await webview.page.getByRole("button", { name: "Copy answer" }).click();
    expect(await webview.nextSent("copy")).toEqual({ type: "copy", turn: "t1" });
    await webview.page.getByRole("button", { name: "Copy code" }).click();
    expect((await webview.nextSent("copyText")).text).toContain("function next(error) {");
    await webview.page.getByRole("button", { name: "Copy conversation" }).click();
    expect(await webview.nextSent("copy")).toEqual({ type: "copy" });
    await webview.page.getByRole("button", { name: "Export conversation" }).click();
    await webview.nextSent("export");
  });

  test("code gets its colours later, from a chunk of its own", async () => {
    await using webview = await openWebview(browser, { state: chatStates.answered });
    await webview.page.locator(".hljs-keyword").first().waitFor();
    expect(await webview.page.locator(".hljs-keyword").first().textContent()).toBe("function");
    expect(await webview.page.locator(".hljs-comment").textContent()).toBe("// Goes to the next layer that matches.");
  });

  test("steps, reasoning and snapshots unfold, and stay so after a reload", async () => {
    await using webview = await openWebview(browser, { state: chatStates.answered });
    await webview.page.getByText("3 steps, 1 failed").click();
    await webview.page.getByText("search “router”").click();
    await webview.page.getByText("10 function router() {}").waitFor();
    await webview.page.getByText("Read from express, zod").click();
    await webview.page.getByText("read in place").waitFor();
    await webview.reload();
    await webview.page.getByText("10 function router() {}").waitFor();
    expect(await webview.page.getByText("The question is about routing").count()).toBe(0);
  });

  test("a translation takes the place of the English words", async () => {
    await using webview = await openWebview(browser, {
      state: chatState(),
      translations: { "Ask your code": "Frag deinen Code" },
    });
    expect(await webview.page.getByRole("heading", { level: 2 }).textContent()).toBe("Frag deinen Code");
  });
});

describe("every welcome leads on", () => {
  test.each([
    ["no-resources", "Add resource", "addResource"],
    ["no-resources", "Add dependencies", "addDependencies"],
    ["no-key", "Connect provider", "connectProvider"],
    ["offline", "Choose model", "chooseModel"],
    ["untrusted", "Manage trust", "manageTrust"],
    ["config-invalid", "Open configuration", "openConfig"],
    ["server-failed", "Restart server", "restartServer"],
    ["server-failed", "Show log", "showServerLog"],
  ] as const)("%s: %s", async (name, button, command) => {
    await using webview = await openWebview(browser, { state: chatStates[name] });
    await webview.page.getByRole("button", { name: button }).first().click();
    expect(await webview.nextSent("run")).toEqual({ type: "run", command });
  });

  test("before the server has replied nothing is claimed, and a question can be asked", async () => {
    await using webview = await openWebview(browser, { state: chatStates.starting });
    const { page } = webview;
    await page.getByRole("button", { name: "Choose the resources to ask about." }).waitFor();
    expect(await page.locator(".composer .pick").allInnerTexts()).toEqual(["Resources", "Model"]);
    expect(await page.locator(".welcome").count()).toBe(0);
    await page.getByRole("textbox").fill("How?");
    await page.getByRole("textbox").press("Enter");
    expect(await webview.nextSent("ask")).toEqual({ type: "ask", question: "How?" });
  });

  test("ready: an example is put into the box", async () => {
    await using webview = await openWebview(browser, { state: chatState() });
    await webview.page.getByRole("button", { name: "How is this project put together?" }).click();
    expect(await webview.page.getByRole("textbox").inputValue()).toBe("How is this project put together?");
  });
});

test("some of the resources are shown as their number, and the model keeps its width", async () => {
  const resources = ["commons-lang", "picomatch", "gh-cli"].map((name) => ({
    name,
    type: "local" as const,
    detail: "",
  }));
  const state = { ...chatState(), resources, selected: ["commons-lang", "picomatch"] };
  await using webview = await openWebview(browser, { state, width: 300 });
  const picks = webview.page.locator(".composer .pick");
  await picks.first().waitFor();
  expect(await picks.allInnerTexts()).toEqual(["2 resources", "Claude Sonnet"]);
  expect(await picks.first().getAttribute("title")).toContain("commons-lang, picomatch");
  const cut = await webview.page.evaluate(
    "[...document.querySelectorAll('.pick bdi')].filter((text) => text.scrollWidth > text.clientWidth).length",
  );
  expect(cut).toBe(0);
});

describe("nothing is cut off", () => {
  test.each(chatStateNames)("%s: in a narrow side bar, and at twice the size", async (name) => {
    await using webview = await openWebview(browser, { state: chatStates[name], width: 200 });
    const { page } = webview;
    await page.locator(".composer").waitFor();
    const overflow = () =>
      page.evaluate(
        "Math.max(...[...document.querySelectorAll('.log, .foot')].map((part) => part.scrollWidth - part.clientWidth))",
      );
    expect(await overflow()).toBe(0);
    await page.setViewportSize({ width: 320, height: 800 });
    await page.evaluate("document.documentElement.style.zoom = '2'");
    expect(await overflow()).toBe(0);
  });
});

test("with colours that the system forces, buttons and states keep their outlines", async () => {
  await using webview = await openWebview(browser, { state: chatStates.answered });
  const { page } = webview;
  await page.emulateMedia({ forcedColors: "active" });
  const box = page.getByRole("textbox");
  await box.focus();
  const outlined = await page.locator(".box").evaluate("(box) => getComputedStyle(box).borderTopWidth");
  expect(outlined).not.toBe("0px");
  const invisible = await page.evaluate<string[]>(`[...document.querySelectorAll("svg")].filter((icon) => {
    const { color } = getComputedStyle(icon);
    return icon.checkVisibility() && color === getComputedStyle(document.body).backgroundColor;
  }).map((icon) => icon.outerHTML)`);
  expect(invisible).toEqual([]);
});

test("nothing moves for people who asked for that", async () => {
  await using webview = await openWebview(browser, { state: chatState({ turns: [running] }), reducedMotion: true });
  await webview.page.locator(".pulse").waitFor();
  expect(await webview.page.evaluate("document.getAnimations().length")).toBe(0);
});
