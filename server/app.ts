import { type Caller, localCaller } from "./caller.ts";
import { CitewellError } from "./errors.ts";
import type { Context, ReplyOperations, StreamOperations } from "./operations/context.ts";
import { implementations } from "./operations/operations.ts";
import { mapOperations } from "./protocol/handlers.ts";
import { type Handlers, type OperationName, operationNames } from "./protocol/operations.ts";

/**
 * The operations of one project, for transports and commands. Each call gets a context made for it, so a changed
 * configuration applies from the next call on.
 *
 * It does not parse its input: transports do. `createLocalApp` makes one for a user's own computer,
 * `hosted/projects/project-app.ts` one for each request of the service. The operations are in
 * `operations/operations.ts`. Disposing of it ends background work.
 */
export interface App extends Handlers, AsyncDisposable {
  /** The operations as another caller may use them; the others throw `OperationNotAllowed`. */
  as(caller: Caller): Handlers;
}

/** The operations over the contexts that `contextFor` makes, one for each call. Called directly, the caller is local. */
export function createApp({
  contextFor,
  [Symbol.asyncDispose]: dispose,
}: AsyncDisposable & { contextFor(caller: Caller): Promise<Context> }): App {
  const as = (caller: Caller) => bind(caller, contextFor);
  return { ...as(localCaller), as, [Symbol.asyncDispose]: dispose };
}

const never = new AbortController().signal;

function bind(caller: Caller, contextFor: (caller: Caller) => Promise<Context>): Handlers {
  const replies: ReplyOperations = implementations;
  const streams: StreamOperations = implementations;
  const open = (name: OperationName): Promise<Context> => {
    requireAllowed(name, caller);
    return contextFor(caller);
  };
  return mapOperations(operationNames, {
    reply:
      (name) =>
      async (input, { signal = never } = {}) =>
        replies[name](input, await open(name), { signal }),
    stream: (name) =>
      async function* (input, { signal = never } = {}) {
        yield* streams[name](input, await open(name), { signal });
      },
  });
}

function requireAllowed(name: OperationName, { operations }: Caller): void {
  if (operations === undefined || operations.has(name)) return;
  throw new CitewellError("OperationNotAllowed", `this caller may not use the operation "${name}"`, {
    hint: `allowed here: ${[...operations].join(", ")}`,
  });
}
