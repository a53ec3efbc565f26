import {
  type CallOptions,
  type Handlers,
  type Input,
  type OperationName,
  operations,
  type Output,
} from "./operations.ts";
import type { EventOf, StreamingName } from "./results.ts";

/** The operations that answer once. */
export type ReplyingName = Exclude<OperationName, StreamingName>;

/** `Handlers`, split by how they answer, so that generic code can call them by name. */
export type ReplyHandlers = { [Name in ReplyingName]: Reply<Name> };
export type StreamHandlers = { [Name in StreamingName]: Stream<Name> };

type Reply<Name extends ReplyingName> = (input: Input<Name>, options?: CallOptions) => Promise<Output<Name>>;
type Stream<Name extends StreamingName> = (input: Input<Name>, options?: CallOptions) => AsyncIterable<EventOf<Name>>;

/** Makes the handler of an operation from its name. */
export interface HandlerMakers<Name extends OperationName> {
  reply<Own extends Name & ReplyingName>(name: Own): Reply<Own>;
  stream<Own extends Name & StreamingName>(name: Own): Stream<Own>;
}

/** Handlers for some operations, made from the table. */
export function mapOperations<Name extends OperationName>(
  names: readonly Name[],
  makers: HandlerMakers<Name>,
): Pick<Handlers, Name> {
  const handlers: Partial<ReplyHandlers & StreamHandlers> = {};
  for (const name of names) {
    if (isStreaming(name)) addStream(handlers, name, makers);
    else if (isReplying(name)) addReply(handlers, name, makers);
  }
  if (!hasAll(handlers, names)) throw new RangeError("an operation neither replies nor streams");
  return handlers;
}

/** Handlers that pass each call on to what `open` resolves with. */
export function forwardOperations<Name extends OperationName>(
  names: readonly Name[],
  open: () => Promise<Handlers>,
): Pick<Handlers, Name> {
  return mapOperations(names, {
    reply: (name) => async (input, options) => {
      const replies: ReplyHandlers = await open();
      return replies[name](input, options);
    },
    stream: (name) =>
      async function* (input, options) {
        const streams: StreamHandlers = await open();
        yield* streams[name](input, options);
      },
  });
}

function addReply<Name extends ReplyingName>(
  handlers: { [Own in Name]?: Reply<Own> },
  name: Name,
  makers: HandlerMakers<Name>,
): void {
  handlers[name] = makers.reply(name);
}

function addStream<Name extends StreamingName>(
  handlers: { [Own in Name]?: Stream<Own> },
  name: Name,
  makers: HandlerMakers<Name>,
): void {
  handlers[name] = makers.stream(name);
}

function isStreaming<Name extends OperationName>(name: Name): name is Name & StreamingName {
  return "event" in operations[name];
}

function isReplying<Name extends OperationName>(name: Name): name is Name & ReplyingName {
  return !isStreaming(name);
}

function hasAll<Name extends OperationName>(
  handlers: Partial<Handlers>,
  names: readonly Name[],
): handlers is Pick<Handlers, Name> {
  return names.every((name) => handlers[name] !== undefined);
}
