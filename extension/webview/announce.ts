import { outcomeOf } from "../../client/answer/notes.ts";
import type { Turn } from "./messages.ts";
import type { ChatView } from "./store.ts";
import { language, say, sayCount } from "./strings.ts";

/**
 * Short announcements for screen readers: that a question was sent, what is fetched, how many files are read, and how it
 * ended. Never the streaming text.
 */
export function describeChange(before: ChatView | undefined, after: ChatView): string | undefined {
  const turn = after.turns.at(-1);
  if (before === undefined || turn === undefined) return undefined;
  const known = before.turns.find(({ id }) => id === turn.id);
  if (known === undefined) return turn.status === "running" ? say("saidStarted") : undefined;
  if (known.status === "running" && turn.status !== "running") return outcomeOf(turn, language);
  const [arriving] = Object.values(turn.arriving ?? {}).slice(Object.keys(known.arriving ?? {}).length);
  if (arriving?.retry !== undefined) return `${arriving.resource}: ${arriving.message}`;
  if (arriving !== undefined) return say("saidFetching", arriving.resource);
  const count = filesRead(turn);
  return count > filesRead(known) ? sayCount("saidReadingOne", "saidReading", count) : undefined;
}

function filesRead({ answer }: Turn): number {
  const reads = answer.tools.filter(({ tool }) => tool === "read");
  return new Set(reads.map(({ state }) => state.input["path"])).size;
}
