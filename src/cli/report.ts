import { TsbuilderError } from "../shared/errors.ts";
import { codeFrame } from "../shared/text.ts";
import type { FileChange, Plan } from "../scaffold/file-change.ts";
import type { Ui } from "./ui.ts";

/** The real terminal: the only place that writes to standard output. */
export const terminal: Ui = {
  print: (text) => void process.stdout.write(`${text}\n`),
  note: (text) => void process.stderr.write(`${text}\n`),
  isInteractive: process.stdin.isTTY && process.stdout.isTTY,
};

/** Lists what a plan does, one file a line. */
export function describePlan({ changes, notes }: Plan): string[] {
  return [...changes.filter(isWorthALine).map(({ action, path }) => `${LABELS[action]} ${path}`), ...notes];
}

const LABELS = { create: "create", update: "update", delete: "delete" } as const;

/** What the record and the tarballs of our packages look like is of no interest. */
function isWorthALine({ path }: FileChange): boolean {
  return !path.startsWith(".tsbuilder/");
}

/** Says what went wrong and what to do next; anything but a `TsbuilderError` is our fault. */
export function describeError(error: unknown, read: (file: string) => string | undefined): string {
  if (!(error instanceof TsbuilderError)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return `internal error: ${stack}\n\nThis is a bug in tsbuilder: please report it with the lines above.`;
  }
  const { at } = error;
  const text = at && read(at.file);
  return [
    `error: ${error.message}`,
    ...(at ? [`  --> ${at.file}:${at.line}:${at.column}`] : []),
    ...(at && text !== undefined && at.line > 1 ? [indent(codeFrame(text, at))] : []),
    `hint: ${error.hint}`,
  ].join("\n");
}

const indent = (text: string): string =>
  text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
