/** A question for the releases of a package. */
export interface ReleaseQuestion {
  /** As it is written; undefined if the question names none. */
  package: string | undefined;
  /** As the request for a history takes them. */
  commit?: string;
  since?: string;
}

const name = String.raw`(?<name>@?[A-Za-z][\w@./:+-]*?)`;
const version = String.raw`(?:version\s+|release\s+|v)?(?<version>\d+(?:\.\d+)*(?:[-.]?(?:a|b|rc|alpha|beta|pre)[-.]?\d*)?)`;
const end = String.raw`(?=[\s?!,;)]|\.?(?:\s|$))`;

const released = String.raw`\s+(?:first\s+)?(?:released|published|come\s+out|appear)\b`;

interface Form {
  form: RegExp;
  asks: "newer" | "all" | "one";
}

const forms: readonly Form[] = [
  // when was zod 4 released, when did version 4 of zod come out
  { asks: "one", form: new RegExp(String.raw`^\W*when\s+(?:was|did)\s+${name}[\s@]${version}${released}`, "i") },
  {
    asks: "one",
    form: new RegExp(String.raw`^\W*when\s+(?:was|did)\s+${version}\s+of\s+${name}${released}`, "i"),
  },
  // is there a newer version of express, what is the latest release of express, is express up to date
  {
    asks: "newer",
    form: new RegExp(
      String.raw`\bis\s+there\s+(?:a|any)\s+(?:newer|new|later|more recent)\s+(?:version|release)\s+(?:of|for)\s+${name}${end}`,
      "i",
    ),
  },
  {
    asks: "newer",
    form: new RegExp(
      String.raw`\b(?:newest|latest|most recent)\s+(?:published\s+)?(?:version|release)\s+of\s+${name}${end}`,
      "i",
    ),
  },
  {
    asks: "newer",
    form: new RegExp(
      String.raw`^\W*is\s+(?:our\s+|the\s+)?${name}\s+(?:out\s+of\s+date|outdated|up\s+to\s+date)${end}`,
      "i",
    ),
  },
  // which versions of zod are there, list the releases of zod
  {
    asks: "all",
    form: new RegExp(
      String.raw`\b(?:which|what|list|show)\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?(?:versions|releases)\s+(?:of|does)\s+${name}(?:\s+(?:are\s+(?:there|available|published)|exist|have))?\W*$`,
      "i",
    ),
  },
];

/** Whether a question asks for the releases of a package, and for which. */
export function releaseAsked(question: string): ReleaseQuestion | undefined {
  const plain = question.replace(/[`"“”‘’]|@(?=(?:npm|pypi|cargo|go|maven):)/g, "");
  for (const { form, asks } of forms) {
    const { name: found, version: wanted } = form.exec(plain)?.groups ?? {};
    if (found === undefined) continue;
    const named = { package: /^(?:it|this|that|the|a)$/i.test(found) ? undefined : found };
    if (asks === "one") return wanted === undefined ? undefined : { ...named, commit: wanted };
    return asks === "all" ? { ...named, since: "0" } : named;
  }
  return undefined;
}
