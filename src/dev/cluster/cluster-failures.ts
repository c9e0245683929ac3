import { inspect } from "node:util";
import { TsbuilderError } from "../../shared/errors.ts";

/** The time in milliseconds in which a full disk is reported only once. */
const repeatAfter = 30_000;

/** Returns a reporter for errors of a running cluster. It explains a full disk, and passes on all other errors. */
export function failureReporter(
  report: (error: unknown) => void,
  now: () => number = Date.now,
): (error: unknown) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (!isDiskFull(error)) return report(error);
    if (now() - reportedAt < repeatAfter) return;
    reportedAt = now();
    report(
      new TsbuilderError("the disk is full, so the cluster rejects writes; no data is lost", {
        code: "REFUSED",
        hint: "free some space: the cluster then continues by itself",
        cause: error,
      }),
    );
  };
}

/** Formats a failure for a terminal without a session: the message and hint if the user can fix it, else the full error. */
export function formatFailure(error: unknown): string {
  const text = error instanceof TsbuilderError ? `${error.message}\nhint: ${error.hint}` : inspect(error);
  return `cluster: ${text}\n`;
}

function isDiskFull(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return code === "ENOSPC" || (cause !== undefined && isDiskFull(cause));
}

/** The codes of errors of the cluster that have a hint of their own: about a damaged file, and about nodes. */
const explained: ReadonlySet<string | undefined> = new Set(["EDAMAGED", "ENODES"]);

const unwritable = [
  "the cluster's objects cannot be persisted",
  "use a writable folder, or omit --data or --persist to keep them in memory",
] as const;

/** The meaning of system error codes when a cluster starts, each with a hint. `listen` follows codes about the port. */
const adviceByCode: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  "EADDRINUSE listen": [
    "the cluster's port is already in use",
    "use another one with --port, or omit it to use a free port",
  ],
  "EACCES listen": [
    "the system does not let the cluster have its port",
    "use one above 1023 with --port, or omit it to use a free port",
  ],
  ENOSPC: [
    "the disk is full, so the cluster's objects cannot be persisted",
    "free some space, or omit --data or --persist to keep them in memory",
  ],
  ELOCKED: ["another cluster uses this folder", "stop it, or use another folder with --data"],
  EACCES: unwritable,
  EROFS: unwritable,
  ENOTDIR: unwritable,
  EEXIST: unwritable,
  ENOENT: unwritable,
};

/** Throws an explained error for a cluster that could not start; an error that the user can't fix is thrown as it is. */
export function explainStart(error: unknown): never {
  const failure = error as NodeJS.ErrnoException & { hint?: string };
  const { code, syscall, path } = failure;
  if (explained.has(code) && failure.hint !== undefined)
    throw new TsbuilderError(failure.message, { code: "REFUSED", hint: failure.hint, cause: error });
  const advice = adviceByCode[syscall === "listen" ? `${code} listen` : (code ?? "")];
  if (!advice) throw error;
  const [message, hint] = advice;
  throw new TsbuilderError(path ? `${message}: ${path}` : message, { code: "REFUSED", hint, cause: error });
}
