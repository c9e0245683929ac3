import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readRecording } from "./read-recording.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "tsbuilder-recording-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const first = { type: "session", format: 1, at: "", project: "shop", tsbuilder: "0.2.0" };

function read(text: string) {
  const path = join(folder, "session.jsonl");
  writeFileSync(path, text);
  return readRecording(path);
}

test("a line that is not written to its end yet is left out", () => {
  const { recorded } = read(`${JSON.stringify(first)}\n{"type":"dev","at":"","text":"a"}\n{"type":"de`);
  expect(recorded).toEqual([{ type: "dev", at: "", text: "a" }]);
});

test.each([
  ["", "is not a record"],
  ["hello\n", "line 1 is not a JSON object"],
  ['{"type":"dev"}\n', "is not a record"],
  [`${JSON.stringify(first)}\n[]\n`, "line 2 is not a JSON object"],
  [`${JSON.stringify(first)}\n{"type":"write","at":"1"}\n`, "line 2 is not a line of a record"],
  [`${JSON.stringify(first)}\n{"type":"sample","at":"1","cached":{}}\n`, "line 2 is not a line of a record"],
  [`${JSON.stringify(first)}\n{"type":"webhook","at":"1"}\n`, "line 2 is not a line of a record"],
  [`${JSON.stringify(first)}\n{"type":"other","at":"1"}\n`, "line 2 is not a line of a record"],
  [
    `${JSON.stringify(first)}\n{"type":"action","at":"1","name":"restart"}\n`,
    "line 2 is not a line of a record",
  ],
  [`${JSON.stringify(first)}\n{"type":"fault","at":"1","verb":"get"}\n`, "line 2 is not a line of a record"],
  [`${JSON.stringify({ ...first, at: 1 })}\n`, "line 1 is not a line of a record"],
  [`${JSON.stringify({ ...first, format: 2 })}\n`, "has the format 2, but this tsbuilder reads 1"],
])("%j is refused", (text, message) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(message) as string,
    }),
  );
});

test("a file that is not there is named", () => {
  expect(() => readRecording(join(folder, "none.jsonl"))).toThrow(
    expect.objectContaining({ code: "NOT_FOUND", message: `"${join(folder, "none.jsonl")}" does not exist` }),
  );
});
