// The output of commands, for people and programs: commands get a `Ui`, of which `terminal` is the real one. Plans and
// errors are formatted here. It is the lowest folder of the CLI.

import { styleText } from "node:util";
import { constants } from "node:os";
import { visibleText } from "@tsbuilder/apimachinery/text";
import { type Position, type Problem, TsbuilderError } from "../../shared/errors.ts";
import { codeFrame } from "../../shared/text.ts";
import { followSteps } from "../../shared/trace.ts";
import type { FileChange, Plan } from "../../scaffold/tree.ts";
import type { ErrorCode } from "../../shared/error-codes.ts";
import type { MarkerHelp } from "../../generators/markers/help.ts";
import type { RuleFinding } from "../../olm/rule-finding.ts";
import type { FileConflict } from "../../scaffold/plan-upgrade.ts";
import type { ListedPlugin } from "../../plugins/contributed/choose-plugin.ts";

/** Output and prompts of a command. Only `main` creates one; commands receive it. */
export interface Ui {
  /** Results, to standard output. */
  print(text: string): void;
  /** Progress and warnings, to standard error. */
  note(text: string): void;
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
  print: (text) => void process.stdout.write(`${visibleText(text)}\n`),
  note: (text) => void process.stderr.write(`${colourLabels(visibleText(text))}\n`),
  isInteractive: process.stdin.isTTY && process.stdout.isTTY,
};

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

const long = 25;

/** Lists the changes of a plan, one file per line; long lists are grouped by folder. */
export function describePlan({ changes, notes, moves }: Plan, { isComplete = false } = {}): string[] {
  const targets = new Set(moves?.values());
  const lines = shownChanges({ changes })
    .filter(({ path }) => !targets.has(path))
    .map((change) => describeChange(change, moves?.get(change.path)));
  const list = isComplete || lines.length <= long ? lines.map(({ text }) => text) : byFolder(lines);
  return [...list, ...notes];
}

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

/** Returns the exit code for an error: 130 for a closed prompt, as shells use for Ctrl-C, and else 1. */
export function exitCodeOf(error: unknown): number {
  return error instanceof TsbuilderError && error.code === "INTERRUPTED" ? 130 : 1;
}

/** An error in the report for programs; `tsbuilder explain` explains its code. */
interface ExplainedError {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly position?: Position;
  readonly problems?: readonly (Pick<Problem, "message" | "hint"> & { readonly position: Problem["at"] })[];
}

/**
 * Explains an error. Anything but a `TsbuilderError` or an error of the operating system is a bug, with its stack as
 * the message.
 */
export function explainError(error: unknown): ExplainedError {
  const ofSystem = explainSystemError(error);
  if (ofSystem !== undefined) return ofSystem;
  if (error instanceof TsbuilderError) {
    const { code, message, hint, at } = error;
    const problems = error.problems.map((one) => ({
      message: one.message,
      hint: one.hint,
      position: one.at,
    }));
    return {
      code,
      message,
      hint,
      ...(at ? { position: at } : {}),
      ...(problems.length > 0 ? { problems } : {}),
    };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    code: "INTERNAL",
    message,
    hint: "this is a bug in tsbuilder: please report it with the lines above",
  };
}

/** The subject of a message if the error names no file, program or address. */
export const subjects = {
  file: "a file or folder",
  program: "a program",
  address: "an address or a host",
  call: "a file, a program or an address",
} as const;

export interface Advice {
  readonly subject: keyof typeof subjects;
  readonly what: string;
  readonly hint: string;
}

const about =
  (subject: Advice["subject"]) =>
  (what: string, hint: string): Advice => ({ subject, what, hint });

const [file, program, address, call] = [about("file"), about("program"), about("address"), about("call")];

/** The key for all other codes of the operating system. */
const unlistedCode = "UNKNOWN";

const unwritable = file(
  "cannot be read or written",
  "change the permissions, or run the command as a user who has them",
);

/**
 * Explanations of the operating system's error codes that are no bugs. `what` completes a sentence whose subject the
 * message names.
 */
export const systemCodes: Readonly<Record<string, Advice>> = {
  EACCES: unwritable,
  EPERM: unwritable,
  EBUSY: file("is in use", "end the program that uses it, or unmount what is mounted there"),
  EDQUOT: file("does not fit into your quota", "free some space and run the command again"),
  EEXIST: file("exists, and is not a folder", "move it away"),
  EFBIG: file("is larger than this process may write", "raise the limit (ulimit -f)"),
  EILSEQ: file("has characters in its name that the file system does not allow", "use another name"),
  EIO: file("cannot be read or written", "the disk may be damaged, or a network file system is gone"),
  EISDIR: file("is a folder, but a file is expected", "move the folder away"),
  ELOOP: file("is a symbolic link that leads to itself", "delete the link"),
  EMFILE: file("cannot be opened: too many files are open", "raise the limit (ulimit -n)"),
  EMLINK: file("has more links or folders than the file system allows", "delete some"),
  ENAMETOOLONG: file("has a name that the file system does not allow", "use shorter names"),
  ENFILE: file(
    "cannot be opened: all programs together have too many files open",
    "end some programs, or raise the machine's limit (fs.file-max)",
  ),
  ENODEV: file("is a device that does not exist", "move it away"),
  ENOENT: file(
    "does not exist",
    "run the command again if another program moves files; create the folders that TMPDIR and HOME name",
  ),
  ENOLCK: file("cannot be locked on this file system", "keep the project on a local disk"),
  ENOSPC: file("does not fit on the disk", "free some space and run the command again"),
  ENOSYS: file("is on a file system that lacks what is needed", "keep the project on a local disk"),
  ENOTDIR: file("is inside of a file, but a folder is expected", "move the file away"),
  ENOTEMPTY: file(
    "is a folder that is not empty",
    "another program may write into it: end it, and run the command again",
  ),
  ENOTSUP: file("is on a file system that lacks what is needed", "keep the project on a local disk"),
  ENXIO: file("is a socket or a device, but a file is expected", "move it away"),
  EROFS: file("is on a read-only file system", "copy the project to a writable one"),
  ESTALE: file("was replaced on its network file system", "run the command again"),
  ETXTBSY: file(
    "is a program that runs, or that is being written",
    "run the command again when that has ended",
  ),
  EXDEV: file("is on another file system than the project", "keep a project on one file system"),

  E2BIG: program(
    "is given more arguments and environment than it can take",
    "use shorter names and less environment",
  ),
  EAGAIN: program(
    "cannot be started: there are too many processes",
    "end some, or raise the limit (ulimit -u)",
  ),
  ENOEXEC: program("is not a program for this machine", "install it again"),
  ENOMEM: program("needs more memory than there is", "end other programs"),

  EADDRINUSE: address("is already in use", "end the program that listens there, or choose another port"),
  EADDRNOTAVAIL: address("is not an address of this machine", "choose one that is, such as 127.0.0.1"),
  EAFNOSUPPORT: address(
    "is of a kind that this machine does not have",
    "choose another one: IPv4 instead of IPv6",
  ),
  EAI_AGAIN: address("cannot be looked up now", "check the network and the name server"),
  ECONNABORTED: address("closed the connection", "run the command again"),
  ECONNREFUSED: address("refuses connections", "check the address, and whether a server listens there"),
  ECONNRESET: address("closed the connection", "run the command again"),
  EHOSTDOWN: address("is down", "check the network"),
  EHOSTUNREACH: address("is out of reach", "check the network"),
  ENETDOWN: address("is out of reach", "check the network"),
  ENETUNREACH: address("is out of reach", "check the network"),
  ENOTFOUND: address("is not the name of a host", "check the name, and the name server"),
  EPIPE: address("closed the connection", "run the command again"),
  ETIMEDOUT: address("does not answer in time", "check the network"),

  [unlistedCode]: call(
    "is refused by the operating system",
    "--verbose prints where; if the machine is not at fault, report it",
  ),
};

interface SystemError extends NodeJS.ErrnoException {
  readonly hostname?: string;
  readonly address?: string;
  readonly port?: number;
}

/** Explains an error of the operating system; undefined for any other error. */
function explainSystemError(
  error: unknown,
): { readonly code: string; readonly message: string; readonly hint: string } | undefined {
  const { code, syscall, path, hostname, address, port } = (error ?? {}) as SystemError;
  if (code === undefined || syscall === undefined) return undefined;
  const own = codeOf(error as SystemError);
  if (syscall === "uv_cwd") {
    return {
      code: "NOT_FOUND" satisfies ErrorCode,
      message: `the current folder does not exist any more (${own})`,
      hint: "change to one that does: cd",
    };
  }
  const listed = Object.hasOwn(systemCodes, own) ? own : unlistedCode;
  const { subject, what, hint } = systemCodes[listed]!;
  const socket = address === undefined || port === undefined ? address : `${address}:${port}`;
  // Only errors of calls within `atFile` always name a path.
  const name = path ?? hostname ?? socket;
  const named = name === undefined ? subjects[subject] : `"${name}"`;
  // If starting a program fails, the call is `spawn NAME`.
  const [call] = syscall.split(" ");
  return { code: listed, message: `${named} ${what} (${own}, ${call})`, hint };
}

/**
 * Returns the name of an error's code. Node lacks the names of some, among them EDQUOT, and gives only their number.
 */
function codeOf({ code = "", errno = 0 }: SystemError): string {
  if (!code.startsWith("Unknown system error")) return code;
  const found = Object.entries(constants.errno).find(([, number]) => number === Math.abs(errno));
  return found?.[0] ?? code;
}

export function describeError(error: unknown, read: (file: string) => string | undefined): string {
  const { code, message, hint, position: at } = explainError(error);
  if (code === "INTERNAL")
    return `internal error: ${message}\n\nThis is a bug in tsbuilder: please report it with the lines above.`;
  const text = at && read(at.file);
  return [
    `error: ${message}`,
    ...(at ? [`  --> ${at.file}:${at.line}:${at.column}`] : []),
    ...(at && text !== undefined && at.line > 1 ? [indent(codeFrame(text, at))] : []),
    `hint: ${hint}`,
  ].join("\n");
}

const indent = (text: string): string =>
  text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");

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
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncaused by: ${stackOf(error.cause)}`;
}

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

/** Resolves on the first SIGINT or SIGTERM. */
export function stopSignal(): Promise<"SIGINT" | "SIGTERM"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve(signal));
  });
}
