import { expect, test } from "vitest";
import { createDisposalStack } from "../../../server/lib/disposal-stack.ts";

/** A stack of things that record their end. */
function stackOf(...names: string[]) {
  const ended: string[] = [];
  const stack = createDisposalStack();
  for (const name of names) {
    stack.use({
      async [Symbol.asyncDispose]() {
        await Promise.resolve();
        ended.push(name);
      },
    });
  }
  return { stack, ended };
}

test("the last thing ends first, and the next one after it", async () => {
  const { stack, ended } = stackOf("a", "b");
  stack.use({ [Symbol.dispose]: () => void ended.push("c") });
  stack.defer(() => ended.push("d"));
  await stack[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
  expect(ended).toEqual(["d", "c", "b", "a"]);
});

test("a failure is thrown after everything has ended", async () => {
  const { stack, ended } = stackOf("a", "b");
  stack.defer(() => Promise.reject(new Error("c does not end")));
  await expect(stack[Symbol.asyncDispose]()).rejects.toThrow("c does not end");
  expect(ended).toEqual(["b", "a"]);
});

test("what is moved outlives the stack", async () => {
  const { stack, ended } = stackOf("a");
  const moved = stack.move();
  await stack[Symbol.asyncDispose]();
  expect(ended).toEqual([]);
  await moved[Symbol.asyncDispose]();
  expect(ended).toEqual(["a"]);
});
