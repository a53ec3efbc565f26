import type { Response } from "express";
import { outcomeOf } from "../../../client/answer/notes.ts";
import type { Turn } from "../../../client/conversation.ts";
import { showInvisibleInLine } from "../../protocol/invisible.ts";
import { formatEvent } from "../../transports/http/events.ts";
import {
  activityOf,
  createAnswerText,
  renderAnswerActions,
  renderAnswerEnd,
  renderAnswerText,
  renderOutdated,
  renderTurn,
} from "./answer/answer.ts";
import type { EndedQuestion, OutdatedResource } from "./answer/run-question.ts";
import type { AnswerEvent } from "./answer-event.ts";
import { html, toMarkup } from "./html.ts";

const keepAliveMs = 15_000;

/** An answer that is sent to the page's script as it grows. */
export interface AnswerStream extends Disposable {
  showOutdated(resources: readonly OutdatedResource[]): void;
  show(turn: Turn, thread: string | undefined): void;
  end(ended: EndedQuestion): void;
}

/** Begins the stream. */
export function createAnswerStream(
  response: Response,
  { base, question, id }: { base: string; question: string; id: string },
): AnswerStream {
  response.writeHead(200, { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
  response.write(frame({ type: "turn", markup: toMarkup(renderTurn({ turn: { id, question }, blocks: [] })) }));
  const keepAlive = setInterval(() => {
    if (!response.writableNeedDrain) response.write(": keep-alive\n\n");
  }, keepAliveMs);
  const render = createAnswerText(base);
  let sent: { blocks: string[]; status: string; thread: string | undefined } = {
    blocks: [],
    status: "",
    thread: undefined,
  };
  const send = (blocks: string[], { status, thread }: { status: string; thread: string | undefined }) => {
    const changed = blocks.findIndex((block, index) => block !== sent.blocks[index]);
    const keep = changed === -1 ? blocks.length : changed;
    if (thread !== sent.thread) response.write(frame({ type: "thread", id: thread ?? "" }));
    if (status !== sent.status) response.write(frame({ type: "status", text: status }));
    if (keep < blocks.length || sent.blocks.length > blocks.length) {
      response.write(frame({ type: "blocks", keep, blocks: blocks.slice(keep) }));
    }
    sent = { blocks, status, thread };
  };
  return {
    showOutdated(resources) {
      response.write(frame({ type: "notes", markup: toMarkup(renderOutdated(resources)) }));
    },
    // A slow reader gets fewer states; each is whole.
    show(turn, thread) {
      if (response.writableNeedDrain || response.destroyed) return;
      send(render(turn.answer), { status: activityOf(turn), thread });
    },
    end({ turn, thread, partial }) {
      if (response.destroyed) return;
      send(renderAnswerText(turn, base), { status: showInvisibleInLine(outcomeOf(turn) ?? ""), thread });
      const end = html`${renderAnswerEnd(turn, { base, partial })} ${renderAnswerActions(turn, { base, thread })}`;
      response.end(frame({ type: "end", markup: toMarkup(end) }));
    },
    [Symbol.dispose]: () => clearInterval(keepAlive),
  };
}

function frame(event: AnswerEvent): string {
  return formatEvent(event);
}
