// Shared by all rooms of the CLI. Begin here: all errors for users are TsbuilderErrors; `error-codes.ts` has their codes.

import type { ErrorCode } from "./error-codes.ts";

/** A place in a file; line and column count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One of several problems that are reported at once. */
export interface Problem {
  readonly message: string;
  readonly hint: string | undefined;
  readonly at: Position | undefined;
}

interface TsbuilderErrorOptions {
  readonly code: ErrorCode;
  readonly hint: string;
  readonly at?: Position | undefined;
  readonly problems?: readonly Problem[];
  readonly cause?: unknown;
}

/** An error that the user can fix: what failed, the value in quotes, and a hint. */
export class TsbuilderError extends Error {
  override readonly name = "TsbuilderError";
  readonly code: ErrorCode;
  readonly hint: string;
  readonly at: Position | undefined;
  readonly problems: readonly Problem[];

  constructor(message: string, options: TsbuilderErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.hint = options.hint;
    this.at = options.at;
    this.problems = options.problems ?? [];
  }
}
