import { existsSync, readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { isObject } from "@tsbuilder/apimachinery/json";
import { atFile } from "../../shared/files.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { parseJson } from "../../shared/read-json.ts";
import { Findings } from "./findings/findings.ts";
import { type Recorded, type RecordedSession, format } from "./recorded.ts";
import type { PageRecord, RecordReading } from "./page-record.ts";

/** A record that `tsbuilder dev --record` wrote. */
export interface Recording {
  readonly session: RecordedSession;
  readonly recorded: readonly Recorded[];
}

/** Reads the record of a session, which may still be running. */
export function readRecording(path: string): Recording {
  if (!existsSync(path)) {
    throw new TsbuilderError(`"${path}" does not exist`, {
      code: "NOT_FOUND",
      hint: "name a file that tsbuilder dev --record FILE wrote",
    });
  }
  return parseRecording(
    atFile(path, () => readFileSync(path, "utf8")),
    path,
  );
}

/** Parses the text of a record; the path is for messages. Throws for another format, and for a line that readers can't use. */
export function parseRecording(text: string, path: string): Recording {
  const [session, ...recorded] = text
    .split("\n")
    // The last line may be incomplete.
    .slice(0, -1)
    .map((line, index) => readLine(path, line, index + 1));
  if (session?.["type"] !== "session") {
    throw new TsbuilderError(`"${path}" is not a record of tsbuilder dev`, {
      code: "INVALID_ARGUMENT",
      hint: "write one with tsbuilder dev --record FILE",
    });
  }
  if (session["format"] !== format) {
    throw new TsbuilderError(
      `"${path}" has the format ${String(session["format"])}, but this tsbuilder reads ${format}`,
      { code: "INVALID_ARGUMENT", hint: `use the tsbuilder that wrote it, ${String(session["tsbuilder"])}` },
    );
  }
  for (const [index, line] of [session, ...recorded].entries())
    if (!isRecorded(line)) throw damaged(path, index + 1, "is not a line of a record");
  return {
    session: session as unknown as RecordedSession,
    recorded: recorded as unknown as readonly Recorded[],
  };
}

function readLine(path: string, line: string, number: number): Readonly<Record<string, unknown>> {
  const value = parseJson(line);
  if (isObject(value)) return value;
  throw damaged(path, number, "is not a JSON object");
}

function damaged(path: string, number: number, problem: string): TsbuilderError {
  return new TsbuilderError(`"${path}": line ${number} ${problem}`, {
    code: "INVALID_ARGUMENT",
    hint: "the file was changed, or is not a record of tsbuilder dev",
  });
}

const isText = (value: unknown): boolean => typeof value === "string";

/** The checks of the members that the readers of each type of line need. */
const memberChecks: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  session: { project: isText },
  write: { key: isText, object: (object) => isObject(object) && isObject(object["metadata"]) },
  reconcile: { request: isText, causes: Array.isArray, requests: Array.isArray },
  sample: { controllers: Array.isArray, cached: isObject },
  webhook: { configuration: isText, resource: isText },
  operator: { text: isText },
  dev: { text: isText },
  action: { name: isText, input: isObject },
  fault: { verb: isText, resource: isText },
  full: {},
};

function isRecorded({ type, at, ...line }: Readonly<Record<string, unknown>>): boolean {
  if (typeof at !== "string" || typeof type !== "string" || !Object.hasOwn(memberChecks, type)) return false;
  return Object.entries(memberChecks[type]!).every(([name, isValid]) => isValid(line[name]));
}

/** Opens a file that `tsbuilder dev --record` wrote, for a page. Throws for other files. */
export function fileRecord(path: string): PageRecord {
  readRecording(path);
  return {
    read: (): RecordReading => {
      const findings = new Findings();
      const past = seenBy(findings, wholeLines(path));
      return { past, live: undefined, findings: () => findings.list(), close: () => undefined };
    },
  };
}

/** Passes pieces on once the findings have seen their lines, all but the first line of the file. */
async function* seenBy(findings: Findings, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    for (const text of piece.toString().split("\n")) {
      const line = text === "" ? undefined : (JSON.parse(text) as Recorded | RecordedSession);
      if (line !== undefined && line.type !== "session") findings.add(line);
    }
    yield piece;
  }
}

const pieceBytes = 256 * 1024;
const lineFeed = 0x0a;

/** Yields pieces of whole lines: the last line of a running session may be incomplete. */
async function* wholeLines(path: string): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    let begun: Buffer[] = [];
    for await (const piece of file.createReadStream({ autoClose: false, highWaterMark: pieceBytes })) {
      const bytes = piece as Buffer;
      const end = bytes.lastIndexOf(lineFeed) + 1;
      if (end > 0) yield Buffer.concat([...begun, bytes.subarray(0, end)]);
      begun = end > 0 ? [bytes.subarray(end)] : [...begun, bytes];
    }
  } finally {
    await file.close();
  }
}
