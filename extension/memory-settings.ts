/**
 * Read by glibc alone, which then gives large pieces of memory back as soon as they are free; by itself it keeps more
 * with each piece that is.
 */
export const memorySettings = { MALLOC_MMAP_THRESHOLD_: "131072" };
