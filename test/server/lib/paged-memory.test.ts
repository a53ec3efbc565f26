import v8 from "node:v8";
import vm from "node:vm";
import { expect, test, vi } from "vitest";
import { allocatePages, createReusableBuffer } from "../../../server/lib/paged-memory.ts";

const MB = 1024 * 1024;

test("freed memory returns to the system even if later allocations remain", async () => {
  v8.setFlagsFromString("--expose-gc");
  const collect: unknown = vm.runInNewContext("gc");
  const before = process.memoryUsage.rss();
  const count = 12_800;
  const pairs = Array.from({ length: count }, () => ({
    goes: allocatePages(16 * 1024).fill(1),
    stays: Buffer.allocUnsafeSlow(1000),
  }));
  expect(process.memoryUsage.rss() - before).toBeGreaterThan(150 * MB);
  const stays = pairs.splice(0).map((pair) => pair.stays);
  await vi.waitFor(
    () => {
      if (typeof collect === "function") collect();
      expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MB);
    },
    { timeout: 60_000, interval: 100 },
  );
  expect(stays).toHaveLength(count);
}, 90_000);

test("reuses its buffer, and allocates large pieces separately", () => {
  const allocate = createReusableBuffer();
  const first = allocate(1000).fill(7);
  expect(first).toHaveLength(1000);
  expect(allocate(10)).toEqual(Buffer.alloc(10, 7));
  expect(allocate(0)).toHaveLength(0);
  expect(allocate(2 * MB).equals(Buffer.alloc(2 * MB))).toBe(true);
  expect(allocate(5)).toEqual(Buffer.alloc(5, 7));
});
