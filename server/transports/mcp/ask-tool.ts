import { CitewellError } from "../../errors.ts";
import { type Answer, type AskEvent, emptyAnswer, foldAnswer } from "../../protocol/ask.ts";
import type { Handlers } from "../../protocol/operations.ts";
import { callOperation } from "../call-operation.ts";

export interface AskToolOptions {
  app: Pick<Handlers, "ask" | "deleteThread">;
  signal: AbortSignal;
  onEvent(event: AskEvent): void;
  /** The milliseconds after which a partial result is returned; undefined waits for all of it. */
  deadlineMs: number | undefined;
  /** `false`: the answer is kept in no thread, so nothing goes on from a partial one. */
  keepsThread?: boolean | undefined;
  /** What search has for the question: the answer where none has begun in time. */
  findPassages: () => Promise<string>;
}

export interface AskToolAnswer {
  answer: Answer;
  /** Why it is not whole, in words. */
  partial?: string;
}

/** How long an answer that was ended may take to say its last, and to be kept: in milliseconds. */
const endingMs = 2500;

/** How long before its end the passages are searched for that replace an answer: in milliseconds. */
const searchingMs = 5000;

/** How long a fetch may continue after its client got a partial answer, in milliseconds. */
const fetchingMs = 15 * 60_000;

/**
 * Asks with a deadline: a client without progress notifications gives up after a minute, and would get nothing. It gets
 * the partial answer, checked, and the thread to continue with. Fetches continue in the background, so that the next
 * question finds their results.
 * @throws NotReadyYet (nothing to answer from has arrived in time), and what `ask` throws
 */
export async function askInTime(input: Record<string, unknown>, options: AskToolOptions): Promise<AskToolAnswer> {
  const { app, signal, onEvent, deadlineMs, keepsThread = true, findPassages } = options;
  const ending = new AbortController();
  const request = {
    ...input,
    progress: true,
    ...(deadlineMs === undefined || !keepsThread ? {} : { thread: input["thread"] ?? "new" }),
  };
  const events = callOperation(app, "ask", request, { signal: AbortSignal.any([signal, ending.signal]) });
  let answer = emptyAnswer;
  let isLate = false;
  let hasBegun = false;
  let lastProgress = "";

  const whole = (async (): Promise<AskToolAnswer> => {
    for await (const event of events) {
      if (event.type === "progress") lastProgress = `${event.resource}: ${event.message}`;
      if (event.type === "meta") hasBegun = true;
      if (isLate && hasBegun) ending.abort(new CitewellError("Cancelled", "the answer took too long"));
      if (!isLate) onEvent(event);
      answer = foldAnswer(answer, event);
    }
    signal.throwIfAborted();
    return { answer };
  })();
  if (deadlineMs === undefined) return whole;

  const finish = (whole: AskToolAnswer) => {
    return input["thread"] === undefined ? withoutThread(whole, app) : whole;
  };
  const leadMs = Math.min(searchingMs, deadlineMs / 4);
  const early = await raceWithTimer(whole, deadlineMs - leadMs);
  if (early !== undefined) return finish(early);
  const search = () => findPassages().catch(() => "Nothing was found in time.");
  const passages = hasBegun && answer.text.trim() === "" ? search() : undefined;
  const late = await raceWithTimer(whole, leadMs);
  if (late !== undefined) return finish(late);
  isLate = true;
  // No caller waits for it any more, so its failure is ignored.
  const settled = whole.catch(() => undefined);
  if (!hasBegun) {
    void raceWithTimer(settled, fetchingMs).then(() => ending.abort());
    throw new CitewellError("NotReadyYet", `the resource is still being fetched (${lastProgress || "looking it up"})`, {
      hint: "the fetch continues: ask the same again in a minute",
    });
  }
  ending.abort(new CitewellError("Cancelled", "the answer took too long"));
  const last = await raceWithTimer(settled, endingMs);
  if (last !== undefined) return last;
  const seconds = Math.round(deadlineMs / 1000);
  const goOn = answer.thread === undefined ? "ask something narrower" : `ask on in thread ${answer.thread}`;
  const reason = keepsThread ? ", because the client asked for no progress" : "";
  const partial = `This answer is partial: it was ended after ${seconds} s${reason}. To go on, ${goOn}.`;
  if (answer.text.trim() !== "") return { answer, partial };
  const text = (await raceWithTimer(passages ?? search(), endingMs)) ?? "Nothing was found in time.";
  return { answer: { ...answer, text }, partial };
}

/** A whole answer needs no thread to go on in: the one that was made for a partial answer is removed again. */
async function withoutThread(
  { answer: { thread, ...answer } }: AskToolAnswer,
  app: AskToolOptions["app"],
): Promise<AskToolAnswer> {
  // The client has its answer; a thread that stays is only listed once more.
  if (thread !== undefined) await app.deleteThread({ id: thread }).catch(() => {});
  return { answer };
}

/** What the promise comes to, or undefined when the time is over first. */
async function raceWithTimer<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
    timer.unref();
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}
