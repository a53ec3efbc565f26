import { expect, test } from "vitest";
import { toErrorBody } from "../../../../server/errors.ts";
import type { Ecosystem } from "../../../../server/resources/packages/ecosystem.ts";
import { npmEcosystem } from "../../../../server/resources/packages/npm/npm.ts";
import { npmWorkspace } from "../../../support/npm-workspace.ts";

const { signal } = new AbortController();

test.each([false, true])("for tenants (%s), an ecosystem cannot choose what is on disk", async (isAnonymous) => {
  const files = "//- home/pkg/secret.txt\nof the operator\n";
  // An ecosystem that does not look at `isAnonymous`.
  const careless: Ecosystem = {
    ...npmEcosystem,
    choose: async ({ package: name }, { homeDirectory }) => ({
      type: "installed",
      installed: { folder: `${homeDirectory}/pkg`, name, version: "1.0.0", integrity: undefined },
      origin: "in the operator's home",
    }),
  };
  await using workspace = await npmWorkspace({ ecosystem: careless, files, isAnonymous });
  const spec = { name: "pkg", package: "pkg" };
  const outcomes = await Promise.all([
    workspace.open().then(async (snapshot) => {
      await snapshot[Symbol.asyncDispose]();
      return "opened";
    }, toErrorBody),
    workspace.npm.openStored(spec, { signal }).then(async (snapshot) => {
      await snapshot?.[Symbol.asyncDispose]();
      return "opened";
    }, toErrorBody),
    workspace.npm.refresh(spec, { signal }).then(() => "opened", toErrorBody),
    workspace.npm
      .describe(spec, { refresh: "daily", signal })
      .then(({ failure, state }) => (state === "ready" ? "opened" : { error: failure })),
  ]);
  const error = "npm:pkg is not read from a registry";
  const refusal = { error, tag: "ResourceNotOffered", hint: "add its repository instead" };
  expect(outcomes).toEqual(
    isAnonymous ? [refusal, refusal, refusal, { error }] : ["opened", "opened", "opened", "opened"],
  );
});
