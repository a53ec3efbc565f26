import type { Answer } from "../../server/protocol/ask.ts";
import type { PromptContext } from "./prompt-context.ts";

/** A short form of `/include`. */
export const includeSign = "+";

/** Says that dependencies which the question names are installed; undefined without any. */
export function offersNote({ offers = [] }: Pick<Answer, "offers">): string | undefined {
  if (offers.length === 0) return undefined;
  const names = offers.map(({ name, version }) => `${name} ${version}`).join(", ");
  return `installed here: ${names}; type ${includeSign} to ask about ${offers.length === 1 ? "it" : "them"} as well`;
}

/** Asks the last question again, about the dependencies that it names as well. */
export function includeOffers(context: PromptContext): void | Promise<void> {
  const last = context.session.conversation.turns.at(-1);
  const offered = (last?.answer.offers ?? []).map(({ reference }) => reference);
  if (last === undefined || offered.length === 0)
    return context.notify("the last question names no further dependency", "warning");
  return context.ask(last.question, [...last.answer.resources, ...offered]);
}
