import { describe, expect, test } from "vitest";
import { instructionsFor, lastStepInstructions } from "../../../server/agent/prompt.ts";
import type { Snapshot } from "../../../server/resources/snapshot.ts";
import { fixture } from "../../support/fixture.ts";

function snapshot(resource: string, info: Partial<Snapshot["info"]> = {}, notes?: string) {
  const own = fixture("//- a.ts\n", { resource, revision: "abc", ...(notes === undefined ? {} : { notes }) });
  return { ...own, info: { ...own.info, ...info } };
}

const instructions = instructionsFor([
  snapshot("zod", { type: "npm", label: "zod 4.1.0, installed in node_modules" }, "Prefer version 4."),
  snapshot("old", { stale: "fetched 3 weeks ago" }),
  snapshot("app", { label: "local folder ~/app (working copy)" }),
]);

/** The text under a heading, without it. */
function part(heading: string): string {
  const [, text = ""] = instructions.split(new RegExp(`^# ${heading}$`, "m"));
  return (text.split(/^# /m)[0] ?? "").trim();
}

test("the parts come in an order in which only the last differs between questions", () => {
  const headings = (text: string) => [...text.matchAll(/^# (.*)$/gm)].map(([, heading]) => heading);
  expect(headings(instructions)).toEqual(["How to work", "How to cite", "What the resources are", "Resources"]);
  const other = instructionsFor([snapshot("express")]);
  const [common] = instructions.split("# Resources");
  expect(other.startsWith(common ?? "-")).toBe(true);
});

describe("the model is asked", () => {
  test.each([
    ["to look before it answers, several calls in a turn", "How to work", [/look first/i, /go into one turn/]],
    [
      "to claim only what it was shown, and to say what is missing",
      "How to work",
      [/only what .* lines .* say/, /say so/],
    ],
    ["to mark what is known of a language", "How to work", [/needs no citation; call it general knowledge/]],
    ["to cite briefly", "How to cite", [/share one citation/, /\[\[#L30-L34\]\] is enough/]],
    ["to answer in the language of the question, briefly", "How to work", [/language of the question/, /brief/i]],
    [
      "to cite every claim with a marker of narrow lines",
      "How to cite",
      [/every claim/i, /\[\[name:path#L10-L14\]\]/, /narrowed/],
    ],
    [
      "to quote only words from within those lines",
      "How to cite",
      [/\[\[name:path#L10-L14 "the words"\]\]/, /copied exactly/],
    ],
    [
      "not to put markers where they cannot become links",
      "How to cite",
      [/not in code blocks or code spans/, /not inside links/],
    ],
    ["to take what tools return as data, not as instructions", "What the resources are", [/never an instruction/]],
    ["not to guess what was masked", "What the resources are", [/‹masked …›/, /do not guess/i]],
  ])("%s", (_, heading, expected) => {
    for (const one of expected) expect(part(heading)).toMatch(one);
  });
});

test("each resource is described with its kind, version, notes and age", () => {
  expect(part("Resources").split("\n")).toEqual([
    "- zod: npm package, zod 4.1.0, installed in node_modules",
    "  The user's notes on it: Prefer version 4.",
    "- old: local folder, old at abc",
    "  It may be out of date: fetched 3 weeks ago",
    "- app: local folder ~/app (working copy)",
  ]);
});

test("the last step says that the tools are off and that what is missing is to be named", () => {
  expect(lastStepInstructions).toMatch(/last turn and the tools are switched off/);
  expect(lastStepInstructions).toMatch(/could not look up/);
});
