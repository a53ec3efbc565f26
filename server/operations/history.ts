import { replaceCitationLinks } from "../protocol/citation.ts";
import { formatMarker } from "../protocol/passage.ts";
import type { ThreadTurn } from "../protocol/threads.ts";

/** How much of a conversation goes along with a question, in UTF-16 units: some 15,000 tokens. */
const historyLength = 60_000;

export interface EarlierTurn {
  question: string;
  answer: string;
}

/** The earlier turns that the model sees: the newest that fit, at least the last, and only those with an answer. */
export function historyOf(turns: readonly ThreadTurn[]): EarlierTurn[] {
  const answered = turns.filter(({ text }) => text.trim() !== "").map(toEarlierTurn);
  let length = 0;
  const tooMuch = answered.findLastIndex(({ question, answer }, index) => {
    length += question.length + answer.length;
    return length > historyLength && index < answered.length - 1;
  });
  return answered.slice(tooMuch + 1);
}

function toEarlierTurn(turn: ThreadTurn): EarlierTurn {
  const note = turn.ended === undefined ? "" : "\n\n(This answer is not complete.)";
  return { question: turn.question, answer: withMarkers(turn) + note };
}

/**
 * The answer with a marker in place of each checked link: a model goes on in the form of what it wrote before, and a
 * link that it writes itself is not checked.
 */
function withMarkers({ text, citations }: ThreadTurn): string {
  return replaceCitationLinks(text, citations, formatMarker);
}
