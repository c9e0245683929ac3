// Errors in words: `explainError` describes one for programs, `describeError` for people. Errors of the operating system are
// explained by their codes.

import { constants } from "node:os";
import type { ErrorCode } from "../../shared/error-codes.ts";
import { type Position, type Problem, TsbuilderError } from "../../shared/errors.ts";
import { codeFrame } from "../../shared/text.ts";

/** An error in the report for programs; `tsbuilder explain` explains its code. */
export interface ExplainedError {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly position?: Position;
  readonly problems?: readonly (Pick<Problem, "message" | "hint"> & { readonly position: Problem["at"] })[];
}

/** Explains an error. All but `TsbuilderError`s and errors of the operating system are bugs, whose message is their stack. */
export function explainError(error: unknown): ExplainedError {
  const systemError = explainSystemError(error);
  if (systemError !== undefined) return systemError;
  if (error instanceof TsbuilderError) {
    const { code, message, hint, at } = error;
    const problems = error.problems.map((problem) => ({
      message: problem.message,
      hint: problem.hint,
      position: problem.at,
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
  const hint = "this is a bug in tsbuilder: please report it with the lines above";
  return { code: "INTERNAL", message, hint };
}

interface SystemError extends NodeJS.ErrnoException {
  readonly hostname?: string;
  readonly address?: string;
  readonly port?: number;
}

/** Explains an error of the operating system; undefined for any other error. */
function explainSystemError(error: unknown): ExplainedError | undefined {
  const { code, syscall, path, hostname, address, port } = (error ?? {}) as SystemError;
  if (code === undefined || syscall === undefined) return undefined;
  const name = codeOf(error as SystemError);
  if (syscall === "uv_cwd") {
    return {
      code: "NOT_FOUND" satisfies ErrorCode,
      message: `the current folder does not exist any more (${name})`,
      hint: "change to one that does: cd",
    };
  }
  const listed = Object.hasOwn(systemCodes, name) ? name : unlistedCode;
  const { subject, what, hint } = systemCodes[listed]!;
  const socket = address === undefined || port === undefined ? address : `${address}:${port}`;
  // Only errors of calls within `atFile` always name a path.
  const target = path ?? hostname ?? socket;
  const named = target === undefined ? subjects[subject] : `"${target}"`;
  // If starting a program fails, the call is `spawn NAME`.
  const [call] = syscall.split(" ");
  return { code: listed, message: `${named} ${what} (${name}, ${call})`, hint };
}

/** Returns the name of an error's code. Node lacks the names of some, such as EDQUOT, and gives only their number. */
function codeOf({ code = "", errno = 0 }: SystemError): string {
  if (!code.startsWith("Unknown system error")) return code;
  const found = Object.entries(constants.errno).find(([, number]) => number === Math.abs(errno));
  return found?.[0] ?? code;
}

/** The subject of a message if the error names no file, program or address. */
export const subjects = {
  file: "a file or folder",
  program: "a program",
  address: "an address or a host",
  call: "a file, a program or an address",
} as const;

/** Explains a code of the operating system: the subject and `what` are a sentence. */
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

/** Explanations of the operating system's error codes that are no bugs of tsbuilder. */
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

/** Formats an error for a terminal, with the lines of the source at its position, which `read` returns. */
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

/** Returns the exit code for an error: 130 for a closed prompt, as shells use for Ctrl-C, and else 1. */
export function exitCodeOf(error: unknown): number {
  return error instanceof TsbuilderError && error.code === "INTERRUPTED" ? 130 : 1;
}
