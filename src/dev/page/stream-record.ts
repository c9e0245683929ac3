import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import type { PageRecord } from "../record/page-record.ts";

/**
 * Sends the lines so far, then one that says that they were all, with the names of the actions, and then each new line.
 * A reader that falls too far behind is cut off.
 */
export async function streamRecord(
  record: PageRecord,
  actions: readonly string[],
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  const { past, live, close } = record.read(() => response.destroy());
  response.once("close", () => {
    gone.abort();
    close();
  });
  const send = async (bytes: Buffer | string): Promise<void> => {
    if (gone.signal.aborted) return;
    if (response.write(bytes)) await setImmediate();
    else await once(response, "drain", { signal: gone.signal }).catch(() => undefined);
  };
  const sendAll = async (pieces: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> => {
    for await (const piece of pieces) {
      if (gone.signal.aborted) return;
      await send(piece);
    }
  };
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  await sendAll(past);
  await send(`${JSON.stringify(live ? { type: "live", actions } : { type: "end" })}\n`);
  if (live) await sendAll(live);
  response.end();
}
