import { stripVTControlCharacters } from "node:util";
import { readableLogLine } from "../readable-log-line.ts";

/** Makes a line of the operator's JSON log readable: time, level, message, key=value. Other lines are unchanged. */
export function shortenLogLine(line: string): string {
  const readable = readableLogLine(line);
  return onOneLine(readable === undefined ? line : `${readable.time} ${readable.text}`);
}

/** Escape sequences in the operator's output must not move the cursor. */
function onOneLine(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/[\t\n]/gu, " ")
    .replaceAll(/\p{Cc}/gu, "");
}
