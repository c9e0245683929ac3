import process from "node:process";
import { getHeapStatistics } from "node:v8";
import type { Logger } from "../log/logger.ts";

/** How much memory a process may use, in bytes. */
export interface MemoryLimits {
  /** The limit of the container; undefined without one. */
  readonly container: number | undefined;
  /** How far V8 lets the heap grow before it gives up. */
  readonly heap: number;
}

/** Reads the limits of this process: those of its cgroup and of V8. */
export function readMemoryLimits(): MemoryLimits {
  // Without a limit, Node returns 0 or a number near 2^64, depending on its version and on that of cgroups.
  const limit = process.constrainedMemory();
  return {
    container: limit > 0 && limit < 2 ** 53 ? limit : undefined,
    heap: getHeapStatistics().heap_size_limit,
  };
}

const mebibyte = 2 ** 20;

/**
 * Warns if the heap may outgrow the container. V8 collects garbage the later the more the heap may grow, so the kernel
 * would kill a process that holds far less than it may use.
 */
export function warnOfLooseHeap({ container, heap }: MemoryLimits, log: Logger): void {
  if (container === undefined || heap < container) return;
  log.warn(
    `V8's heap may outgrow the container, which would be killed: set NODE_OPTIONS=--max-old-space-size=${heapFor(container)}`,
    { containerMiB: Math.floor(container / mebibyte), heapMiB: Math.floor(heap / mebibyte) },
  );
}

/** The heap that fits a container, in MiB: a quarter is left for code, buffers and sockets. */
function heapFor(container: number): number {
  return Math.floor((container * 0.75) / mebibyte);
}
