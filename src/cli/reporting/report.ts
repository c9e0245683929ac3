// The output of commands, for people and programs: commands get a `Ui`, of which `terminal` is the real one. Plans are
// formatted here, errors in `explain-error.ts`. This folder is the lowest of the CLI.

import { styleText } from "node:util";
import { visibleText } from "@tsbuilder/apimachinery/text";
import { followSteps } from "../../shared/trace.ts";
import type { FileChange, Plan } from "../../scaffold/tree.ts";
import type { MarkerHelp } from "../../generators/markers/help.ts";
import type { ReportedChange } from "../../lifecycle/report-changes.ts";
import type { Explanation } from "../../dev/why/explain-object.ts";
import type { RuleFinding } from "../../olm/rule-finding.ts";
import type { FileConflict } from "../../scaffold/plan-upgrade.ts";
import type { ListedPlugin } from "../../plugins/contributed/choose-plugin.ts";
import { type ExplainedError, exitCodeOf, explainError } from "./explain-error.ts";

/** Output and prompts of a command. Only `main` creates one; commands receive it. */
export interface Ui {
  /** Results, to standard output. */
  print(text: string): void;
  /** Progress and warnings, to standard error. */
  note(text: string): void;
  /** Shows a line of standard error that the next output replaces. Absent where lines can't be replaced, as in a file. */
  replace?(format: (columns: number) => string): void;
  /** A user can answer prompts. */
  readonly isInteractive: boolean;
  /** Adds to what `--output json` prints; people see the same as text. */
  add?(details: Details): void;
}

interface ChangedFile {
  readonly action: "create" | "update" | "delete";
  readonly path: string;
}

interface CommittedUpgrade {
  readonly from: string;
  readonly to: string;
  readonly commit: string;
  readonly branch?: string;
  readonly pullRequest?: string;
  readonly conflicts: readonly FileConflict[];
}

/** Details of a command's report for programs. */
export interface Details {
  /** The files of its plan. */
  readonly changes?: readonly ChangedFile[];
  /** The files were written; false with `--dry-run` or `--diff`. */
  readonly written?: boolean;
  readonly findings?: readonly Finding[];
  /** Problems in files that the command checked. */
  readonly problems?: readonly RuleFinding[];
  /** Versions of tsbuilder, Node and the like, by name. */
  readonly versions?: Readonly<Record<string, string>>;
  /** What `api check` found. */
  readonly apiChanges?: readonly ReportedChange[];
  /** The explanation of an object by `why`. */
  readonly explanation?: Explanation;
  readonly plugins?: readonly ListedPlugin[];
  readonly markers?: readonly MarkerHelp[];
  /** The commit of an upgrade. */
  readonly upgrade?: CommittedUpgrade;
  /** Error codes with their explanations. */
  readonly codes?: readonly { readonly code: string; readonly meaning: string; readonly remedy: string }[];
}

/** The result of one check. */
export interface Finding {
  /** `missing` is only needed by some commands; `wrong` makes doctor exit with 1. */
  readonly state: "good" | "missing" | "wrong";
  /** The subject of the check: `node`, `config/crd`. */
  readonly subject: string;
  readonly message: string;
  /** A command to run or a program to install; required unless the finding is good. */
  readonly remedy?: string;
}

/**
 * The real terminal; no other code writes to standard output. Text may contain names and values of a project, a cluster
 * or a recording that others have made, so control characters are shown and not sent. JSON stays the same JSON.
 */
export const terminal: Ui = {
  ...makeOutput(process.stdout, process.stderr),
  isInteractive: process.stdin.isTTY && process.stdout.isTTY,
};

/** The parts of a stream to a terminal or a file that are used. */
type OutputStream = Pick<NodeJS.WriteStream, "write" | "isTTY" | "columns">;

/** Creates the output to two streams. */
export function makeOutput(
  output: OutputStream,
  errors: OutputStream,
): Pick<Ui, "print" | "note" | "replace"> {
  const clearLine = "\r\u001B[K";
  let isReplaceable = false;
  const write = (stream: OutputStream, text: string): void => {
    if (isReplaceable) errors.write(clearLine);
    isReplaceable = false;
    stream.write(text);
  };
  return {
    print: (text) => write(output, `${visibleText(text)}\n`),
    note: (text) => write(errors, `${colourLabels(visibleText(text))}\n`),
    ...(errors.isTTY &&
      process.env["TERM"] !== "dumb" && {
        replace(format) {
          write(errors, visibleText(format(errors.columns)));
          isReplaceable = true;
        },
      }),
  };
}

const colours = { error: "red", warning: "yellow", hint: "cyan" } as const;

type Label = keyof typeof colours;

/** Colours `error:` and the like on a terminal, unless `NO_COLOR` is set. */
function colourLabels(text: string): string {
  // Node 22 before 22.8 would also colour for a pipe.
  if (!process.stderr.isTTY) return text;
  return text.replaceAll(/^(?:internal )?(error|warning|hint):/gmu, (label: string, name: Label) =>
    styleText(colours[name], label, { stream: process.stderr }),
  );
}

/** Returns the changes of a plan without tsbuilder's own records. */
export function shownChanges({ changes }: Pick<Plan, "changes">): FileChange[] {
  return changes.filter(({ path }) => !path.startsWith(".tsbuilder/"));
}

/** Longer lists of changed files are grouped by folder. */
const longestList = 25;

/** Lists the changes of a plan, one file per line, and its notes. Long lists are grouped by folder unless `isComplete`. */
export function describePlan({ changes, notes, moves }: Plan, { isComplete = false } = {}): string[] {
  const targets = new Set(moves?.values());
  const lines = shownChanges({ changes })
    .filter(({ path }) => !targets.has(path))
    .map((change) => describeChange(change, moves?.get(change.path)));
  const listed =
    isComplete || lines.length <= longestList ? lines.map(({ text }) => text) : groupByFolder(lines);
  return [...listed, ...notes];
}

/** A line of the list, with the file that it is about. */
interface Line {
  readonly action: string;
  readonly path: string;
  readonly text: string;
}

function describeChange({ action, path }: FileChange, target: string | undefined): Line {
  if (target === undefined) return { action, path, text: `${action} ${path}` };
  return { action: "move", path, text: `move   ${path} -> ${target}` };
}

function groupByFolder(lines: readonly Line[]): string[] {
  const groups = new Map<string, Line[]>();
  for (const line of lines) {
    const folder = line.path.includes("/") ? `${line.path.split("/")[0]}/` : line.path;
    const key = `${line.action} ${folder}`;
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  return [...groups].map(([key, [first, ...others]]) =>
    others.length === 0 ? first!.text : `${key} (${others.length + 1} files)`,
  );
}

/** Runs a command for `--verbose`: notes each of its steps, and the stack of an error. */
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
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\ncaused by: ${stackOf(error.cause)}`;
}

/** The document that a command prints with `--output json`; `output.schema.json` describes it. */
interface JsonReport extends Details {
  readonly command: string;
  readonly exitCode: number;
  /** The lines that the command prints without the flag: to standard output, and to standard error. */
  readonly output: readonly string[];
  readonly notes: readonly string[];
  readonly error?: ExplainedError;
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

/** Resolves on the first SIGINT or SIGTERM. */
export function stopSignal(): Promise<"SIGINT" | "SIGTERM"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve(signal));
  });
}
