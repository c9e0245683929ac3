import { bytesOf, type LineKeeper, type RecordLine } from "./record-line.ts";

/** Prints each line of a session when it is recorded, for programs that read along. */
export function printedLines(print: (line: string) => void): LineKeeper {
  const add = (line: RecordLine): void => print(bytesOf([line]).toString().trimEnd());
  return { open: add, add, close: () => undefined };
}
