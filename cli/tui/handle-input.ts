import { runningTurn } from "../../client/conversation.ts";
import { copySelection, handleMouse, scroll } from "./handle-mouse.ts";
import { splitGraphemes } from "../render/width.ts";
import { moveCitation, openCitation, scrollSource } from "./cited.ts";
import { complete } from "./complete.ts";
import { draftOf, edit, emptyDraft, insert, paste } from "./draft.ts";
import { editQuestion } from "./edit-question.ts";
import type { TerminalInput } from "./input.ts";
import { chosenItem, closeList, editQuery, moveChoice, openPicker } from "./pick.ts";
import { submit } from "./submit.ts";
import { searchTranscript } from "./search-transcript.ts";
import { background, notify, type Tui } from "./tui-context.ts";

/** Changes the state as the user wants; the caller repaints. */
export function handleInput(tui: Tui, input: TerminalInput): void {
  if (input.type === "focus") return;
  if (input.type === "mouse") return handleMouse(tui, input);
  notify(tui, "");
  if (input.type !== "key" || input.key !== "escape") tui.turnToStop = undefined;
  const isCopied =
    !tui.preferences.copyOnSelect && input.type === "key" && input.key === "ctrl+c" && copySelection(tui);
  tui.state = { ...tui.state, selection: undefined };
  if (isCopied) return;
  if (input.type === "key" && handleGlobalKey(tui, input.key)) return;
  if (tui.state.list !== undefined && handleList(tui, input)) return;
  if (tui.state.focus === "answer") {
    const [first = "", ...rest] = input.type === "text" ? splitGraphemes(input.text) : [""];
    handleReading(tui, input.type === "text" ? { type: "text", text: first } : input);
    // What the first letter opens takes the rest.
    if (rest.length > 0) handleInput(tui, { type: "text", text: rest.join("") });
    return;
  }
  handlePrompt(tui, input);
}

/** Keys that do the same everywhere. */
function handleGlobalKey(tui: Tui, key: string): boolean {
  const page = Math.max(1, tui.view.transcript(tui.state, tui.size()).viewport.height - 2);
  switch (key) {
    case "ctrl+q":
      tui.quit();
      return true;
    case "ctrl+l":
      tui.redraw();
      return true;
    case "ctrl+z":
      suspend(tui);
      return true;
    case "pageup":
      scroll(tui, -page);
      return true;
    case "pagedown":
      scroll(tui, page);
      return true;
    case "ctrl+home":
      scroll(tui, -Infinity);
      return true;
    case "ctrl+end":
      tui.state = { ...tui.state, anchor: undefined };
      return true;
    case "ctrl+n":
    case "ctrl+p":
      background(tui, moveCitation(tui, key === "ctrl+n" ? 1 : -1));
      return true;
    case "shift+up":
    case "shift+down":
      scrollSource(tui, key === "shift+up" ? -1 : 1);
      return true;
    case "ctrl+o":
      background(tui, openCitation(tui));
      return true;
    case "ctrl+t":
      unfold(tui, { reasoning: true, tools: true });
      return true;
    default:
      return false;
  }
}

/** Back in the shell until `fg`; on Windows there is no such signal. */
function suspend(tui: Tui): void {
  if (tui.terminal.platform === "win32") return;
  tui.screen.leave();
  process.once("SIGCONT", () => {
    tui.screen.enter();
    tui.redraw();
  });
  process.kill(0, "SIGTSTP");
}

function unfold(tui: Tui, which: { reasoning?: boolean; tools?: boolean }): void {
  const { unfolded } = tui.state;
  tui.state = {
    ...tui.state,
    unfolded: {
      reasoning: which.reasoning === true ? !unfolded.reasoning : unfolded.reasoning,
      tools: which.tools === true ? !unfolded.tools : unfolded.tools,
    },
  };
}

/** False when the open list leaves the input to the prompt. */
function handleList(tui: Tui, input: TerminalInput): boolean {
  const key = input.type === "key" ? input.key : "";
  if (key === "up" || key === "down") moveChoice(tui, key === "up" ? -1 : 1);
  else if (key === "escape" || key === "ctrl+c") {
    const isCompletion = tui.picker?.isCompletion === true;
    closeList(tui);
    // Ctrl+C clears the prompt, too.
    return key === "escape" || !isCompletion;
  } else if (key === "tab" || key === "enter") {
    const isCompletion = tui.picker?.isCompletion === true;
    const item = chosenItem(tui) ?? (key === "tab" ? tui.picker?.items[0] : undefined);
    closeList(tui);
    // Enter runs a command that is typed in full, or whose completions were not touched.
    if (key === "enter" && isCompletion && (item === undefined || item.label === tui.state.draft.text.trim()))
      return false;
    background(tui, item?.choose?.(""));
    if (isCompletion) complete(tui);
  } else return editQuery(tui, input);
  return true;
}

function handleReading(tui: Tui, input: TerminalInput): void {
  const key = input.type === "text" ? input.text : input.type === "key" ? input.key : "";
  switch (key) {
    case "n":
      return background(tui, moveCitation(tui, 1));
    case "N":
    case "p":
      return background(tui, moveCitation(tui, -1));
    case "enter":
      return background(tui, openCitation(tui));
    case "r":
      return unfold(tui, { reasoning: true });
    case "t":
      return unfold(tui, { tools: true });
    case "/":
      return searchTranscript(tui);
    case "up":
    case "k":
      return scroll(tui, -1);
    case "down":
    case "j":
      return scroll(tui, 1);
    case "K":
      return scrollSource(tui, -1);
    case "J":
      return scrollSource(tui, 1);
    case "home":
    case "g":
      return scroll(tui, -Infinity);
    case "end":
    case "G":
      tui.state = { ...tui.state, anchor: undefined };
      return;
    case "ctrl+c":
      return tui.quit();
    case "escape":
    case "tab":
    case "i":
      tui.state = { ...tui.state, focus: "prompt", source: undefined };
      return;
    default:
      if (input.type === "key") return;
      // A question begins: no letter of it is lost.
      tui.state = { ...tui.state, focus: "prompt" };
      handlePrompt(tui, input);
  }
}

function handlePrompt(tui: Tui, input: TerminalInput): void {
  const { draft } = tui.state;
  if (input.type === "text") return change(tui, insert(draft, input.text));
  if (input.type === "paste") return change(tui, paste(draft, input.text));
  if (input.type !== "key") return;
  const edited = edit(draft, input.key);
  if (edited !== undefined) return change(tui, edited);
  switch (input.key) {
    case "enter":
      if (draft.text.slice(0, draft.cursor).endsWith("\\")) {
        const before = edit(draft, "backspace") ?? draft;
        return change(tui, insert(before, "\n"));
      }
      return submit(tui);
    case "alt+enter":
    case "shift+enter":
    case "ctrl+j":
      return change(tui, insert(draft, "\n"));
    case "up":
    case "down":
      return moveInHistory(tui, input.key);
    case "tab":
      if (draft.text !== "") return complete(tui);
      if (tui.state.turns.length > 0) tui.state = { ...tui.state, focus: "answer" };
      return;
    case "escape":
      return stop(tui);
    case "ctrl+c":
      if (draft.text === "") return tui.quit();
      return change(tui, emptyDraft);
    case "ctrl+d":
      if (draft.text === "") tui.quit();
      return;
    case "ctrl+r":
      return searchHistory(tui);
    case "ctrl+g":
      return background(tui, editQuestion(tui));
  }
}

function change(tui: Tui, draft: Tui["state"]["draft"]): void {
  tui.state = { ...tui.state, draft };
  complete(tui);
}

/** The first Escape asks, the second stops the answer. Without an answer it closes the cited lines. */
function stop(tui: Tui): void {
  const running = runningTurn(tui.session.conversation);
  if (running === undefined) {
    tui.state = { ...tui.state, source: undefined };
    return;
  }
  if (tui.turnToStop === running.id) {
    tui.session.stop();
    return;
  }
  tui.turnToStop = running.id;
  notify(tui, "press Escape again to stop the answer", "warning");
}

/** Moves through the earlier questions; within a prompt of several lines, through its lines first. */
function moveInHistory(tui: Tui, key: "up" | "down"): void {
  const { draft, queue } = tui.state;
  const { text, cursor } = draft;
  const before = text.lastIndexOf("\n", cursor - 1);
  const after = text.indexOf("\n", cursor);
  if (key === "up" && before !== -1) {
    const start = text.lastIndexOf("\n", before - 1) + 1;
    return change(tui, { ...draft, cursor: Math.min(start + cursor - before - 1, before) });
  }
  if (key === "down" && after !== -1) {
    const end = text.indexOf("\n", after + 1);
    const column = cursor - (before + 1);
    return change(tui, { ...draft, cursor: Math.min(after + 1 + column, end === -1 ? text.length : end) });
  }
  const last = queue.at(-1);
  if (key === "up" && text === "" && last !== undefined) {
    tui.state = { ...tui.state, queue: queue.slice(0, -1), draft: draftOf(last) };
    return;
  }
  const index = tui.historyIndex + (key === "up" ? 1 : -1);
  const line = index === -1 ? "" : tui.history.lines[index];
  if (line === undefined) return;
  tui.historyIndex = index;
  tui.state = { ...tui.state, draft: draftOf(line) };
}

function searchHistory(tui: Tui): void {
  const items = tui.history.lines.map((line) => ({
    label: line,
    choose() {
      tui.state = { ...tui.state, draft: draftOf(line) };
    },
  }));
  openPicker(tui, "earlier questions", items);
}
