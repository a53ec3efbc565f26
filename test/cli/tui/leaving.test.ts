import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { openTerminal, type TerminalScreen } from "../../support/screen.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

const restored = { isAlternate: false, mouse: "none", isCursorHidden: false };
const ctrl = (letter: string) => String.fromCharCode(letter.charCodeAt(0) - 96);

/** A folder in which a question's answer begins and never ends. */
async function world() {
  const folder = await temporaryFolder("//- a.ts\nexport {};\n");
  const model = await scriptedModel([{ text: ["One "], hang: true }]);
  const resources = [{ type: "local", name: "demo", path: folder.path }];
  await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify({ ...model.config, resources })}`);
  return {
    folder,
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A module for `--import`, which does something on SIGUSR2. */
function onSignal(source: string): Record<string, string> {
  const module = `process.on("SIGUSR2", () => { ${source} });`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(module)}` };
}

async function askIn(screen: TerminalScreen): Promise<void> {
  await screen.shows(/^❯/m);
  screen.type("How long?\r");
  await screen.shows("One");
}

describe("the terminal is restored", () => {
  test.each([
    ["an error that nothing catches", 'throw new Error("boom");', "boom"],
    ["a rejection that nothing handles", 'Promise.reject(new Error("boom"));', "boom"],
    ["process.exit", "process.exit(3);", ""],
  ])("after %s, and its message can be read", async (_, source, message) => {
    await using it = await world();
    await using screen = openTerminal([], { cwd: it.folder.path, env: onSignal(source) });
    await askIn(screen);
    screen.signal("SIGUSR2");
    expect(await screen.exit).not.toBe(0);
    await screen.shows(message);
    expect(screen.modes()).toEqual(restored);
  });

  test("by quitting while an answer streams", async () => {
    await using it = await world();
    await using screen = openTerminal([], { cwd: it.folder.path });
    await askIn(screen);
    screen.type(ctrl("q"));
    expect(await screen.exit).toBe(0);
    expect(screen.modes()).toEqual(restored);
  });

  test("while it is suspended; fg shows the conversation again, and quitting leaves stty as it was", async () => {
    await using it = await world();
    await using screen = openTerminal([], { cwd: it.folder.path, isShell: true });
    const settings = async (mark: string) => {
      screen.type(`stty -g; echo ${mark}\r`);
      await screen.shows(new RegExp(`^${mark}`, "m"));
      return screen.rows().findLast((row) => /^[0-9a-f]+(:[0-9a-f]+)+/.test(row));
    };
    await screen.shows("$");
    const before = await settings("before");
    expect(before).toBeDefined();
    screen.type('eval "$CITEWELL"\r');
    await askIn(screen);
    screen.type(ctrl("z"));
    // What is typed before the shell reads again would be lost.
    await screen.shows("Stopped");
    expect(screen.modes()).toEqual(restored);
    expect(await settings("suspended")).toBe(before);
    screen.type("fg\r");
    await screen.shows("One");
    expect(screen.modes()).toMatchObject({ isAlternate: true, isCursorHidden: false });
    screen.type(ctrl("q"));
    await screen.shows("to go on: citewell threads resume");
    expect(screen.modes()).toEqual(restored);
    expect(await settings("after")).toBe(before);
  });
});
