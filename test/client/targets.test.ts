import { describe, expect, test } from "vitest";
import { readQuestion, targetsOf } from "../../client/targets.ts";
import { usualTargets } from "../../client/usual-targets.ts";

describe("targetsOf", () => {
  const check = (options: Partial<Parameters<typeof targetsOf>[0]>, expected: ReturnType<typeof targetsOf>) =>
    expect(targetsOf({ named: [], ...options })).toEqual(expected);

  test("everything, if nothing is named, selected or continued", () => check({}, { named: [], resources: [] }));
  test("what the question names comes first, each once", () =>
    check(
      { named: ["zod", "express", "zod"], selected: ["hono"], previous: ["hono"] },
      { named: ["zod", "express"], resources: ["zod", "express"] },
    ));
  test("then what is selected, which the next question does not continue", () =>
    check({ selected: ["zod"], previous: ["express"] }, { named: [], resources: ["zod"] }));
  test("then what the question before named, and so on", () =>
    check({ previous: ["zod"] }, { named: ["zod"], resources: ["zod"] }));
});

test.each([
  ["beside an open project the defaults are not asked", ["project", "listed", "default"], ["project", "listed"]],
  ["nor without a project", ["listed", "default"], ["listed"]],
] as const)("%s", (_, origins, expected) => {
  expect(usualTargets(origins.map((origin) => ({ origin }))).map(({ origin }) => origin)).toEqual(expected);
});

describe("readQuestion", () => {
  const mentionable = { names: ["express", "zod"], exists: () => false };

  test("takes the mentions out", () =>
    expect(readQuestion("@zod why? @nobody", mentionable)).toEqual({ question: "why? @nobody", mentioned: ["zod"] }));
  test("leaves a text of mentions alone whole", () =>
    expect(readQuestion("@zod", mentionable)).toEqual({ question: "@zod", mentioned: ["zod"] }));
});
