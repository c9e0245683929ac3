import { followSteps } from "../shared/trace.ts";
import type { Ui } from "./ui.ts";

export const verboseFlag = "--verbose";
export const verboseSummary =
  "say which programs run and which files are written, and print the stack of errors";

/** Takes `--verbose` out of a command line; what stands behind `--` is for others. */
export function takeVerbose(argv: readonly string[]): { rest: string[]; isVerbose: boolean } {
  const end = argv.indexOf("--") === -1 ? argv.length : argv.indexOf("--");
  const rest = argv.filter((word, i) => i >= end || word !== verboseFlag);
  return { rest, isVerbose: rest.length < argv.length };
}

/** Runs a command and notes each of its steps, and why an error occurred. */
export async function noteSteps(ui: Ui, run: () => Promise<number>): Promise<number> {
  const unfollow = followSteps((step) => ui.note(step));
  try {
    return await run();
  } catch (error) {
    ui.note(stackOf(error));
    throw error;
  } finally {
    unfollow();
  }
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncaused by: ${stackOf(error.cause)}`;
}
