/** The size of the reused buffer; larger requests are rare. */
const reusedBytes = 1024 * 1024;

/** Returns an allocator that reuses one buffer: each result is valid until the next call. Large requests get their own. */
export function createReusableBuffer(): (sizeBytes: number) => Buffer {
  let memory = Buffer.alloc(0);
  return (sizeBytes) => {
    if (sizeBytes > reusedBytes) return Buffer.allocUnsafeSlow(sizeBytes);
    if (sizeBytes > memory.length) memory = Buffer.allocUnsafeSlow(Math.max(sizeBytes, 2 * memory.length));
    return memory.subarray(0, sizeBytes);
  };
}
