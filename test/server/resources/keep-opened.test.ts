import { expect, test } from "vitest";
import { createOpenings } from "../../../server/resources/keep-opened.ts";
import { fixture } from "../../support/fixture.ts";

test("a resource is opened once, stays open, and is closed at the end", async () => {
  const calls: string[] = [];
  const { signal } = new AbortController();
  const openings = createOpenings();
  const opens = openings.over({
    async open({ type }) {
      calls.push(`open ${type}`);
      if (type === "git") throw new Error("offline");
      return { ...fixture("//- a.ts\none\n"), [Symbol.asyncDispose]: async () => void calls.push("close") };
    },
    openStored: async () => undefined,
    openHistory: async () => undefined,
  });
  const local = { type: "local", name: "demo", path: "/demo" } as const;
  for (let round = 0; round < 2; round++) {
    await using snapshot = await opens.open(local, { signal });
    expect(snapshot.files).toHaveLength(1);
    await expect(
      opens.open({ type: "git", name: "lib", url: "https://localhost/lib", branch: "main" }, { signal }),
    ).rejects.toThrow("offline");
  }
  expect(calls).toEqual(["open local", "open git"]);
  await openings[Symbol.asyncDispose]();
  expect(calls).toEqual(["open local", "open git", "close"]);
});
