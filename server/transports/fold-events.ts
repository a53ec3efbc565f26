import { CitewellError } from "../errors.ts";
import type { OperationName, Output } from "../protocol/operations.ts";
import { type EventOf, folds } from "../protocol/results.ts";

/** What the events of an operation come to, for a reply that does not stream. @throws the signal's reason */
export async function foldEvents<Name extends OperationName>(
  name: Name,
  events: AsyncIterable<EventOf<Name>>,
  { signal, onEvent }: { signal: AbortSignal; onEvent?: (event: EventOf<Name>) => void },
): Promise<Output<Name>> {
  const fold = folds[name];
  let output: Output<Name> | undefined;
  for await (const event of events) {
    onEvent?.(event);
    output = fold?.(output, event);
  }
  signal.throwIfAborted();
  if (output === undefined) throw new CitewellError("Internal", `${name} ended without a result`);
  return output;
}
