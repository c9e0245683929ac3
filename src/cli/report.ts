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

/** Lists what a plan does, one file a line; a long list is told by folders. */
export function describePlan({ changes, notes, moves }: Plan, { isComplete = false } = {}): string[] {
  const targets = new Set(moves?.values());
  const lines = changes
    .filter(({ path }) => !path.startsWith(".tsbuilder/") && !targets.has(path))
    .map((change) => describeChange(change, moves?.get(change.path)));
  const list = isComplete || lines.length <= LONG ? lines.map(({ text }) => text) : byFolder(lines);
  return [...list, ...notes];
}

const LONG = 25;

interface Line {
  readonly action: string;
  readonly path: string;
  readonly text: string;
}

function describeChange({ action, path }: FileChange, target: string | undefined): Line {
  if (target === undefined) return { action, path, text: `${action} ${path}` };
  return { action: "move", path, text: `move   ${path} -> ${target}` };
}

function byFolder(lines: readonly Line[]): string[] {
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
