import type * as z from "zod";
import { emptyAnswer, foldAnswer } from "./ask.ts";
import type { OperationName, Operations, Output } from "./operations.ts";

/** What an operation sends on the way; never where it sends nothing. */
export type EventOf<Name extends OperationName> = Name extends OperationName
  ? Operations[Name] extends { event: infer Event extends z.ZodType }
    ? z.output<Event>
    : never
  : never;

/** The operations that send events. */
export type StreamingName = {
  [Name in OperationName]: Operations[Name] extends { event: z.ZodType } ? Name : never;
}[OperationName];

type Folds = {
  [Name in OperationName]?: (output: Output<Name> | undefined, event: EventOf<Name>) => Output<Name> | undefined;
};

/**
 * What the events of an operation come to, one by one, beginning with undefined: for clients that fold themselves, and
 * for replies that do not stream. Still undefined after the last event: it did not get that far.
 */
export const folds: Folds = {
  ask: (answer = emptyAnswer, event) => foldAnswer(answer, event),
  refreshResource: (listing, event) => (event.type === "done" ? event.resource : listing),
  signIn: (connected, event) => (event.type === "done" ? { provider: event.provider, connected: true } : connected),
} satisfies Required<Pick<Folds, StreamingName>>;
