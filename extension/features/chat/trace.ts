import type { AskEvent, AskRequest } from "../../../server/protocol/ask.ts";
import { addEvent } from "../../../client/event-buffer.ts";

/** What went to and fro for one question, to be looked at and attached to a report. */
export interface Trace {
  request: AskRequest;
  askedAt: string;
  events: AskEvent[];
  /** Events after so many characters are not kept. */
  isCut: boolean;
  sizeOfEvents: number;
}

const sizeLimit = 2_000_000;

/** Begins the trace of a question. */
export function startTrace(request: AskRequest, askedAt: string): Trace {
  return { request, askedAt, events: [], isCut: false, sizeOfEvents: 0 };
}

/** Writes an event down; the pieces of a text as one. */
export function traceEvent(trace: Trace, event: AskEvent): void {
  trace.sizeOfEvents += JSON.stringify(event).length;
  if (trace.sizeOfEvents > sizeLimit) trace.isCut = true;
  else addEvent(trace.events, event);
}

/** A trace as a JSON document. */
export function traceJson({ request, askedAt, events, isCut }: Trace): string {
  const note = isCut ? { note: `cut: the events after the first ${sizeLimit} characters are missing` } : {};
  return `${JSON.stringify({ askedAt, request, ...note, events }, undefined, 2)}\n`;
}
