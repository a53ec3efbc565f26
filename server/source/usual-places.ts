import { withIt } from "./question-forms.ts";
import type { SpecialPlace } from "./special-place.ts";
import { forContributors } from "./usual-for-contributors.ts";
import { forUsers } from "./usual-for-users.ts";

const usual = [...forContributors, ...forUsers];

/**
 * The place that answers a question which most projects answer.
 * @param own the words of the project's name
 */
export function usualPlace(text: string, own: ReadonlySet<string>): SpecialPlace | undefined {
  if (text.length > longestQuestion) return undefined;
  const plain = withIt(text, own);
  return usual.find(({ asks, except }) => asks.test(plain) && except?.test(plain) !== true);
}

/** In characters: a longer text is pasted, and would be tested against all forms for seconds. */
const longestQuestion = 400;
