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
  const source = input instanceof Uint8Array ? Readable.from([input]) : Readable.from(input);
  const forget = onAbort(ended, () => source.destroy());
  try {
    for await (const chunk of source) {
      const bytes = Buffer.from(chunk as Uint8Array);
      for (let at = 0; at < bytes.length; at += longestPiece) {
        if (!(await isSent(send(bytes.subarray(at, at + longestPiece))))) return;
      }
    }
    if (sendEnd) await isSent(sendEnd(Buffer.alloc(0)));
  } finally {
    forget();
    source.destroy();
  }
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
