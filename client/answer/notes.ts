import type { Answer } from "../../server/protocol/ask.ts";
import { answerWords, english, type Language } from "../../server/protocol/answer-words.ts";
import { tallyCitations } from "../../server/protocol/tally.ts";
import type { ShownTurn } from "../conversation.ts";
import { runningStep, stepOf } from "./steps.ts";

/** What a reader should know about an answer. */
export interface Note {
  /** What it is about, with a colon: `May be out of date:`. */
  title: string;
  text: string;
}

/** What an answer is waiting for. */
export interface Activity {
  text: string;
  /** How much of it is done, from 0 to 1, if it is known. */
  fraction?: number | undefined;
}

/** What goes on while an answer is made: the resources that arrive, the tool at work, or what the model does. */
export function activitiesOf(
  { answer, arriving = {} }: Pick<ShownTurn, "answer" | "arriving">,
  language: Language = english,
): Activity[] {
  const arrivals = Object.values(arriving);
  if (arrivals.length > 0) {
    return arrivals.map(({ resource, message, fraction }) => ({ text: `${resource}: ${message}`, fraction }));
  }
  const tool = runningStep(answer.tools);
  if (tool !== undefined) return [{ text: stepOf(tool, language).title }];
  const { thinking, working, writing } = answerWords;
  const word = answer.text !== "" ? writing : answer.reasoning !== "" ? thinking : working;
  return [{ text: language.say(word) }];
}

/** What is to be known before reading: resources that are old or were not read, and faults of the configuration. */
export function notesBefore(
  { snapshots, unavailable = [], warnings = [] }: Pick<Answer, "snapshots" | "unavailable" | "warnings">,
  { say }: Language = english,
): Note[] {
  return [
    ...snapshots.flatMap(({ resource, stale }) =>
      stale === undefined ? [] : [{ title: say(answerWords.mayBeStale), text: `${resource} – ${stale}` }],
    ),
    ...unavailable.map(({ resource, error }) => ({ title: say(answerWords.unavailable, resource), text: error })),
    ...warnings.map((text) => ({ title: say(answerWords.configuration), text })),
  ];
}

/**
 * Why an answer is not whole. The error that ended it is shown by itself, and the text of an answer that was stopped at a
 * limit ends with that limit.
 */
export function noteAfter(turn: EndedTurn, { say }: Language = english): string | undefined {
  const end = endOf(turn);
  return end && say(end);
}

type EndedTurn = Pick<ShownTurn, "status" | "error"> & { answer: Pick<Answer, "text"> };

/** How an answer ended, in a sentence for screen readers. Undefined while it is made. */
export function outcomeOf(
  { status, error, answer }: Pick<ShownTurn, "answer" | "status" | "error">,
  language: Language = english,
): string | undefined {
  const { say } = language;
  switch (status) {
    case "running":
      return undefined;
    case "failed":
      return say(answerWords.saidFailed, error?.error ?? "");
    case "cancelled":
      return say(answerWords.saidStopped);
    case "done":
      return say(answerWords.saidDone, tallyCitations(answer.citations, language));
  }
}

function endOf({ status, error, answer }: EndedTurn): string | undefined {
  const hasText = answer.text.trim() !== "";
  switch (status) {
    case "running":
      return undefined;
    case "done":
      return hasText ? undefined : answerWords.emptyAnswer;
    case "cancelled":
      return hasText ? answerWords.cancelled : answerWords.cancelledEmpty;
    case "failed":
      return hasText ? answerWords.failedPartly : error === undefined ? answerWords.failedEmpty : undefined;
  }
}
