import type { Reconcile } from "../history/history.ts";

/** A sign for each outcome, for who can't tell the colours apart. */
export const outcomeSigns: Readonly<Record<Reconcile["outcome"], string>> = {
  done: "✓",
  later: "↻",
  again: "↻",
  conflict: "≠",
  error: "✗",
  terminal: "■",
  unfinished: "…",
};

/** From the best to the worst. */
export const outcomes: readonly Reconcile["outcome"][] = [
  "done",
  "later",
  "again",
  "unfinished",
  "conflict",
  "terminal",
  "error",
];
