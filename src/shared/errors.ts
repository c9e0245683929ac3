/** The errors that a user can fix. One list, so that each code has one meaning. */
export type ErrorCode =
  | "INVALID_ARGUMENT"
  | "INVALID_NAME"
  | "MISSING_ANSWER"
  | "NOT_A_PROJECT"
  | "ALREADY_INITIALIZED"
  | "ALREADY_EXISTS"
  | "NOT_FOUND"
  | "FILE_CHANGED"
  | "MARKER_MISSING"
  | "INVALID_PROJECT"
  | "INVALID_SOURCE"
  | "INTERRUPTED"
  | "TOOL_MISSING"
  | "TOOL_FAILED"
  | "CLUSTER_UNREACHABLE"
  | "REFUSED";

/** A place in a file; line and column count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** An error that the user can fix: what failed, the value in quotes, and a hint. */
export class TsbuilderError extends Error {
  override readonly name = "TsbuilderError";
  readonly code: ErrorCode;
  readonly hint: string;
  readonly at: Position | undefined;

  constructor(
    message: string,
    options: { code: ErrorCode; hint: string; at?: Position | undefined; cause?: unknown },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.hint = options.hint;
    this.at = options.at;
  }
}
