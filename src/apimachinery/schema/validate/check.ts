import type { Run } from "./run.ts";

/** Checks one value against one schema node and reports to the run. */
export type Check = (value: unknown, run: Run) => void;
