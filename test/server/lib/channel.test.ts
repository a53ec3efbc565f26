import { expect, test } from "vitest";
import { createChannel } from "../../../server/lib/channel.ts";

test("yields values pushed before and during the iteration, in order, and ends when closed", async () => {
  const channel = createChannel<number>();
  channel.push(1);
  const seen: number[] = [];
  for await (const value of channel) {
    seen.push(value);
    if (value === 1) queueMicrotask(() => channel.push(2));
    if (value === 2) {
      channel.push(3);
      channel.close();
    }
  }
  expect(seen).toEqual([1, 2, 3]);
});
