import type * as z from "zod";
import type { Server } from "../../../extension/context.ts";
import { type OperationName, operations, type Output } from "../../../server/protocol/operations.ts";

export interface FakeServer extends Pick<Server, "request"> {
  /** The operations that were asked for, in order. */
  calls: OperationName[];
}

const table: { [Name in OperationName]: { output: z.ZodType<Output<Name>> } } = operations;

/** Stands where the child process stands; what it answers is checked as the client checks it. */
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
