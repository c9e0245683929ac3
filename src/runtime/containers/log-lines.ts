import { StringDecoder } from "node:string_decoder";
import { readDuration } from "../clock/waits.ts";
import type { RawRequest, RawResponse } from "../http/transport.ts";
import type { LogLines, LogOptions } from "./options.ts";

/** Makes the result of `Containers.logs`. Calls `open` when a loop over the lines begins. */
export function logLines(
  open: () => AsyncIterable<string> | Promise<Iterable<string> | AsyncIterable<string>>,
): LogLines {
  return {
    async *[Symbol.asyncIterator]() {
      yield* await open();
    },
    async text() {
      const lines: string[] = [];
      for await (const line of this) lines.push(`${line}\n`);
      return lines.join("");
    },
  };
}

/** Reads the lines of a log while the server streams them, without their newlines. */
export async function* readLog(
  path: string,
  { container, follow, tail, since, previous, timestamps, signal }: LogOptions,
  send: (request: RawRequest) => Promise<RawResponse>,
): AsyncGenerator<string, void> {
  const query = { container, follow, tailLines: tail, previous, timestamps, ...sinceQuery(since) };
  const { stream } = await send({ path, query, stream: true, signal });
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  for await (const chunk of stream!) {
    const [first = "", ...others] = decoder.write(chunk as Buffer).split("\n");
    pieces.push(first);
    for (const other of others) {
      yield pieces.join("");
      pieces = [other];
    }
  }
  const last = pieces.join("") + decoder.end();
  if (last !== "") yield last;
}

/** The server takes whole seconds, at least one, or a time. */
function sinceQuery(since: LogOptions["since"]): RawRequest["query"] {
  if (since === undefined) return {};
  if (since instanceof Date) return { sinceTime: since.toISOString() };
  return { sinceSeconds: Math.max(1, Math.ceil(readDuration("since", since) / 1000)) };
}
