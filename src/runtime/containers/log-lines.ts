import { StringDecoder } from "node:string_decoder";
import { readDuration } from "../clock/waits.ts";
import type { RawRequest, RawResponse } from "../http/transport.ts";
import type { LogLines, LogOptions } from "./options.ts";

export function logRequest(path: string, options: LogOptions): RawRequest {
  const { container, follow, tail, since, previous, timestamps, signal } = options;
  return {
    path,
    query: { container, follow, tailLines: tail, previous, timestamps, ...sinceQuery(since) },
    stream: true,
    signal,
  };
}

/** The lines of the log that an answer streams. */
export async function* readLines({ stream }: RawResponse): AsyncGenerator<string, void> {
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

/** Makes lines whose request is sent when a loop over them begins. */
export function logLines(open: () => Promise<Iterable<string> | AsyncIterable<string>>): LogLines {
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

function sinceQuery(since: LogOptions["since"]): RawRequest["query"] {
  if (since === undefined) return {};
  if (since instanceof Date) return { sinceTime: since.toISOString() };
  return { sinceSeconds: Math.max(1, Math.ceil(readDuration("since", since) / 1000)) };
}
