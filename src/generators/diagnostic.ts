import type { Position } from "../shared/errors.ts";

/** One finding. All findings of a run are collected and sorted by position, so that a user mends them in one go. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** What is wrong, the value in quotes. */
  readonly message: string;
  /** The next thing to type. */
  readonly hint?: string;
  readonly at?: Position;
  /** The line of source with a caret below it. */
  readonly frame?: string;
}
