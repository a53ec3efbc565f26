import { chmod, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { runCli } from "../../support/cli.ts";
import { cited, keys, reads, tuiWorld as world } from "../../support/tui-world.ts";

/** How long it took differs between runs. */
function withoutClock(rows: readonly string[]): string {
  return rows.join("\n").replace(/[\d.]+ m?s\b/g, "N ms");
}

test("bare citewell fills the screen, answers, and numbers the citations with their state", async () => {
  await using it = await world([reads, cited]);
  await using screen = await it.start();
  expect(screen.modes()).toMatchObject({ isAlternate: true, mouse: "drag" });
  screen.ask("How long?");
  await screen.shows("2 citations: 2 verified.");
  expect(withoutClock(screen.rows())).toMatchInlineSnapshot(`
    "> How long?

    1 step

    It is N ms a.ts:1 [1✓], see a.ts:2 [2✓].

      1 ✓ verified  a.ts:1  demo · local folder ~/demo
      2 ✓ verified  a.ts:2  demo · local folder ~/demo
    2 citations: 2 verified.
    openai-compat/scripted · N ms · 20 tokens in, 10 out











    ────────────────────────────────────────────────────────────────────────────────
    ❯
    Tab citations  / commands  @ resources        openai-compat/scripted demo, other"
  `);
});

test("in a project without saved resources, the status line names the project, not the default resources", async () => {
  await using it = await world([]);
  await it.folder.write(
    `//- demo/package.json\n{}\n//- .home/citewell.config.jsonc\n${JSON.stringify(it.model.config)}`,
  );
  await using screen = await it.start({ cwd: "demo" });
  await screen.shows(/scripted +demo$/m);
  expect(screen.rows().join("\n")).not.toContain("express");
});

test("a misspelt mention is a notice above the prompt", async () => {
  await using it = await world(() => "Fine.");
  await using screen = await it.start();
  screen.ask("What is b in @othre?");
  const note = 'no resource named "othre"; did you mean @other?';
  await screen.shows(note);
  expect(screen.rows().join("\n")).toContain(note);
});

describe("citations", () => {
  test("Ctrl+N and Ctrl+P move between them and show the cited lines", async () => {
    await using it = await world([reads, cited]);
    await using screen = await it.start({ columns: 140 });
    screen.ask("How long?");
    await screen.shows("2 citations");
    screen.type(keys.ctrl("n"));
    await screen.shows("1 ▌export const delayMs = 100;");
    screen.type(keys.ctrl("n"));
    await screen.shows("2 ▌export const retries = 3;");
    screen.type(keys.ctrl("p"));
    await screen.shows("1 ▌export const delayMs = 100;");
    screen.type(keys.escape);
    await screen.hides("▌");
    expect(screen.rows().join("\n")).toContain("2 citations: 2 verified.");
  });

  test("while reading, n and N do the same, and Enter opens the editor at the line", async () => {
    await using it = await world([reads, cited]);
    const editor = path.join(it.folder.path, "vim");
    await it.folder.write(`//- vim\n#!/bin/sh\nprintf '%s\\n' "$@" > "${it.folder.path}/opened"\n`);
    await chmod(editor, 0o755);
    await using screen = await it.start({ env: { EDITOR: editor } });
    screen.ask("How long?");
    await screen.shows("2 citations");
    screen.type(`${keys.tab}nn`);
    await screen.shows("▌export const retries");
    await screen.shows(/^n\/N citation {2}Enter editor {2}Esc prompt/m);
    expect(screen.rows()).toContain("demo · local folder ~/demo");
    screen.type(keys.enter);
    await expect.poll(() => readFile(path.join(it.folder.path, "opened"), "utf8").catch(() => "")).toContain("a.ts");
    expect(await readFile(path.join(it.folder.path, "opened"), "utf8")).toBe(
      `+2\n${path.join(it.folder.path, "demo/a.ts")}\n`,
    );
    await screen.shows("▌export const retries");
  });
});

test("a question typed while reading is not taken for keys", async () => {
  await using it = await world([reads, cited, "Three."]);
  await using screen = await it.start({ columns: 100 });
  screen.ask("How long?");
  await screen.shows("2 citations");
  screen.type(`${keys.tab}n`);
  await screen.shows("▌export const delayMs");
  screen.type("And then");
  await screen.shows("❯ And then");
  expect(screen.rows().join("\n")).toContain("▌export const delayMs");
  screen.type(`?${keys.enter}`);
  await screen.shows("Three.");
});

test("without a model the welcome says what answers are, and how to have explanations", async () => {
  await using it = await world([]);
  await it.folder.write("//- .home/citewell.config.jsonc\n{}");
  await using screen = await it.start();
  await screen.shows("Answers are extracts");
  expect(screen.rows()).toContain("Answers are extracts, word for word; /connect chooses a model that explains.");
});

describe("stopping", () => {
  test("Escape twice stops the answer, which keeps what was checked", async () => {
    await using it = await world([{ ...reads }, { text: ["First [[demo:a.ts#L1]].\n\n", "Second "], hang: true }]);
    await using screen = await it.start();
    screen.ask("How long?");
    await screen.shows("Second");
    screen.type(keys.escape);
    await screen.shows("press Escape again to stop the answer");
    screen.type("a");
    await screen.hides("press Escape again");
    screen.type(keys.escape);
    await screen.shows("press Escape again to stop the answer");
    screen.type(keys.escape);
    await screen.shows("Stopped. The answer is partial; its citations were checked.");
    expect(screen.rows().join("\n")).toContain("a.ts:1 [1✓]");
  });

  test("a question typed meanwhile is asked next; Up takes it back", async () => {
    let finish = (_text: unknown) => {};
    const after = new Promise((resolve) => {
      finish = resolve;
    });
    await using it = await world([{ later: { after, text: "One." } }, "Two."]);
    await using screen = await it.start();
    screen.ask("First?");
    await screen.shows("Esc Esc stops");
    screen.ask("Second?");
    await screen.shows("next: Second?");
    screen.type(keys.up);
    await screen.shows("❯ Second?");
    screen.type(keys.enter);
    await screen.shows("next: Second?");
    finish(undefined);
    await screen.shows("Two.");
    await screen.hides("next:");
    expect(it.model.requests).toHaveLength(2);
  });

  test("a model that fails says so, and the next question is asked", async () => {
    await using it = await world([{ status: 401 }, "Fine."]);
    await using screen = await it.start();
    screen.ask("How long?");
    await screen.shows("asks for a key (HTTP 401)");
    screen.ask("And now?");
    await screen.shows("Fine.");
    expect(it.model.requests).toHaveLength(2);
  });
});

describe("the prompt", () => {
  test("Alt+Enter and a backslash begin a new line; a long paste is folded and sent whole", async () => {
    await using it = await world(["Fine."]);
    await using screen = await it.start();
    screen.type(`One${keys.altEnter}two\\${keys.enter}three`);
    await screen.shows(/❯ One\n {2}two\n {2}three/);
    const pasted = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join("\r");
    screen.type(` \u001B[200~${pasted}\u001B[201~`);
    await screen.shows("three [pasted 1,000 lines]");
    screen.type(keys.enter);
    await screen.shows("Fine.");
    expect(JSON.stringify(it.model.requests[0]?.body.messages)).toContain("One\\ntwo\\nthree line 0\\nline 1\\n");
  });

  test("Up brings earlier questions back, in a later run too; Ctrl+R searches them", async () => {
    await using it = await world(() => "Fine.");
    await using first = await it.start();
    first.ask("What is delayMs?");
    await first.shows("Fine.");
    first.type(keys.ctrl("q"));
    expect(await first.exit).toBe(0);
    await using second = await it.start();
    second.type(keys.up);
    await second.shows("❯ What is delayMs?");
    second.type(`${keys.ctrl("u")}${keys.ctrl("r")}dly`);
    await second.shows(/earlier questions: dly\n❯ What is delayMs\?/);
    second.type(keys.enter);
    await second.shows("❯ What is delayMs?");
  });

  test("@ and / complete", async () => {
    await using it = await world(["Fine."]);
    await using screen = await it.start();
    await screen.shows("demo, other");
    screen.type("@ot");
    await screen.shows("❯ @other  local");
    screen.type(`${keys.tab}What?`);
    await screen.shows("❯ @other What?");
    screen.type(keys.enter);
    await screen.shows("Fine.");
    expect(it.model.requests[0]?.system).toContain("- other: ");
    expect(it.model.requests[0]?.system).not.toContain("- demo: ");
    screen.type("/ne");
    await screen.shows("/new");
    screen.type(`${keys.tab}${keys.enter}`);
    await screen.shows("Every claim comes with a source");
  });

  test("the keys below it are whole on a narrow screen, and a long list has a count", async () => {
    await using it = await world([reads, cited]);
    await using screen = await it.start({ columns: 44 });
    screen.ask("How long?");
    await screen.shows("2 citations");
    screen.type(keys.tab);
    await screen.shows(/^n\/N citation {2}Enter opens {2}Esc prompt$/m);
    screen.type(keys.escape);
    await screen.shows("/ commands");
    screen.type("/");
    await screen.shows(/^Enter chooses {2}Esc closes {2}1 of \d+$/m);
    screen.type(keys.up);
    await screen.shows(/ (\d+) of \1$/m);
    expect(screen.rows().join("\n")).toContain("❯ /quit");
  });

  test("Ctrl+C clears it, and leaves when it is empty", async () => {
    await using it = await world([]);
    await using screen = await it.start();
    screen.type("abc");
    await screen.shows("❯ abc");
    screen.type(keys.ctrl("c"));
    await screen.hides("❯ abc");
    screen.type("/he");
    await screen.shows("❯ /help");
    screen.type(keys.ctrl("c"));
    await screen.hides(/❯ \/he$/m);
    screen.type(keys.ctrl("c"));
    expect(await screen.exit).toBe(0);
  });
});

describe("reading", () => {
  const long = Array.from({ length: 60 }, (_, index) => `Line ${index}.\n\n`);

  test("the place does not move while text arrives or the width changes, and what is below is counted", async () => {
    let finish = (_text: unknown) => {};
    const after = new Promise((resolve) => {
      finish = resolve;
    });
    await using it = await world([{ text: long, later: { after, text: "The end.\n" } }]);
    await using screen = await it.start();
    screen.ask("Long?");
    await screen.shows("Line 59.");
    screen.type(keys.pageUp);
    await screen.shows(/\d+ lines below/);
    const [first] = screen.rows().filter((row) => row.startsWith("Line"));
    finish(undefined);
    await screen.hides("Esc Esc stops");
    expect(screen.rows().find((row) => row.startsWith("Line"))).toBe(first);
    await screen.resize({ columns: 50, rows: 24 });
    await screen.shows(/^─{20,40} \d+ lines below/m);
    expect(screen.rows().find((row) => row.startsWith("Line"))).toBe(first);
    screen.type("\u001B[1;5F");
    await screen.shows("The end.");
  });

  test("the wheel scrolls, and / searches", async () => {
    await using it = await world([{ text: long }]);
    await using screen = await it.start();
    screen.ask("Long?");
    await screen.shows("Line 59.");
    screen.type("\u001B[<64;10;5M");
    await screen.shows("lines below");
    screen.type(`${keys.tab}/Line 7.`);
    await screen.shows("search: Line 7.");
    screen.type(keys.enter);
    await screen.shows(/^Line 7\.$/m);
    expect(screen.rows()).not.toContain("Line 59.");
  });
});

describe("leaving", () => {
  test("Ctrl+Q leaves the last answer with its sources in the normal screen", async () => {
    await using it = await world([reads, cited]);
    await using screen = await it.start();
    screen.ask("How long?");
    await screen.shows("2 citations");
    screen.type(keys.ctrl("q"));
    expect(await screen.exit).toBe(0);
    await screen.shows("to go on: citewell threads resume");
    expect(screen.modes()).toEqual({ isAlternate: false, mouse: "none", isCursorHidden: false });
    expect(screen.rows().join("\n")).toContain("✓ verified  a.ts:1");
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s restores the terminal and ends with %i", async (signal, code) => {
    await using it = await world([{ text: ["One "], hang: true }]);
    await using screen = await it.start();
    screen.ask("How long?");
    await screen.shows("One");
    screen.signal(signal);
    expect(await screen.exit).toBe(code);
    expect(screen.modes()).toEqual({ isAlternate: false, mouse: "none", isCursorHidden: false });
  });
});

describe("the mouse", () => {
  test("a drag selects and copies on release; a click on a citation shows its lines", async () => {
    await using it = await world([reads, cited]);
    await using screen = await it.start({ env: { DISPLAY: "", WAYLAND_DISPLAY: "", TMUX: "" } });
    screen.ask("How long?");
    await screen.shows("2 citations");
    const row = screen.rows().findIndex((text) => text.startsWith("It is 100"));
    const at = (button: number, column: number, end: "M" | "m") => `\u001B[<${button};${column};${row + 1}${end}`;
    screen.type(at(0, 7, "M") + at(32, 9, "M") + at(32, 12, "M") + at(0, 12, "m"));
    await screen.shows("sent the selection to the terminal's clipboard");
    const [encoded = ""] = screen.output().split("\u001B]52;c;")[1]?.split("\u0007") ?? [];
    expect(Buffer.from(encoded, "base64").toString()).toBe("100 ms");
    const column = (screen.rows()[row] ?? "").indexOf("a.ts:2") + 1;
    screen.type(at(0, column, "M") + at(0, column, "m"));
    await screen.shows("▌export const retries");
  });
});

describe("mouse preferences", () => {
  const long = Array.from({ length: 60 }, (_, index) => `Line ${index}.\n\n`);
  const topLine = (screen: { rows(): string[] }) =>
    Number(
      screen
        .rows()
        .find((row) => row.startsWith("Line"))
        ?.match(/\d+/)?.[0],
    );

  test("/mouse wheel ignores clicks and drags, and /mouse speed sets the rows; both are kept for later runs", async () => {
    await using it = await world([{ text: long }, { text: long }]);
    await using first = await it.start();
    first.type(`/mouse wheel${keys.enter}`);
    await first.shows("the wheel scrolls 3 rows; clicks are ignored");
    first.type(`/mouse speed 10${keys.enter}`);
    await first.shows("the wheel scrolls 10 rows; clicks are ignored");
    first.type(`/mouse speed fast${keys.enter}`);
    await first.shows("/mouse speed fast: use on, wheel, off");
    first.type(keys.ctrl("q"));
    await first.exit;
    await using screen = await it.start();
    screen.ask("Long?");
    await screen.shows("No citations");
    const top = topLine(screen);
    screen.type("\u001B[<0;3;5M\u001B[<32;9;5M\u001B[<0;9;5m\u001B[<64;10;5M");
    await screen.shows("lines below");
    expect(topLine(screen)).toBe(top - 5);
    expect(screen.output()).not.toContain("\u001B]52;");
  });

  test("/mouse off leaves the mouse to the terminal, from the start of later runs", async () => {
    await using it = await world([]);
    await using first = await it.start();
    first.type(`/mouse off${keys.enter}`);
    await first.shows("the terminal has the mouse");
    expect(first.modes().mouse).toBe("none");
    first.type(keys.ctrl("q"));
    await first.exit;
    await using second = await it.start();
    expect(second.modes().mouse).toBe("none");
    second.type(`/mouse${keys.enter}`);
    await second.shows("a drag copies");
    expect(second.modes().mouse).toBe("drag");
  });

  test("without copying on release, Ctrl+C copies the selection", async () => {
    await using it = await world([{ text: long }]);
    await using screen = await it.start({ env: { DISPLAY: "", WAYLAND_DISPLAY: "", TMUX: "" } });
    screen.type(`/mouse copy off${keys.enter}`);
    await screen.shows("a drag selects, Ctrl+C copies");
    screen.ask("Long?");
    await screen.shows("No citations");
    const row = screen.rows().findIndex((text) => text.startsWith("Line")) + 1;
    screen.type(`\u001B[<0;1;${row}M\u001B[<32;4;${row}M\u001B[<0;4;${row}m${keys.ctrl("c")}`);
    await screen.shows("sent the selection to the terminal's clipboard");
    const [encoded = ""] = screen.output().split("\u001B]52;c;")[1]?.split("\u0007") ?? [];
    expect(Buffer.from(encoded, "base64").toString()).toBe("Line");
  });

  test("the wheel scrolls the conversation while a list is open, and never the history", async () => {
    await using it = await world([{ text: long }]);
    await using screen = await it.start();
    screen.ask("Long?");
    await screen.shows("Line 59.");
    screen.type("/");
    await screen.shows("/help");
    screen.type("\u001B[<64;10;5M");
    await screen.shows("lines below");
    expect(screen.rows()).toContain("❯ /");
  });
});

describe("--inline", () => {
  test("prints what is settled once, into the terminal's own scrollback, and keeps the prompt below", async () => {
    const long = Array.from({ length: 40 }, (_, index) => `Line ${index}.\n\n`);
    await using it = await world([reads, { text: [...long, cited] }, "Fine."]);
    await using screen = await it.start({ args: ["--inline"] });
    screen.ask("How long?");
    await screen.shows("2 citations: 2 verified.");
    expect(screen.modes()).toEqual({ isAlternate: false, mouse: "none", isCursorHidden: false });
    await screen.resize({ columns: 60, rows: 24 });
    screen.ask("And now?");
    await screen.shows(/Fine\.[\s\S]*No citations/);
    const text = screen.scrollback().join("\n");
    for (const line of ["> How long?", "Line 0.", "Line 39.", "It is 100 ms a.ts:1 [1✓]", "> And now?", "Fine."])
      expect(text.split(line)).toHaveLength(2);
    expect(screen.cursor().column).toBe(2);
    screen.type(keys.ctrl("q"));
    expect(await screen.exit).toBe(0);
    await screen.shows("to go on: citewell threads resume");
    expect(screen.scrollback().join("\n")).not.toContain("❯");
  });
});

describe("for screen readers", () => {
  test.each([
    ["--screen-reader", ["--screen-reader"], {}],
    ["TERM=dumb", [], { TERM: "dumb" }],
  ] as const)("with %s lines are only appended, with roles and without control sequences", async (_, args, env) => {
    await using it = await world([reads, cited]);
    await using screen = await it.start({ args: [...args], env, prompt: /^You:/m });
    screen.ask("How long?");
    await screen.shows(/2 citations: 2 verified\.[\s\S]*You:/);
    expect(screen.rows().join("\n")).toMatch(/You: How long\?\nCitewell:\n[\s\S]*It is \*\*100\*\* ms/);
    expect(screen.output()).not.toContain("\u001B");
    screen.type(keys.ctrl("d"));
    expect(await screen.exit).toBe(0);
  });

  test("copied text is in a file, because a clipboard needs a control sequence", async () => {
    await using it = await world([reads, cited, "More."]);
    const env = { DISPLAY: "", WAYLAND_DISPLAY: "", TMUX: "" };
    await using screen = await it.start({ args: ["--screen-reader"], env, prompt: /^You:/m, columns: 140 });
    screen.ask("How long?");
    await screen.shows(/2 citations: 2 verified\.[\s\S]*You:/);
    screen.ask("And now?");
    await screen.shows(/No citations[\s\S]*You:/);
    screen.ask("/copy");
    await screen.shows("the answer is in");
    screen.ask("/copy-all");
    await screen.shows("the conversation is in");
    expect(screen.output()).not.toContain("\u001B");
    const files = [
      ...screen
        .rows()
        .join("\n")
        .matchAll(/ is in (\S+)/g),
    ].map(([, file = ""]) => file);
    const [answer, conversation] = await Promise.all(files.map((file) => readFile(file, "utf8")));
    expect(answer).toContain("> And now?");
    expect(answer).not.toContain("> How long?");
    expect(conversation).toContain("> How long?");
  });

  test("the choice is kept until it is taken back", async () => {
    await using it = await world([]);
    await using first = await it.start({ args: ["--screen-reader"], prompt: /^You:/m });
    first.type(keys.ctrl("d"));
    await first.exit;
    await using second = await it.start({ prompt: /^You:/m });
    second.type(keys.ctrl("d"));
    await second.exit;
    await using third = await it.start({ args: ["--no-screen-reader"] });
    expect(third.modes().isAlternate).toBe(true);
  });
});

test("/copy says what it did, with permanent links; without a clipboard the terminal gets it", async () => {
  await using it = await world([reads, cited]);
  await using screen = await it.start({ env: { DISPLAY: "", WAYLAND_DISPLAY: "", TMUX: "" } });
  screen.ask("How long?");
  await screen.shows("2 citations");
  screen.type(`/copy${keys.enter}`);
  await screen.shows("sent the answer to the terminal's clipboard");
  const [encoded = ""] = screen.output().split("\u001B]52;c;")[1]?.split("\u0007") ?? [];
  const text = Buffer.from(encoded, "base64").toString();
  expect(text).toContain("> How long?");
  expect(text).toContain("1. `a.ts:1`");
});

test.each(["/new", "/clear"])("%s begins a conversation without the earlier turns", async (command) => {
  await using it = await world(() => "Fine.");
  await using screen = await it.start();
  screen.ask("One?");
  await screen.shows("Fine.");
  screen.type(`${command}${keys.enter}`);
  await screen.shows("Every claim comes with a source");
  screen.ask("Two?");
  await screen.shows("Fine.");
  expect(JSON.stringify(it.model.requests[1]?.body.messages)).not.toContain("One?");
});

test("/resume goes on with an earlier conversation", async () => {
  await using it = await world(() => "Fine.");
  await runCli(["ask", "--thread", "new", "-q", "What is delayMs?"], { cwd: it.folder.path });
  await using screen = await it.start();
  screen.type(`/resume${keys.enter}`);
  await screen.shows("❯ What is delayMs?");
  screen.type(keys.enter);
  await screen.shows(/^> What is delayMs\?/m);
  screen.ask("And then?");
  await expect.poll(() => it.model.requests.length).toBe(2);
});

test("/resume shows whether the cited lines are still there", async () => {
  await using it = await world([reads, cited]);
  await runCli(["ask", "--thread", "new", "-q", "What is delayMs?"], { cwd: it.folder.path });
  await using screen = await it.start();
  screen.type(`/resume${keys.enter}`);
  await screen.shows("all citations still hold");
  screen.type(keys.escape);
  await screen.hides("all citations still hold");
  await it.folder.write("//- demo/a.ts\nexport const delayMs = 200;\nexport const retries = 3;\n");
  screen.type(`/resume${keys.enter}`);
  await screen.shows("1 of 2 citations still hold");
  expect(screen.rows().join("\n")).toContain("What is delayMs?");
});

test("/resources lists them with their state; one that is chosen is mentioned in the prompt", async () => {
  await using it = await world(() => "Fine.");
  await using screen = await it.start();
  screen.type(`/resources${keys.enter}`);
  await screen.shows(/other +local, ready/);
  screen.type(`oth${keys.enter}`);
  await screen.shows("ask about it");
  screen.type(keys.enter);
  await screen.shows("❯ @other");
  screen.ask("What is there?");
  await screen.shows("Fine.");
  expect(it.model.requests[0]?.system).not.toContain("- demo:");
});

test("/export writes the conversation to a file, and not over another", async () => {
  await using it = await world([reads, cited]);
  await using screen = await it.start();
  screen.type(`/export${keys.enter}`);
  await screen.shows("there is no answer yet");
  screen.ask("How long?");
  await screen.shows("2 citations");
  screen.type(`/export${keys.enter}`);
  await screen.shows("exported to");
  expect(await readFile(path.join(it.folder.path, "how-long.md"), "utf8")).toContain("> How long?");
  screen.type(`/export how-long.md${keys.enter}`);
  await screen.shows("already exists");
});

test("/model chooses another model of the provider in use", async () => {
  await using it = await world(() => "Fine.", { models: ["scripted", "other-model"] });
  await using screen = await it.start();
  screen.type(`/model other-model${keys.enter}`);
  await screen.shows("Press any key to go back");
  screen.type(keys.enter);
  await screen.shows("openai-compat/other-model demo, other");
  screen.ask("Who answers?");
  await expect.poll(() => it.model.requests[0]?.body.model).toBe("other-model");
});

test("a command's own dialogue has the normal screen, and the conversation comes back", async () => {
  await using it = await world([]);
  await using screen = await it.start();
  screen.type(`/verify absent.md${keys.enter}`);
  await screen.shows("Press any key to go back");
  expect(screen.modes()).toMatchObject({ isAlternate: false, mouse: "none" });
  expect(screen.rows().join("\n")).toContain("absent.md");
  screen.type(keys.enter);
  await screen.shows("Every claim comes with a source");
});

test("text of a model cannot control the terminal", async () => {
  await using it = await world(["Red \u001B[31m and \u001B]0;title\u0007 \u001B[2J done."]);
  await using screen = await it.start();
  screen.ask("Hostile?");
  await screen.shows("done.");
  expect(screen.output()).not.toContain("\u001B]0;");
  expect(screen.output()).not.toContain("\u001B[2J");
  expect(screen.rows().join("\n")).toContain("> Hostile?");
});
