/**
 * Memory in pages of its own, which go back to the system once it is freed: V8 takes a buffer that can be resized from
 * there. Any other is from the C library, which keeps what lies below anything that is still in use, and the more of it,
 * the larger the largest piece was that it was ever given back (glibc, `M_MMAP_THRESHOLD` in mallopt(3)). It takes 6 µs,
 * and loops over its bytes take up to a third longer: it is for what is read, copied and packed as a whole.
 */
export function allocatePages(sizeBytes: number): Buffer<ArrayBuffer> {
  return Buffer.from(new ArrayBuffer(sizeBytes, { maxByteLength: sizeBytes }));
}

/** What is larger is rare. */
const reusedBytes = 1024 * 1024;

/** Gives the same memory each time, for who is through with one piece before the next is read; large ones get their own. */
export function createReusedMemory(): (sizeBytes: number) => Buffer {
  let memory = allocatePages(0);
  return (sizeBytes) => {
    if (sizeBytes > reusedBytes) return allocatePages(sizeBytes);
    if (sizeBytes > memory.length) memory = allocatePages(Math.max(sizeBytes, 2 * memory.length));
    return memory.subarray(0, sizeBytes);
  };
}
