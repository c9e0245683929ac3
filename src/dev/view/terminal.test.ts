import { EventEmitter } from "node:events";
import type { ReadStream, WriteStream } from "node:tty";
import { expect, onTestFinished, test } from "vitest";
import { openTerminal } from "./open-screen.ts";

test.each<[string, string, readonly string[]]>([
  ["a key", "d", ["d"]],
  ["keys that arrive together", "dl\u001b[A", ["d", "l", "\u001b[A"]],
  ["arrows of either kind", "\u001b[B\u001bOA", ["\u001b[B", "\u001bOA"]],
  ["an arrow that is held", "\u001b[B".repeat(6), Array<string>(6).fill("\u001b[B")],
  ["Ctrl-C after a text that was pasted", "some text\u0003", ["\u0003"]],
  ["Escape alone", "\u001b", ["\u001b"]],
  ["Alt and a key", "\u001bq", ["\u001bq"]],
  ["Delete, F5 and Ctrl-Up", "\u001b[3~\u001b[15~\u001b[1;5A", ["\u001b[3~", "\u001b[15~", "\u001b[1;5A"]],
  ["a character of two code units", "\u{1f600}", ["\u{1f600}"]],
  ["a text that was pasted", "quit, please", []],
])("%s is taken as its keys", (_, typed, keys) => {
  const input = Object.assign(new EventEmitter(), { setRawMode() {}, pause() {}, resume() {} });
  const output = Object.assign(new EventEmitter(), {
    hasColors: () => true,
    write() {},
    columns: 80,
    rows: 24,
  });
  const taken: string[] = [];
  const terminal = openTerminal(
    { input: input as unknown as ReadStream, output: output as unknown as WriteStream },
    (key) => void taken.push(key),
    () => {},
  );
  terminal.take();
  onTestFinished(() => terminal.giveBack());
  input.emit("data", Buffer.from(typed));
  expect(taken).toEqual(keys);
});
