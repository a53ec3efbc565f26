import { expect, test } from "vitest";
import { CitewellError } from "../../../server/errors.ts";
import { openTargetsQuietly, type Patience } from "../../../server/operations/open.ts";
import type { Target } from "../../../server/operations/targets.ts";
import type { ErrorTag } from "../../../server/protocol/error-tags.ts";
import type { Resources } from "../../../server/resources/resources.ts";
import { fixture } from "../../support/fixture.ts";

const ready = "ready";
const silent = "silent";
const patience: Patience = { namedMs: undefined, unnamedMs: 3000 };

test("one that is not there in time is left out, and one that a question is only about is awaited", async () => {
  expect(await open({ a: ready, b: silent })).toEqual({ opened: ["a"], left: ["b NotReadyYet"] });
  expect(await open({ b: silent })).toEqual({ opened: ["b"], left: [] });
});

test("while none is there, those that are being fetched are awaited; what failed is not asked for again", async () => {
  expect(await open({ a: silent, b: silent })).toEqual({ opened: ["a", "b"], left: [] });
  const asked = await open({ a: silent, b: "RepositoryTimeout" });
  expect(asked).toEqual({ opened: ["a"], left: ["b RepositoryTimeout"] });
});

test("of several that are named, those that cannot be reached are left out; one that does not exist is a mistake", async () => {
  const named = { areNamed: true };
  const asked = await open({ a: ready, b: "RepositoryFailed" }, named);
  expect(asked).toEqual({ opened: ["a"], left: ["b RepositoryFailed"] });
  await expect(open({ a: ready, b: "RepositoryNotFound" }, named)).rejects.toMatchObject({ tag: "RepositoryNotFound" });
  await expect(open({ b: "RepositoryFailed" }, named)).rejects.toMatchObject({ tag: "RepositoryFailed" });
});

/** By name: ready, silent for longer than anyone who waits a limited time, or failing. */
async function open(
  states: Record<string, typeof ready | typeof silent | ErrorTag>,
  { areNamed = false }: { areNamed?: boolean } = {},
) {
  const snapshot = fixture("//- a.ts\nexport const a = 1;\n");
  const resources: Pick<Resources, "open"> = {
    async open(target, { waitMs }) {
      const name = "name" in target ? target.name : "";
      const state = states[name] ?? ready;
      const isLate = state === silent && waitMs !== undefined;
      if (isLate) throw new CitewellError("NotReadyYet", "the resource is still being fetched");
      if (state !== ready && state !== silent) throw new CitewellError(state, "it failed");
      return { ...snapshot, resource: name };
    },
  };
  const targets: Target[] = Object.keys(states).map((name) => ({ type: "local", name, path: `/${name}` }));
  const { signal } = new AbortController();
  const opened = await openTargetsQuietly(targets, { resources, patience, areNamed, own: () => {}, signal });
  return {
    opened: opened.snapshots.map(({ resource }) => resource),
    left: opened.unavailable.map(({ resource, error }) => `${resource} ${error.tag}`),
  };
}
