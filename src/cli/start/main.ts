import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { TsbuilderError } from "../../shared/errors.ts";
import { dispatch } from "./dispatch.ts";
import { describeError, exitCodeOf, terminal } from "../reporting/report.ts";

/** Runs a command line, prints what is thrown, and sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    process.exitCode = await dispatch(argv, process.cwd(), terminal);
  } catch (error) {
    terminal.note(describeError(error, readSource));
    // An error of `explain` lists the codes itself.
    if (error instanceof TsbuilderError && argv[0] !== "explain")
      terminal.note(`tsbuilder explain ${error.code} says more`);
    process.exitCode = exitCodeOf(error);
  }
}

/** Reads a file for the code frame of an error. */
function readSource(file: string): string | undefined {
  try {
    return readFileSync(resolve(file), "utf8");
  } catch {
    return undefined;
  }
}
