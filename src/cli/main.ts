import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { findOwnPackage } from "../packaging/own-package.ts";
import { fitShortRun } from "./short-run.ts";

const argv = process.argv.slice(2);

// A reader such as `head` closes the pipe early: there is nowhere left to write.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

// Scripts and shells call `--version` and wait for it, so nothing else is loaded.
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
  process.stdout.write(`${findOwnPackage().version}\n`);
} else {
  fitShortRun(argv);
  const [{ dispatch }, { describeError, exitCodeOf, terminal }, { TsbuilderError }] = await Promise.all([
    import("./dispatch.ts"),
    import("./report.ts"),
    import("../shared/errors.ts"),
  ]);
  try {
    process.exitCode = await dispatch(argv, process.cwd(), terminal);
  } catch (error) {
    terminal.note(describeError(error, readSource));
    if (error instanceof TsbuilderError) terminal.note(`tsbuilder explain ${error.code} says more`);
    process.exitCode = exitCodeOf(error);
  }
}

function readSource(file: string): string | undefined {
  try {
    return readFileSync(resolve(file), "utf8");
  } catch {
    return undefined;
  }
}
