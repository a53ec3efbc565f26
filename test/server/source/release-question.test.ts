import { expect, test } from "vitest";
import { releaseAsked } from "../../../server/source/release-question.ts";

test.each([
  ["Is there a newer version of express and what changed?", { package: "express" }],
  ["what is the latest release of @scope/name?", { package: "@scope/name" }],
  ["Is our zod up to date?", { package: "zod" }],
  ["When was zod 4 released?", { package: "zod", commit: "4" }],
  ["when did express 5.1.0 come out", { package: "express", commit: "5.1.0" }],
  ["When was version 2 of pypi:pydantic published?", { package: "pypi:pydantic", commit: "2" }],
  ["Which versions of zod are there?", { package: "zod", since: "0" }],
  ["list all releases of `github.com/spf13/cobra`", { package: "github.com/spf13/cobra", since: "0" }],
  ["is there a newer version of this?", { package: undefined }],
  ["When was the lock released?", undefined],
  ["When was res.send added?", undefined],
  ["Which version of express do we use?", undefined],
  ["Which versions of Node does it support?", undefined],
  ["Is there a way to pin the version of a resource?", undefined],
])("%s", (question, asked) => {
  expect(releaseAsked(question)).toEqual(asked);
});
