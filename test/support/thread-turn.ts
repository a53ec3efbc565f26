import type { ThreadTurn } from "../../server/protocol/threads.ts";

/** A turn with neutral defaults. */
export function threadTurn(turn: Partial<ThreadTurn> = {}): ThreadTurn {
  return {
    question: "Why?",
    askedAt: "2025-01-01T00:00:00.000Z",
    references: [],
    text: "Because.",
    model: { provider: "builtin", model: "extractive" },
    resources: ["demo"],
    collection: { key: "demo", path: "resources" },
    snapshots: [],
    citations: [],
    cited: [],
    ...turn,
  };
}
