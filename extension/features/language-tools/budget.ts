export interface Budget {
  /** The budget in tokens. */
  tokenBudget: number;
  countTokens(text: string): Thenable<number>;
}

/** As much of `text` as the budget has room for, whole lines, and what was cut said. Undefined: all of it. */
export async function cutToBudget(text: string, budget: Budget | undefined): Promise<string> {
  if (budget === undefined) return text;
  const { tokenBudget, countTokens } = budget;
  let length = text.length;
  let kept = text;
  for (let tokens = await countTokens(kept); tokens > tokenBudget; tokens = await countTokens(kept)) {
    // A little less than the share that fits, and always less than before: a character takes more tokens here than
    // there.
    length = Math.floor(length * Math.min(0.9, (tokenBudget / tokens) * 0.9));
    if (length === 0) return "";
    kept = cut(text, length);
  }
  return kept;
}

function cut(text: string, length: number): string {
  const start = text.slice(0, length);
  const whole = start.slice(0, start.lastIndexOf("\n") + 1) || start;
  return `${whole}\n(Cut here: ${text.length - whole.length} of ${text.length} characters are left out. Ask for less.)`;
}
