import { type Caller, localCaller } from "./caller.ts";
import type { Context, ReplyOperations, StreamOperations } from "./operations/context.ts";
import { implementations } from "./operations/operations.ts";
import { mapOperations } from "./protocol/handlers.ts";
import { type Handlers, operationNames } from "./protocol/operations.ts";

/** The operations of one project. Disposing of it ends background work. */
export interface App extends Handlers, AsyncDisposable {
  /** The operations as another caller may use them. */
  as(caller: Caller): Handlers;
}

/** The operations over the contexts that `contextFor` makes, one for each call. Called directly, the caller is local. */
export function createApp({
  contextFor,
  [Symbol.asyncDispose]: dispose,
}: AsyncDisposable & { contextFor(caller: Caller): Promise<Context> }): App {
  const as = (caller: Caller) => bind(() => contextFor(caller));
  return { ...as(localCaller), as, [Symbol.asyncDispose]: dispose };
}

const never = new AbortController().signal;

function bind(open: () => Promise<Context>): Handlers {
  const replies: ReplyOperations = implementations;
  const streams: StreamOperations = implementations;
  return mapOperations(operationNames, {
    reply:
      (name) =>
      async (input, { signal = never } = {}) =>
        replies[name](input, await open(), { signal }),
    stream: (name) =>
      async function* (input, { signal = never } = {}) {
        yield* streams[name](input, await open(), { signal });
      },
  });
}
