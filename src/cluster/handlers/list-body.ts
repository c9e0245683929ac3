import { jsonType } from "../http/reply.ts";
import type { Reply } from "../http/request-context.ts";
import { timeSlices } from "../http/time-slices.ts";
import type { Entry } from "../storage/entry.ts";

const comma = Buffer.from(",");
const end = Buffer.from("]}");

/** A response with a list, given without items: its last field is an empty array. The items are encoded in slices of time. */
export async function listOfJSON(
  empty: unknown,
  entries: readonly Entry[],
  encodeItem: (entry: Entry) => readonly Buffer[],
): Promise<Reply> {
  const parts: Buffer[] = [Buffer.from(JSON.stringify(empty).slice(0, -end.length))];
  const pause = timeSlices();
  for (const [index, entry] of entries.entries()) {
    if (index > 0) parts.push(comma);
    parts.push(...encodeItem(entry));
    const paused = pause();
    if (paused) await paused;
  }
  parts.push(end);
  return { code: 200, contentType: jsonType, body: parts };
}
