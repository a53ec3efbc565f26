import { expect, test } from "vitest";
import { indexAlongside } from "../../../server/operations/index-alongside.ts";
import { createChannel } from "../../../server/lib/channel.ts";
import type { AskEvent, AskEventOf } from "../../../server/protocol/ask.ts";
import type { Preparation } from "../../../server/retrieval/indexing/indexes.ts";
import { createRetrieval } from "../../../server/retrieval/retrieval.ts";
import { fixture } from "../../support/fixture.ts";

const snapshots = [fixture("//- a.ts\nexport const a = 1;\n")];
const text = (delta: string): AskEvent => ({ type: "text.delta", delta });
const halfDone: AskEvent = { type: "progress", resource: "demo", phase: "index", fraction: 0.5, message: "indexing" };

/** An index that tells of its progress once, and is disposed of. */
function world() {
  const log: string[] = [];
  const retrieval = {
    ...createRetrieval(),
    prepare(_: unknown, { onProgress }: { onProgress?: (fraction: number) => void } = {}): Preparation {
      log.push("prepared");
      onProgress?.(0.5);
      return {
        done: Promise.resolve(),
        async [Symbol.asyncDispose]() {
          log.push("released");
        },
      };
    },
  };
  const progress = createChannel<AskEventOf<"progress">>();
  return { log, options: { snapshots, retrieval, progress, leave: () => log.push("left") } };
}

async function* events(log: string[], ...deltas: string[]): AsyncGenerator<AskEvent> {
  try {
    for (const delta of deltas) {
      await Promise.resolve();
      yield text(delta);
    }
  } finally {
    log.push("events over");
  }
}

test("sends progress between the events on request, until the index is done", async () => {
  const { log, options } = world();
  const seen: AskEvent[] = [];
  for await (const event of indexAlongside(events(log, "a", "b"), { ...options, isProgressSent: true }))
    seen.push(event);
  expect(seen).toContainEqual(halfDone);
  expect(seen.filter(({ type }) => type !== "progress")).toEqual([text("a"), text("b")]);
  expect(log.at(-1)).toBe("released");
});

test("who does not ask for progress gets the events alone", async () => {
  const { log, options } = world();
  const seen: AskEvent[] = [];
  for await (const event of indexAlongside(events(log, "a"), { ...options, isProgressSent: false })) seen.push(event);
  expect(seen).toEqual([text("a")]);
});

test("who leaves at a progress event ends what the events come from, while the next one is awaited", async () => {
  const { log, options } = world();
  let release = () => {};
  async function* thinking(): AsyncGenerator<AskEvent> {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    yield text("late");
  }
  const leave = () => {
    log.push("left");
    release();
  };
  for await (const event of indexAlongside(thinking(), { ...options, leave, isProgressSent: true })) {
    expect(event).toEqual(halfDone);
    break;
  }
  expect(log).toEqual(["prepared", "left", "released"]);
});

test("what fails, fails as it would alone", async () => {
  const { log, options } = world();
  async function* failing(): AsyncGenerator<AskEvent> {
    yield text("a");
    throw new Error("the provider is gone");
  }
  const asking = (async () => {
    for await (const event of indexAlongside(failing(), { ...options, isProgressSent: true })) log.push(event.type);
  })();
  await expect(asking).rejects.toThrow("the provider is gone");
  expect(log.at(-1)).toBe("released");
});
