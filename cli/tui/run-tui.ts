import { Writable } from "node:stream";
import { followUpTargets } from "../../client/conversation.ts";
import { usualTargets } from "../../client/usual-targets.ts";
import { loadConfig } from "../../server/config/config.ts";
import { createLookups } from "../../server/config/language/app-lookups.ts";
import { configLocation, connectApp, openLog } from "../app/open-app.ts";
import { prepareProject } from "../app/prepare-project.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { openHistory } from "../prompt/history.ts";
import { openSession } from "../prompt/open-session.ts";
import type { PickerItem } from "../prompt/prompt-context.ts";
import { resumeThread } from "../prompt/resume-thread.ts";
import type { Style } from "../render/style.ts";
import { type Terminal, write } from "../terminal.ts";
import { insert } from "./draft.ts";
import { handleInput } from "./handle-input.ts";
import { screenKeys } from "./help.ts";
import { createInlinePainter } from "./inline-painter.ts";
import { goOnLine, lastWords } from "./last-words.ts";
import type { TuiOptions } from "./tui.ts";
import type { Frame } from "./grid.ts";
import type { Screen } from "./modes.ts";
import { runInNormalScreen } from "./normal-screen.ts";
import { createPainter } from "./painter.ts";
import { openPicker, updateItems } from "./pick.ts";
import type { InputSource } from "./read-input.ts";
import { firstState } from "./state.ts";
import { ask } from "./submit.ts";
import { background, notify, type Tui } from "./tui-context.ts";
import { createView } from "./view.ts";

/** What the first screen was made with. */
export interface Opened {
  screen: Screen;
  style: Style;
  input: InputSource;
  shown: Frame;
}

/** Runs the conversation on a screen that shows its first frame already, until the user leaves. */
export async function runTui(
  options: TuiOptions,
  terminal: Terminal,
  { screen, style, input, shown }: Opened,
): Promise<number> {
  const { stdout, signal } = terminal;
  const warnings: string[] = [];
  const quiet = { ...terminal, stderr: collect(warnings) };
  await using app = await connectApp(quiet, { ...options, followsFolders: true });
  const { dataDirectory } = await loadConfig(configLocation(terminal));
  const history = await openHistory(dataDirectory);
  const view = createView(style);
  const isInline = options.inline === true;
  const painter = isInline
    ? createInlinePainter(terminal, { style, state: () => self.state, size: () => self.size() })
    : createPainter(terminal, { style, shown, draw: () => view.draw(self.state, self.size()) });
  const session = openSession(app, terminal, ({ type }) => {
    const { turns } = session.conversation;
    self.state = { ...self.state, turns, about: aboutOf(self), ...(type === "shown" ? unread : {}) };
    painter.later();
  });
  let quit = () => {};
  const isOver = new Promise<void>((resolve) => {
    quit = resolve;
  });
  const self: Tui = {
    state: firstState,
    picker: undefined,
    historyIndex: -1,
    turnToStop: undefined,
    preferences: options.preferences,
    keys: screenKeys,
    pressedAt: undefined,
    resources: [],
    model: "",
    app,
    lookups: app.lookups && createLookups({ app: app.lookups, log: openLog(quiet, options) }),
    server: options.server,
    session,
    history,
    view,
    screen,
    style,
    terminal,
    size: () => ({ columns: stdout.columns, rows: stdout.rows }),
    notify: (text, mark) => notify(self, text, mark),
    pick: (title, items) => pick(self, title, items),
    mention(name) {
      self.state = { ...self.state, draft: insert(self.state.draft, `@${name} `), focus: "prompt" };
    },
    ask: (question, resources) => ask(self, question, resources),
    runProgram: (args) => runInNormalScreen(self, args),
    setMouse: screen.setMouse,
    repaint: painter.now,
    redraw: painter.redraw,
    quit: () => quit(),
    refresh: () => refresh(self),
    async outside(work) {
      input.pause();
      painter.pause();
      screen.leave();
      try {
        await work();
      } finally {
        screen.enter();
        input.resume();
        painter.resume();
      }
    },
  };
  input.connect({
    onInput(inputs) {
      for (const one of inputs) handleInput(self, one);
      painter.now();
    },
    onEnd: quit,
  });
  stdout.on("resize", painter.redraw);
  signal.addEventListener("abort", quit, { once: true });
  let exitCode: number = exitCodes.ok;
  const hangUp = () => {
    exitCode = exitCodes.hungUp;
    quit();
  };
  process.once("SIGHUP", hangUp);
  if (options.thread !== undefined) await resumeThread(self, options.thread);
  painter.now();
  background(
    self,
    self.refresh().finally(() => prepareProject(app, { log: openLog(quiet, options) })),
  );
  await isOver;
  process.off("SIGHUP", hangUp);
  stdout.off("resize", painter.redraw);
  painter.stop();
  session.stop();
  // What is typed from now on is for the shell.
  input.pause();
  screen.leave();
  signal.throwIfAborted();
  if (exitCode !== exitCodes.ok) return exitCode;
  await write(stdout, isInline ? goOnLine(session.conversation) : lastWords(session.conversation, style));
  for (const warning of warnings) terminal.stderr.write(warning);
  return exitCode;
}

/** Warnings and log lines would disturb the screen: they are shown when it is left. */
function collect(lines: string[]): Terminal["stderr"] {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return Object.assign(stream, { isTTY: false, columns: 80 });
}

/** The view of a conversation that was just shown. */
const unread = { source: undefined, anchor: undefined, queue: [], focus: "prompt" } as const;

/** Opens a list; the result replaces its items, and returns whether it is still open. */
function pick(self: Tui, title: string, items: readonly PickerItem[]): (items: readonly PickerItem[]) => boolean {
  openPicker(self, title, items);
  self.repaint();
  let { picker } = self;
  return (changed) => {
    if (self.picker !== picker) return false;
    updateItems(self, changed);
    ({ picker } = self);
    self.repaint();
    return true;
  };
}

/** Model and resources of the next question. */
function aboutOf({ session: { conversation }, model, resources }: Tui): string {
  const targets = followUpTargets(conversation);
  const last = conversation.turns.findLast(({ answer }) => answer.model.model !== "")?.answer;
  const names = targets.length > 0 ? targets : (last?.resources ?? usualTargets(resources).map(({ name }) => name));
  return [model, names.join(", ")].filter((part) => part !== "").join("  ");
}

/** Reads the configuration, which the first paint does not need. */
async function refresh(self: Tui): Promise<void> {
  const { app } = self;
  const [config, { resources }] = await Promise.all([app.getConfig({}), app.listResources({})]);
  self.resources = resources;
  self.model = `${config.provider}/${config.model}`;
  const welcome = config.provider === "builtin" ? [...firstState.welcome, extractsNote] : firstState.welcome;
  self.state = { ...self.state, about: aboutOf(self), welcome };
}

/** Part of the welcome without a model. */
const extractsNote = "Answers are extracts, word for word; /connect chooses a model that explains.";
