import { extractMentions, type Mentionable } from "../server/protocol/mentions.ts";

/** What a question may be about. */
export interface TargetOptions {
  /** Resources that the question mentions, and those that a command names with it. */
  named: readonly string[];
  /** The user's standing choice, such as the ticked rows of a tree. */
  selected?: readonly string[];
  /** What the conversation is about so far (`followUpTargets`). */
  previous?: readonly string[];
}

/** What a question is about. */
export interface Targets {
  /** What the question itself named, or continues from the one before; the next question continues from it. */
  named: readonly string[];
  /** What the request asks about; empty means every resource. */
  resources: readonly string[];
}

/** Decides what a question is about: what it names, else what is selected, else what the question before it named. */
export function targetsOf({ named, selected = [], previous = [] }: TargetOptions): Targets {
  if (named.length > 0) {
    const resources = [...new Set(named)];
    return { named: resources, resources };
  }
  return selected.length > 0 ? { named: [], resources: selected } : { named: previous, resources: previous };
}

/** Takes the mentions out of a question. A text of mentions alone stays whole: without them it would ask nothing. */
export function readQuestion(
  text: string,
  mentionable: Mentionable,
): { question: string; mentioned: readonly string[] } {
  const { question, resources } = extractMentions(text, mentionable);
  return { question: question.trim() === "" ? text : question, mentioned: resources };
}
