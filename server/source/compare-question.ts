import { memberPaths, writtenNames } from "./words.ts";

const changing =
  /\b(?:chang\w*|differ\w*|compar\w*|what(?:['’]?s| is) new|new in|remov\w*|delet\w*|dropp?\w*|added|renam\w*|mov(?:ed|es)|gone|break\w*|migrat\w*|upgrad\w*|between|no longer|anymore)\b/i;
const path = /(?<![\w/.@:-])(?:[\w@.-]+\/)+[\w.-]+\.\w+/;

/**
 * Whether a question that is about two versions asks what differs, and of which definition or file: "what changed in
 * res.send?"
 */
export function comparisonAsked(question: string): { place: string | undefined } | undefined {
  if (!changing.test(question)) return undefined;
  const [file] = path.exec(question) ?? [];
  const [member] = memberPaths(question);
  const [name] = writtenNames(question);
  return { place: file ?? member ?? name };
}
