import { CitewellError } from "../../server/errors.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import type { Terminal } from "../terminal.ts";

/** An entry of a menu. */
export interface Choice {
  value: string;
  label: string;
  hint?: string;
}

/** Questions to the person at the terminal. Each throws Cancelled when it is left with Ctrl+C or Escape. */
export interface Prompts {
  select(message: string, choices: readonly Choice[]): Promise<string>;
  /** Asks with a long list, which typing narrows down. */
  find(message: string, choices: readonly Choice[]): Promise<string>;
  selectSome(message: string, choices: readonly Choice[]): Promise<string[]>;
  /**
   * `validate` returns the fault of an answer, or undefined; repeats the prompt for an empty answer unless optional.
   */
  text(message: string, options?: TextOptions): Promise<string>;
  /** Asks without an echo. */
  secret(message: string, options?: Pick<TextOptions, "isOptional">): Promise<string>;
  confirm(message: string): Promise<boolean>;
}

/** Options of a text prompt. */
export interface TextOptions {
  /** Editable text. */
  initial?: string | undefined;
  /** The answer of Enter alone, shown until something is typed. */
  usual?: string | undefined;
  isOptional?: boolean;
  validate?: (answer: string) => string | undefined;
}

/** Whether someone is there to ask: who reads and types at a terminal, and has not said `--no-input`. */
export function canPrompt(
  { stdin, stderr }: Terminal,
  { input, json }: Pick<CommonOptions, "input" | "json">,
): boolean {
  return stdin.isTTY && stderr.isTTY && input && json !== true;
}

/** Prompts on standard error. Without a terminal it throws `missing`, which names the argument or option to use. */
export async function openPrompts(
  terminal: Terminal,
  options: Pick<CommonOptions, "input" | "json">,
  missing: CitewellError,
): Promise<Prompts> {
  if (!canPrompt(terminal, options)) throw missing;
  const clack = await import("@clack/prompts");
  const { stdin: input, stderr: output, signal } = terminal;
  const common = { input, output, signal };

  /** Undefined is an empty answer. */
  const answered = async <Answer>(asking: Promise<Answer | symbol>): Promise<Exclude<Answer, symbol>> => {
    const answer = await asking;
    if (isAnswer(answer)) return answer;
    throw new CitewellError("Cancelled", "nothing was changed");
  };
  return {
    select: (message, choices) => answered(clack.select({ ...common, message, options: [...choices] })),
    find: (message, choices) =>
      answered(clack.autocomplete({ ...common, message, options: [...choices], maxItems: 12 })),
    selectSome: (message, choices) =>
      answered(clack.multiselect({ ...common, message, options: [...choices], required: true })),
    async text(message, { initial, usual, isOptional = false, validate } = {}) {
      const answer = await answered(
        clack.text({
          ...common,
          message,
          ...(initial === undefined ? {} : { initialValue: initial }),
          ...(usual === undefined ? {} : { placeholder: usual, defaultValue: usual }),
          validate(value = "") {
            const given = value.trim() === "" ? (usual ?? "") : value.trim();
            return given === "" ? (isOptional ? undefined : "it is needed") : validate?.(given);
          },
        }),
      );
      return (answer ?? "").trim();
    },
    async secret(message, { isOptional = false } = {}) {
      const answer = await answered(
        clack.password({
          ...common,
          message,
          validate: (value = "") => (value.trim() === "" && !isOptional ? "it is needed" : undefined),
        }),
      );
      return (answer ?? "").trim();
    },
    confirm: (message) => answered(clack.confirm({ ...common, message, initialValue: false })),
  };
}

function isAnswer<Answer>(answer: Answer | symbol): answer is Exclude<Answer, symbol> {
  return typeof answer !== "symbol";
}
