import { groupsIn, packageName as name, withoutMarks } from "./question-forms.ts";

/** A question for the releases of a package. */
export interface ReleaseQuestion {
  /** As it is written; undefined if the question names none. */
  package: string | undefined;
  /** As the request for a history takes them. */
  commit?: string;
  since?: string;
}

const version = String.raw`(?:version\s+|release\s+|v)?(?<version>\d+(?:\.\d+)*(?:[-.]?(?:a|b|rc|alpha|beta|pre)[-.]?\d*)?)`;
const end = String.raw`(?=[\s?!,;)]|\.?(?:\s|$))`;
const released = String.raw`\s+(?:first\s+)?(?:released|published|come\s+out|appear)\b`;

/** Those for one version have the group `version`, the one for all of them `all`; the others ask for newer ones. */
const forms = [
  // when was zod 4 released, when did version 4 of zod come out
  String.raw`^\W*when\s+(?:was|did)\s+${name}[\s@]${version}${released}`,
  String.raw`^\W*when\s+(?:was|did)\s+${version}\s+of\s+${name}${released}`,
  // is there a newer version of express, what is the latest release of express, is express up to date
  String.raw`\bis\s+there\s+(?:a|any)\s+(?:newer|new|later|more recent)\s+(?:version|release)\s+(?:of|for)\s+${name}${end}`,
  String.raw`\b(?:newest|latest|most recent)\s+(?:published\s+)?(?:version|release)\s+of\s+${name}${end}`,
  String.raw`^\W*is\s+(?:our\s+|the\s+)?${name}\s+(?:out\s+of\s+date|outdated|up\s+to\s+date)${end}`,
  // which versions of zod are there, list the releases of zod
  String.raw`\b(?:which|what|list|show)\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?(?<all>versions|releases)\s+(?:of|does)\s+${name}(?:\s+(?:are\s+(?:there|available|published)|exist|have))?\W*$`,
].map((form) => new RegExp(form, "i"));

/** Whether a question asks for the releases of a package, and for which. */
export function releaseAsked(question: string): ReleaseQuestion | undefined {
  const { name: found, version: commit, all } = groupsIn(forms, withoutMarks(question)) ?? {};
  if (found === undefined) return undefined;
  const named = { package: /^(?:it|this|that|the|a)$/i.test(found) ? undefined : found };
  if (commit !== undefined) return { ...named, commit };
  return all === undefined ? named : { ...named, since: "0" };
}
