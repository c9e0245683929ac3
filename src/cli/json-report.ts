import { TsbuilderError } from "../shared/errors.ts";
import type { Command } from "./command.ts";
import { exitCodeOf, explainError } from "./report.ts";
import type { Details, Ui } from "./ui.ts";

/** What a command prints with `--output json`; `output.schema.json` describes it. */
interface JsonReport extends Details {
  readonly command: string;
  readonly exitCode: number;
  /** What the command prints without the flag: to standard output, and to standard error. */
  readonly output: readonly string[];
  readonly notes: readonly string[];
  readonly error?: ReturnType<typeof explainError>;
}

export const formatSummary = "output format: text, or json for programs";

/** The flags that choose the format; some commands write to the file or folder that `--output` names. */
export function formatFlags({ flags, streams = false }: Pick<Command, "flags" | "streams">): string[] {
  if (streams || Object.values(flags).some(({ short }) => short === "o")) return [];
  return Object.hasOwn(flags, "output") ? ["-o"] : ["-o", "--output"];
}

/** Takes the format out of a command line. */
export function takeFormat(
  argv: readonly string[],
  command: Pick<Command, "flags" | "streams">,
): { rest: string[]; isJson: boolean } {
  const names = formatFlags(command);
  const end = argv.indexOf("--") === -1 ? argv.length : argv.indexOf("--");
  const rest = argv.slice(end);
  const own: string[] = [];
  let format: string | undefined;
  for (let i = 0; i < end; i++) {
    const [, name, value] = /^(--output(?==|$)|-o)=?(.*)$/su.exec(argv[i]!) ?? [];
    if (name === undefined || !names.includes(name)) own.push(argv[i]!);
    else format = value || argv[++i] || "";
  }
  if (format === undefined || format === "text" || format === "json")
    return { rest: [...own, ...rest], isJson: format === "json" };
  throw new TsbuilderError(`the output format must be text or json, not "${format}"`, {
    code: "INVALID_ARGUMENT",
    hint: "use --output json, or omit it",
  });
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
