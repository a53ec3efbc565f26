import { expect, test } from "vitest";
import type { Snapshot } from "../../../server/resources/snapshot.ts";
import { createIndexes } from "../../../server/retrieval/indexes.ts";
import { createTextStore } from "../../../server/retrieval/text-store.ts";
import { fixture } from "../../support/fixture.ts";

const snapshots = new Map(
  ["one", "two", "three"].map((resource) => [resource, fixture("//- a.ts\na();\n", { resource })]),
);

/** Asks for indexes in turn with room for ten bytes of text; the trees that were read. */
async function check(names: string[], expected: string[]): Promise<void> {
  const reads: string[] = [];
  const indexes = createIndexes({ texts: createTextStore({ limit: 0 }), limitBytes: 10 });
  for (const name of names) {
    const snapshot = snapshots.get(name) ?? fixture("");
    const counted: Snapshot = {
      ...snapshot,
      read(path, options) {
        reads.push(name);
        return snapshot.read(path, options);
      },
    };
    await indexes.of(counted, { signal: undefined });
  }
  expect(reads).toEqual(expected);
}

test("a tree is read once", () => check(["one", "one"], ["one"]));

test("the index not used for longest makes room", () =>
  check(["one", "two", "one", "three", "one", "two"], ["one", "two", "three", "two"]));
