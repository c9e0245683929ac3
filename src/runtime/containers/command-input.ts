import { Readable } from "node:stream";
import { onAbort } from "../clock/on-abort.ts";
import type { CommandInput, TerminalSize } from "./options.ts";

/** Longer pieces are cut, so that a slow reader is noticed after this many bytes. */
const longestPiece = 32_768;

type Send = (piece: Buffer) => Promise<void>;

/**
 * Sends all input in pieces, and that it has ended, unless the command ends first. Rejects if the input can't be read. If
 * it can't be sent, the connection has ended, which its reader finds out by itself.
 */
export async function sendInput(
  input: CommandInput,
  ended: AbortSignal,
  send: Send,
  sendEnd?: Send,
): Promise<void> {
  const source =
    input instanceof Readable ? input : Readable.from(input instanceof Uint8Array ? [input] : input);
  // What it fails with is read from it, and may be emitted at any time later.
  source.on("error", ignore);
  try {
    for await (const chunk of read(source, ended)) {
      const bytes = Buffer.from(chunk as Uint8Array);
      for (let at = 0; at < bytes.length; at += longestPiece) {
        if (!(await isSent(send(bytes.subarray(at, at + longestPiece))))) return;
      }
    }
    if (sendEnd) await isSent(sendEnd(Buffer.alloc(0)));
  } finally {
    // The process may have other uses for its own input, which must not keep it running.
    if (source === process.stdin) source.off("error", ignore).pause();
    else source.destroy();
  }
}

function ignore(): void {}

/** Reads a stream until its end or the signal, also if the stream is idle: its own iterator would wait for the next chunk. */
async function* read(source: Readable, ended: AbortSignal): AsyncGenerator {
  while (!ended.aborted) {
    const chunk: unknown = source.read();
    if (chunk !== null) yield chunk;
    else if (source.errored) throw source.errored;
    else if (source.readableEnded) return;
    else if (source.destroyed) throw new Error("the input of the command was closed before its end");
    else await change(source, ended);
  }
}

/** Resolves when there may be something to read, or nothing more. */
function change(source: Readable, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const events = ["readable", "end", "error", "close"] as const;
    const forget = onAbort(ended, settle);
    for (const event of events) source.on(event, settle);
    function settle(): void {
      forget();
      for (const event of events) source.off(event, settle);
      resolve();
    }
  });
}

/** Sends the sizes of a terminal as the server reads them. */
export async function* sizeMessages(
  sizes: Iterable<TerminalSize> | AsyncIterable<TerminalSize>,
): AsyncGenerator<string> {
  for await (const { columns, rows } of sizes) yield JSON.stringify({ Width: columns, Height: rows });
}

function isSent(sending: Promise<void>): Promise<boolean> {
  return sending.then(
    () => true,
    () => false,
  );
}
