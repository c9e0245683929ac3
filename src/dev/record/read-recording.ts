import { existsSync, readFileSync } from "node:fs";
import { isObject } from "@tsbuilder/apimachinery/json";
import { atFile } from "../../shared/at-file.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { parseJson } from "../../shared/read-json.ts";
import { format, type Recorded, type RecordedSession } from "./recorded.ts";

/** A file that `tsbuilder dev --record` has written. */
export interface Recording {
  readonly session: RecordedSession;
  readonly recorded: readonly Recorded[];
}

/** Reads a record, of a session that is still running, too. */
export function readRecording(path: string): Recording {
  if (!existsSync(path)) {
    throw new TsbuilderError(`"${path}" does not exist`, {
      code: "NOT_FOUND",
      hint: "name a file that tsbuilder dev --record FILE wrote",
    });
  }
  const lines = atFile(path, () => readFileSync(path, "utf8")).split("\n");
  const [session, ...recorded] = lines
    // The last line may not be written to its end yet.
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
      {
        code: "INVALID_ARGUMENT",
        hint: `use the tsbuilder that wrote it, ${String(session["tsbuilder"])}`,
      },
    );
  }
  return {
    session: session as unknown as RecordedSession,
    recorded: recorded as unknown as readonly Recorded[],
  };
}

function readLine(path: string, line: string, number: number): Readonly<Record<string, unknown>> {
  const value = parseJson(line);
  if (isObject(value)) return value;
  throw new TsbuilderError(`"${path}" has no JSON object in line ${number}`, {
    code: "INVALID_ARGUMENT",
    hint: "the file was changed, or is not a record of tsbuilder dev",
  });
}
