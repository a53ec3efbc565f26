import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { interruptible } from "../input/interruptible.ts";
import type { Terminal } from "../terminal.ts";
import { draftOf, wholeText } from "./draft.ts";
import { editorCommand } from "./editor-command.ts";
import { notify, type Tui } from "./tui-context.ts";

/** Lets the user write the question in an editor. */
export async function editQuestion(tui: Tui): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "citewell-question-"));
  const file = path.join(folder, "question.md");
  const { env, platform } = tui.terminal;
  try {
    await writeFile(file, wholeText(tui.state.draft), { mode: 0o600 });
    const [program = "vi", ...args] = editorCommand({ file, line: 1 }, { env, platform });
    await tui.outside(async () => {
      const fault = await runEditor(program, args, tui.terminal);
      if (fault !== undefined) notify(tui, `${program} did not start: ${fault}; set $VISUAL or $EDITOR`, "bad");
    });
    tui.state = { ...tui.state, draft: draftOf((await readFile(file, "utf8")).trimEnd()) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What went wrong, if the program could not be started. Ctrl+C is the editor's. */
export function runEditor(
  program: string,
  args: readonly string[],
  { signal, platform }: Pick<Terminal, "signal" | "platform">,
): Promise<string | undefined> {
  return interruptible(
    signal,
    () =>
      new Promise((resolve) => {
        const child = spawn(program, args, { stdio: "inherit", shell: platform === "win32" });
        child.once("error", ({ message }) => resolve(message));
        child.once("exit", () => resolve(undefined));
      }),
  );
}
