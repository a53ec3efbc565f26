import { describe, expect, test } from "vitest";
import { answeredQuestions, type Said } from "../../support/surfaces/answers.ts";
import { type SurfaceName, surfaces } from "../../support/surfaces/surfaces.ts";

/** What each surface says of an answer; JSON has the answer itself. */
const subjects: Record<Exclude<SurfaceName, "JSON">, readonly (keyof Said)[]> = {
  "Terminal, full screen": ["tally", "making", "steps", "places", "origins", "before", "configuration", "after"],
  "Terminal, inline": ["tally", "making", "steps", "places", "origins", "before", "configuration", "after"],
  "Terminal, line by line": ["tally", "meaning", "making", "results", "before", "after"],
  "Web page": [
    "tally",
    "meaning",
    "making",
    "steps",
    "results",
    "places",
    "origins",
    "before",
    "configuration",
    "after",
  ],
  "Copilot participant": ["places", "tally", "before", "configuration"],
  MCP: ["places", "tally", "meaning"],
  Markdown: ["places", "origins", "after"],
};

describe.each(Object.entries(answeredQuestions))("an answer %s", (_name, asked) => {
  test.each(surfaceNames(subjects))("is told in the same words: %s", async (name) => {
    const text = await surfaces[name](asked);
    if (text === undefined) return expect(asked.outcome.status).not.toBe("done");
    // The participant writes Markdown, and its stream ends with a question that is not answered.
    const shown = text.replace(/\s+/g, " ").replaceAll("**", "");
    const isCut = name === "Copilot participant" && asked.outcome.status !== "done";
    for (const subject of subjects[name].filter((subject) => !isCut || subject !== "tally")) {
      for (const words of wordsOf(asked.says, subject)) expect(shown).toContain(words);
    }
  });
});

function surfaceNames<Name extends string>(table: Record<Name, unknown>): Name[] {
  const names: string[] = Object.keys(table);
  return names.filter((name): name is Name => name in table);
}

function wordsOf(said: Said, subject: keyof Said): string[] {
  const words = said[subject] ?? [];
  return (typeof words === "string" ? [words] : [...words]).flat();
}
