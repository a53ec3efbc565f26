import * as vscode from "vscode";

/** One question of several: it takes what is known so far and adds its answer. */
export type Step<Draft> = (draft: Draft, place: Place) => Promise<Answered<Draft>>;

export interface Place {
  title: string;
  step: number;
  /** Counts the step itself; may change with each answer. */
  totalSteps: number;
}

export type Answered<Draft> = { type: "next"; draft: Draft } | { type: "back" } | { type: "cancelled" };

/**
 * Asks one question after the other, with a way back to each; what was answered stays filled in. Undefined where the
 * person left.
 */
export async function askSteps<Draft>(
  start: Draft,
  { title, stepsOf }: { title: string; stepsOf(draft: Draft): readonly Step<Draft>[] },
): Promise<Draft | undefined> {
  let draft = start;
  for (let index = 0; ;) {
    const steps = stepsOf(draft);
    const step = steps[index];
    if (step === undefined) return draft;
    const answered = await step(draft, { title, step: index + 1, totalSteps: steps.length });
    if (answered.type === "cancelled") return undefined;
    if (answered.type === "back") index = Math.max(0, index - 1);
    else {
      draft = answered.draft;
      index++;
    }
  }
}

export interface TextQuestion extends Place {
  prompt: string;
  placeholder?: string | undefined;
  value?: string | undefined;
  isSecret?: boolean;
  /** The fault of the input as typed; undefined if it is valid. */
  validate(text: string): string | undefined;
}

/** A line of text, checked while it is typed. */
export async function askText(question: TextQuestion): Promise<Answered<string>> {
  const box = vscode.window.createInputBox();
  const { title, step, totalSteps, prompt, placeholder, value = "", isSecret = false, validate } = question;
  Object.assign(box, { title, step, totalSteps, prompt, placeholder, value, password: isSecret, ignoreFocusOut: true });
  box.buttons = step > 1 ? [vscode.QuickInputButtons.Back] : [];
  return answerOf<string>(box, (answer) => {
    box.onDidChangeValue((text) => {
      // An empty box is not an error yet; Enter reports what is missing.
      box.validationMessage = text === "" ? undefined : validate(text.trim());
    });
    box.onDidAccept(() => {
      const text = box.value.trim();
      const fault = validate(text);
      if (fault === undefined) answer({ type: "next", draft: text });
      else box.validationMessage = fault;
    });
  });
}

/** Shows a quick input until it is answered; the back button and Escape are answers, too. */
export async function answerOf<Draft>(
  input: vscode.InputBox | vscode.QuickPick<vscode.QuickPickItem>,
  listen: (answer: (answered: Answered<Draft>) => void) => void,
): Promise<Answered<Draft>> {
  return new Promise<Answered<Draft>>((resolve) => {
    const answer = (answered: Answered<Draft>) => {
      resolve(answered);
      input.dispose();
    };
    input.onDidTriggerButton(() => answer({ type: "back" }));
    input.onDidHide(() => answer({ type: "cancelled" }));
    listen(answer);
    input.show();
  });
}
