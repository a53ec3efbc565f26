import type { Response } from "express";
import { outcomeOf } from "../../../client/answer/notes.ts";
import type { Turn } from "../../../client/conversation.ts";
import { showInvisibleInLine } from "../../protocol/invisible.ts";
import { formatEvent } from "../../transports/http/events.ts";
import { activityOf, createAnswerText, renderAnswerEnd, renderOutdated, renderTurn } from "./answer/answer.ts";
import type { EndedQuestion, OutdatedResource } from "./answer/run-question.ts";
import { toMarkup } from "./html.ts";

const keepAliveMs = 15_000;

/** An answer that is sent to the page's script as it grows. */
export interface AnswerStream extends Disposable {
  showOutdated(resources: readonly OutdatedResource[]): void;
  show(turn: Turn, thread: string | undefined): void;
  end(ended: EndedQuestion): void;
}

/**
 * Begins the stream. Its events: `turn` is the markup of the question, `thread` the id of its conversation, `notes` markup
 * above the answer, `status` a line of text, `blocks` how many blocks stay and which follow them, `end` the markup below.
 */
export function createAnswerStream(
  response: Response,
  { base, question, id }: { base: string; question: string; id: string },
): AnswerStream {
  response.writeHead(200, { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
  response.write(formatEvent({ type: "turn", markup: toMarkup(renderTurn({ turn: { id, question }, blocks: [] })) }));
  const keepAlive = setInterval(() => {
    if (!response.writableNeedDrain) response.write(": keep-alive\n\n");
  }, keepAliveMs);
  const render = createAnswerText(base);
  let sent: { blocks: string[]; status: string; thread: string | undefined } = {
    blocks: [],
    status: "",
    thread: undefined,
  };
  const send = (turn: Turn, { status, thread }: { status: string; thread: string | undefined }) => {
    const blocks = render(turn.answer);
    const changed = blocks.findIndex((block, index) => block !== sent.blocks[index]);
    const keep = changed === -1 ? blocks.length : changed;
    if (thread !== sent.thread) response.write(formatEvent({ type: "thread", id: thread ?? "" }));
    if (status !== sent.status) response.write(formatEvent({ type: "status", text: status }));
    if (keep < blocks.length || sent.blocks.length > blocks.length) {
      response.write(formatEvent({ type: "blocks", keep, blocks: blocks.slice(keep) }));
    }
    sent = { blocks, status, thread };
  };
  return {
    showOutdated(resources) {
      response.write(formatEvent({ type: "notes", markup: toMarkup(renderOutdated(resources)) }));
    },
    // A slow reader gets fewer states; each is whole.
    show(turn, thread) {
      if (!response.writableNeedDrain && !response.destroyed) send(turn, { status: activityOf(turn), thread });
    },
    end({ turn, thread, partial }) {
      if (response.destroyed) return;
      send(turn, { status: showInvisibleInLine(outcomeOf(turn) ?? ""), thread });
      response.end(formatEvent({ type: "end", markup: toMarkup(renderAnswerEnd(turn, { base, partial })) }));
    },
    [Symbol.dispose]: () => clearInterval(keepAlive),
  };
}
