import type { Run } from "./run.ts";

/** Validates a value against a schema node and reports errors to the run. */
export type Check = (value: unknown, run: Run) => void;
