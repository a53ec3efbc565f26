import type * as z from "zod";
import type { Server } from "../../../extension/context.ts";
import { type OperationName, operations, type Output } from "../../../server/protocol/operations.ts";

/** A fake of the server's child process. */
export interface FakeServer extends Pick<Server, "request"> {
  /** The requested operations, in order. */
  calls: OperationName[];
}

const table: { [Name in OperationName]: { output: z.ZodType<Output<Name>> } } = operations;

/** Creates a fake server; its answers are validated as the client does. */
export function fakeServer(answers: Partial<Record<OperationName, (input: unknown) => unknown>>): FakeServer {
  const calls: OperationName[] = [];
  return {
    calls,
    async request(name, input) {
      calls.push(name);
      const { output } = table[name];
      return output.parse(await answers[name]?.(input));
    },
  };
}
