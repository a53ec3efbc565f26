import { describe, expect, test } from "vitest";
import { usualPlace } from "../../../server/source/usual-places.ts";

const reasonOf = (question: string) => usualPlace(question, new Set(["shop"]))?.reason;

test.each([
  ["where can I ask a question or get help", "where to ask"],
  ["is there a mailing list?", "where to ask"],
  ["Where do I report a bug?", "where to report a bug"],
  ["how can I report a vulnerability", "how to report a vulnerability"],
  ["who maintains this?", "who maintains it"],
  ["who wrote shop", "who maintains it"],
  ["how do I build it from source", "how to build it"],
  ["how to build shop", "how to build it"],
  ["how do I install shop?", "how to install it"],
  ["how is a release made", "how a release is made"],
  ["how do we cut a new release", "how a release is made"],
  ["how can I make a release of shop", "how a release is made"],
  ["how do I report a bug", "where to report a bug"],
  ["what is the code style, is there a linter", "the code style"],
  ["where is the documentation", "where the documentation is"],
  ["is it ready for production?", "its status"],
  ["is shop still maintained", "its status"],
  ["how do I set up a development environment", "how to develop it"],
  ["what does CI run", "what CI runs"],
  ["what version of the language do I need to build it", "what it needs"],
  ["what are the requirements", "what it needs"],
  ["what do I have to install before I can build it from source", "how to develop it"],
  ["run the tests of this repo, without the slow ones", "how to run the tests"],
  ["does it run on Windows?", "where it runs"],
  ["what changed in the last release", "the last changes"],
  ["can I use shop in a commercial product", "the licence"],
  ["may I use ai to write a patch", "what it says of AI"],
  ["how should my commit message look", "how a commit is described"],
  ["how do I run the linter", "the code style"],
  ["is it free for commercial use", "the licence"],
  ["do I need to add a changelog entry to my PR", "how a change is noted"],
  ["where do I write the release notes", "how a change is noted"],
])("%s: %s", (question, reason) => {
  expect(reasonOf(question)).toBe(reason);
});

describe("not a question about the project", () => {
  test.each([
    "how do I install a plugin",
    "how do I build a query",
    "how is a lock released",
    "how do I create a release",
    "how do I open an issue in the browser",
    "where do I report the progress of a sale",
    "who calls close",
    "why does CI fail on windows",
    "why do I have to edit the changelog in my pull request",
    "can a till print a commercial invoice",
    "which ai model does it call for code",
    "how do I make a commit",
    "run the till with its tests closed",
    "what does WATCH_ALL do, does it work on linux",
    "does the till run on every sale",
    "what version of the protocol does it speak",
  ])("%s", (question) => expect(reasonOf(question)).toBeUndefined());
});
