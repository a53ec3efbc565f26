import { answerWords, english, formatNumber, joinList, type Language } from "./answer-words.ts";
import { type Citation, CitationState, citationStateWords, isProved } from "./citation.ts";

/** `7 citations: 6 verified, 1 not read in this run.` */
export function tallyCitations(citations: readonly Pick<Citation, "state">[], language: Language = english): string {
  const { say } = language;
  if (citations.length === 0) return say(answerWords.citationsNone);
  const counts = CitationState.options.flatMap((state) => {
    const count = citations.filter((citation) => citation.state === state).length;
    return count === 0
      ? []
      : [say(answerWords.countOfState, formatNumber(count, language), say(citationStateWords[state]))];
  });
  const sentence = citations.length === 1 ? answerWords.citationOne : answerWords.citations;
  return say(sentence, formatNumber(citations.length, language), joinList(counts, language));
}

/** What the tally does not claim; undefined where no citation is proved. */
export function explainVerified(
  citations: readonly Pick<Citation, "state">[],
  { say }: Language = english,
): string | undefined {
  return citations.some(isProved) ? say(answerWords.verifiedMeans) : undefined;
}
