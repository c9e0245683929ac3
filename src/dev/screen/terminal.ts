import type { ReadStream, WriteStream } from "node:tty";
import { stripVTControlCharacters } from "node:util";
import type { ScreenSize } from "./render-screen.ts";

/** The streams of an interactive terminal. */
export interface TerminalStreams {
  readonly input: ReadStream;
  readonly output: WriteStream;
}

/** A terminal in full-screen mode, restored afterwards. */
export interface Terminal {
  size(): ScreenSize;
  draw(lines: readonly string[]): void;
  /** Enters full-screen mode: no echo, the alternate screen, no cursor. Does nothing if it is active. */
  take(): void;
  /** Restores the terminal with its earlier content. Does nothing if full-screen mode is not active. */
  giveBack(): void;
}

// Line wrapping is off: otherwise a character that is wider than expected would shift everything down.
const take = "\u001B[?1049h\u001B[?25l\u001B[?7l";
const leaveScreen = "\u001B[?7h\u001B[?25h\u001B[?1049l";

/** Keys that are pressed in quick succession arrive together; each is an escape sequence, Alt and a key, or a character. */
const escape = "\u001B";
const oneKey = new RegExp(`${escape}(?:[[O][0-9;]*[ -/]*[@-~]|[^])|[^]`, "gu");

/** More characters than these at once are a pasted text, not keys; arrows and Ctrl-C count at any rate. */
const mostCharacters = 4;

/** Prepares a terminal; `onKey` receives the input in full-screen mode. */
export function openTerminal(
  { input, output }: TerminalStreams,
  onKey: (key: string) => void,
  onResize: () => void,
): Terminal {
  let isTaken = false;
  const hasColors = output.hasColors();
  const readKeys = (bytes: Buffer): void => {
    const keys = bytes.toString("utf8").match(oneKey) ?? [];
    const isCharacter = (key: string): boolean => !key.startsWith(escape) && key >= " ";
    const isPasted = keys.filter(isCharacter).length > mostCharacters;
    for (const key of keys) if (!isPasted || !isCharacter(key)) onKey(key);
  };
  const giveBack = (): void => {
    if (!isTaken) return;
    isTaken = false;
    process.off("exit", giveBack);
    output.off("resize", onResize);
    input.off("data", readKeys);
    input.setRawMode(false);
    input.pause();
    output.write(leaveScreen);
  };
  return {
    size: () => ({ columns: output.columns, rows: output.rows }),
    draw: (lines) => {
      if (!isTaken) return;
      const shown = hasColors ? lines : lines.map((line) => stripVTControlCharacters(line));
      output.write(`\u001B[H${shown.map((line) => `${line}\u001B[K`).join("\r\n")}\u001B[J`);
    },
    take: () => {
      if (isTaken) return;
      isTaken = true;
      // An uncaught error ends the process, and must not leave a terminal without echo.
      process.on("exit", giveBack);
      output.write(take);
      input.setRawMode(true);
      input.on("data", readKeys);
      input.resume();
      output.on("resize", onResize);
    },
    giveBack,
  };
}
