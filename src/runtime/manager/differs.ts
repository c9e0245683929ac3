import type { SampleMessage } from "../tracing/channels.ts";

/** Blocks that are shorter are no news. */
const leastBlock = 20;
const megabyte = 1024 * 1024;

/** Whether a sample tells something that the one before didn't; memory is never the same twice. */
export function differs(before: SampleMessage | undefined, after: SampleMessage): boolean {
  if (before === undefined) return true;
  const amount = (bytes = 0, bytesBefore = 0): boolean =>
    Math.abs(bytes - bytesBefore) > Math.max(megabyte, bytesBefore / 20);
  return (
    Math.abs(after.blocked - before.blocked) > leastBlock ||
    amount(after.resident, before.resident) ||
    amount(after.heap, before.heap) ||
    amount(after.heapKept, before.heapKept) ||
    JSON.stringify([after.controllers, after.cached]) !== JSON.stringify([before.controllers, before.cached])
  );
}
