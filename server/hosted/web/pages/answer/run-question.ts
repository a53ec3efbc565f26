import {
  emptyConversation,
  endTurn,
  newTurn,
  type Outcome,
  receiveEvent,
  startTurn,
  type Turn,
} from "../../../../../client/conversation.ts";
import { createEventBuffer } from "../../../../../client/event-buffer.ts";
import { toErrorBody } from "../../../../errors.ts";
import type { Input } from "../../../../protocol/operations.ts";
import { publishedTools } from "../../../../protocol/published-tools.ts";
import { askInTime } from "../../../../transports/mcp/ask-tool.ts";
import { requireKnown, type ToolCall } from "../../tools.ts";

/** A question whose answer has ended. */
export interface EndedQuestion {
  turn: Turn;
  /** Why the answer is not whole, in words. */
  partial?: string | undefined;
}

/** How often the growing answer is reported, at most. */
const frameMs = 50;

/** Asks a question about resources of the project, and reports the turn as it grows. Failures are in the turn. */
export async function runQuestion(
  { question, resources }: Required<Pick<Input<"ask">, "question">> & { resources: string[] },
  {
    app,
    fetches,
    signal,
    deadlineMs,
    log,
    onChange = () => {},
  }: Omit<ToolCall, "deadlineMs"> & {
    /** Without one the answer may take as long as it needs. */
    deadlineMs: number | undefined;
    onChange?: (turn: Turn) => void;
  },
): Promise<EndedQuestion> {
  let conversation = startTurn(emptyConversation, newTurn({ id: "1", question, askedAt: new Date().toISOString() }));
  const current = (): Turn => conversation.turns[0] ?? newTurn({ id: "1", question, askedAt: "" });
  const end = (outcome: Outcome): Turn => {
    conversation = endTurn(conversation, outcome);
    return current();
  };
  const buffer = createEventBuffer(
    (event) => {
      conversation = receiveEvent(conversation, event);
      onChange(current());
    },
    { schedule: everyFrame },
  );
  try {
    const asked = await requireKnown({ resources }, fetches);
    await fetches.recordAsked([...asked.keys()]);
    const { answer, partial } = await askInTime(
      { question, resources },
      {
        app,
        signal,
        deadlineMs,
        keepsThread: false,
        onEvent: buffer.push,
        findPassages: async () => {
          const query = question.slice(0, queryLength);
          return publishedTools.search.toText(
            await app.search({ query, resources, limit: 6, mode: "ranked" }, { signal }),
          );
        },
      },
    );
    buffer.flush();
    return { turn: { ...end({ status: "done" }), answer }, partial };
  } catch (error) {
    buffer.flush();
    const body = toErrorBody(error);
    if (body.tag === "Internal") log.error("question-failed", { error });
    return { turn: end(signal.aborted ? { status: "cancelled" } : { status: "failed", error: body }) };
  }
}

/** Of a long question the beginning is searched for, in UTF-16 units. */
const queryLength = 2000;

function everyFrame(action: () => void): () => void {
  const timer = setTimeout(action, frameMs);
  return () => clearTimeout(timer);
}
