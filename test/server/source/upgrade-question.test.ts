import { expect, test } from "vitest";
import { upgradeAsked } from "../../../server/source/upgrade-question.ts";

test.each([
  ["What breaks if I upgrade express to 5?", "express", "5"],
  ["what breaks if we upgrade `@scope/name` from 3 to v4.1.0?", "@scope/name", "4.1.0"],
  ["Can we move to zod 4?", "zod", "4"],
  ["how do I migrate from pydantic 1 to pydantic 2", "pydantic", "2"],
  ["is it safe to update npm:chalk?", "npm:chalk", undefined],
  ["breaking changes for us in github.com/gin-gonic/gin 2.0", "github.com/gin-gonic/gin", "2.0"],
  ["What would break with clap@4?", "clap", "4"],
  [
    "What breaks if we migrate from junit:junit to org.junit.jupiter:junit-jupiter-api@5?",
    "junit:junit",
    "org.junit.jupiter:junit-jupiter-api@5",
  ],
  ["switch from `request` to @scope/other@2.1.0", "request", "@scope/other@2.1.0"],
  ["what breaks if we bump Jackson to version 3.0.0.", "Jackson", "3.0.0"],
])("%s", (question, name, to) => {
  expect(upgradeAsked(question)).toEqual({ package: name, to });
});

test.each([
  "How does the upgrade command work?",
  "What breaks the loop in parse?",
  "Is it safe to update it?",
  "how do I upgrade?",
  "Where is the upgrade to websockets handled?",
  "move the cursor to 5",
  "What breaks if I remove the cache?",
])("is not one: %s", (question) => {
  expect(upgradeAsked(question)).toBeUndefined();
});
