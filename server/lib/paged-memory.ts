/**
 * Allocates memory that returns to the system when freed: V8 maps resizable buffers directly. Other buffers come from the
 * C heap, which keeps freed memory below any block still in use, more so after freeing large blocks (glibc,
 * `M_MMAP_THRESHOLD` in mallopt(3)). Allocation takes 6 µs and byte loops are up to a third slower, so use it for data
 * that is read, copied and packed as a whole.
 */
export function allocatePages(sizeBytes: number): Buffer<ArrayBuffer> {
  return Buffer.from(new ArrayBuffer(sizeBytes, { maxByteLength: sizeBytes }));
}

/** The size of the reused buffer; larger requests are rare. */
const reusedBytes = 1024 * 1024;

/** Returns an allocator that reuses one buffer: each result is valid until the next call. Large requests get their own. */
export function createReusableBuffer(): (sizeBytes: number) => Buffer {
  let memory = allocatePages(0);
  return (sizeBytes) => {
    if (sizeBytes > reusedBytes) return allocatePages(sizeBytes);
    if (sizeBytes > memory.length) memory = allocatePages(Math.max(sizeBytes, 2 * memory.length));
    return memory.subarray(0, sizeBytes);
  };
}
