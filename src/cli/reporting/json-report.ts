import { exitCodeOf, explainError } from "./report.ts";
import type { Details, Ui } from "./ui.ts";

/** The document that a command prints with `--output json`; `output.schema.json` describes it. */
interface JsonReport extends Details {
  readonly command: string;
  readonly exitCode: number;
  /** The lines that the command prints without the flag: to standard output, and to standard error. */
  readonly output: readonly string[];
  readonly notes: readonly string[];
  readonly error?: ReturnType<typeof explainError>;
}

/** Runs a command without prompts, and prints one JSON document of all that it says, also if it fails. */
export async function reportAsJson(
  command: string,
  ui: Ui,
  run: (ui: Ui) => Promise<number>,
): Promise<number> {
  const output: string[] = [];
  const notes: string[] = [];
  let details: Details = {};
  const outcome = await run({
    print: (text) => void output.push(...text.split("\n")),
    note: (text) => void notes.push(...text.split("\n")),
    isInteractive: false,
    add: (more) => {
      details = { ...details, ...more };
    },
  }).then(
    (exitCode) => ({ exitCode }),
    (error: unknown) => ({ exitCode: exitCodeOf(error), error: explainError(error) }),
  );
  const report: JsonReport = { command, ...outcome, ...details, output, notes };
  ui.print(JSON.stringify(report, undefined, 2));
  return outcome.exitCode;
}
