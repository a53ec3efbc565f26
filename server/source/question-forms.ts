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
