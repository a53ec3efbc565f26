/** The name of a package as questions write it: the group `name` of an expression. */
export const packageName = String.raw`(?<name>@?[A-Za-z][\w@./:+-]*?)`;

/** A question without the marks around names, and without the one that mentions a package. */
export function withoutMarks(question: string): string {
  return question.replace(/[`"“”‘’]|@(?=(?:npm|pypi|cargo|go|maven):)/g, "");
}

/** The groups of the first form that a text has. */
export function groupsIn(forms: readonly RegExp[], text: string): Readonly<Record<string, string>> | undefined {
  for (const form of forms) {
    const found = form.exec(text);
    if (found !== null) return found.groups;
  }
  return undefined;
}

/** A word for the project, which also stands for its name. */
export const it =
  "(?:it|this|that|(?:the|this) (?:(?:command[- ]line|main|whole|entire) )?(?:project|tool|library|package|program(?:me)?|app|application|cli|binary|executable|crate|gem|module|server|code ?base|monorepo|repo(?:sitory)?|framework|software|thing))";
/** Whoever asks, or uses the project. */
export const who = "(?:i|we|you|one|people|users)";

/** One expression of several forms of a question. */
export function asked(...forms: string[]): RegExp {
  return new RegExp(forms.join("|"), "i");
}

/** The text with “it” for the project's name. */
export function withIt(text: string, own: ReadonlySet<string>): string {
  return text.replace(/[\w.-]*\w/g, (word) => (own.has(word.toLowerCase()) ? "it" : word));
}
