import { expect, test } from "vitest";
import { createRememberedThread } from "../../../extension/features/chat/remembered-thread.ts";
import type { Thread } from "../../../server/protocol/threads.ts";
import { threadTurn } from "../../support/thread-turn.ts";

const kept: Thread = { id: "0123456789ab", title: "Why?", createdAt: "", updatedAt: "", turns: [threadTurn()] };

function stage(stored: string | undefined, failure = "ThreadNotFound") {
  let id = stored;
  const warnings: string[] = [];
  const remembered = createRememberedThread({
    memory: {
      get: (_key: string, fallback?: unknown) => id ?? fallback,
      update: async (_key, value) => void (id = value),
    },
    readThread: async (wanted) => {
      if (wanted === kept.id) return kept;
      throw Object.assign(new Error("no thread"), { tag: failure });
    },
    log: { warn: (message) => void warnings.push(message) },
  });
  return { remembered, warnings, stored: () => id };
}

test("the thread of the last window is read again", async () => {
  const { remembered, stored } = stage(undefined);
  expect(await remembered.read()).toBeUndefined();
  remembered.remember(kept.id);
  expect(stored()).toBe(kept.id);
  expect(await remembered.read()).toBe(kept);
});

test("a thread that was deleted is forgotten", async () => {
  const { remembered, warnings, stored } = stage("ffffffffffff");
  expect(await remembered.read()).toBeUndefined();
  expect(warnings).toEqual(["thread-not-restored"]);
  expect(stored()).toBeUndefined();
});

test("a thread that cannot be read now is remembered for the next window", async () => {
  const { remembered, stored } = stage("ffffffffffff", "ServerFailed");
  expect(await remembered.read()).toBeUndefined();
  expect(stored()).toBe("ffffffffffff");
});
